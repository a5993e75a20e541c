package session

import (
	"context"
	"io"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// script answers requests one after the other; the last answer is repeated.
type script struct {
	mu      sync.Mutex
	answers []error
	sent    int
}

func (s *script) RoundTrip(context.Context, soap.HasFault, soap.HasFault) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.answers[min(s.sent, len(s.answers)-1)]
	s.sent++
	return err
}

// wireFault returns a fault as the SOAP client returns it.
func wireFault(f types.AnyType) error {
	fault := &soap.Fault{Code: "ServerFaultCode", String: "said the server"}
	fault.Detail.Fault = f
	return soap.WrapSoapFault(fault)
}

func scripted(answers ...error) (*call, *script, *int) {
	s := &script{answers: answers}
	c := newCall(s, Endpoint{URL: &url.URL{Host: "vc.example"}, CallTimeout: time.Second})
	c.firstPause = time.Microsecond
	logins := 0
	c.login = func(context.Context) error { logins++; return nil }
	return c, s, &logins
}

// TestUndecodableAnswersNameTheCall, except the first one, whose server may be something else.
func TestUndecodableAnswersNameTheCall(t *testing.T) {
	html := &soapwire.AnswerError{Form: true, What: `is no SOAP from byte 1 on: "<html>"`, Err: &xml.SyntaxError{}}
	cut := &soapwire.AnswerError{Form: true, What: "ends at byte 7 before it is complete", Err: io.ErrUnexpectedEOF}
	kind := &contentError{kind: "text/html", want: "SOAP"}
	const read = "RetrievePropertiesEx"
	for name, c := range map[string]struct {
		method    string
		err       error
		want      string
		transient bool
	}{
		"HTML":          {read, html, `its answer to RetrievePropertiesEx is no SOAP from byte 1 on: "<html>"`, false},
		"cut":           {read, cut, "its answer to RetrievePropertiesEx ends at byte 7 before it is complete", true},
		"content":       {read, kind, "its answer to RetrievePropertiesEx is no SOAP from byte 1 on: it is text/html", false},
		"first HTML":    {firstCall, html, "it did not answer in SOAP; " + tryURL, false},
		"first cut":     {firstCall, cut, "the answer was cut off", true},
		"first content": {firstCall, kind, "it answered text/html instead of SOAP; " + tryURL, false},
	} {
		t.Run(name, func(t *testing.T) {
			call, _, _ := scripted()
			err := call.explain(c.method, c.err)
			require.EqualError(t, err, Describe(c.method)+" vc.example: "+c.want)
			require.Equal(t, c.transient, Transient(err))
			require.True(t, Undecodable(err))
		})
	}
}

func TestCallPolicy(t *testing.T) {
	view := types.ManagedObjectReference{Type: "ContainerView", Value: "session[1]2"}
	overView := &methods.RetrievePropertiesExBody{Req: &types.RetrievePropertiesEx{
		SpecSet: []types.PropertyFilterSpec{{ObjectSet: []types.ObjectSpec{{Obj: view}}}},
	}}
	plainRetrieve := &methods.RetrievePropertiesExBody{Req: &types.RetrievePropertiesEx{}}
	next := new(methods.ContinueRetrievePropertiesExBody)
	expired, cut := wireFault(types.NotAuthenticated{}), io.ErrUnexpectedEOF
	for name, c := range map[string]struct {
		req     soap.HasFault
		answers []error
		sent    int
		logins  int
		want    string // "ok", "restart" or the error's text
	}{
		"fine":                             {plainRetrieve, []error{nil}, 1, 0, "ok"},
		"expired, repeated":                {plainRetrieve, []error{expired, nil}, 2, 1, "ok"},
		"expired for good":                 {plainRetrieve, []error{expired}, 3, 2, "the session has ended; run the command again"},
		"expired under a view":             {overView, []error{expired}, 1, 1, "restart"},
		"expired between pages":            {next, []error{expired}, 1, 1, "restart"},
		"expired at logout":                {new(methods.LogoutBody), []error{expired}, 1, 0, "the session has ended"},
		"view of another session":          {overView, []error{wireFault(types.ManagedObjectNotFound{Obj: view})}, 1, 0, "restart"},
		"something else gone":              {overView, []error{wireFault(types.ManagedObjectNotFound{})}, 1, 0, "managed object not found: said the server"},
		"page forgotten":                   {next, []error{wireFault(types.InvalidArgument{})}, 1, 0, "restart"},
		"cut off once":                     {plainRetrieve, []error{cut, nil}, 2, 0, "ok"},
		"cut off for good":                 {plainRetrieve, []error{cut}, 3, 0, "the answer was cut off"},
		"cut off under a view":             {overView, []error{cut}, 3, 0, "restart"},
		"pages are spent, so not repeated": {next, []error{cut}, 1, 0, "restart"},
		"writing is never repeated":        {new(methods.ReconfigVM_TaskBody), []error{cut}, 1, 0, "reconfiguring the virtual machine through vc.example: the answer was cut off"},
		"login is never repeated":          {new(methods.LoginBody), []error{cut}, 1, 0, "logging in to vc.example"},
		"a fault is an answer":             {plainRetrieve, []error{wireFault(types.SystemError{})}, 1, 0, "system error: said the server"},
		"unknown fault":                    {plainRetrieve, []error{wireFault(nil)}, 1, 0, "unknown fault: said the server"},
		"timed out":                        {plainRetrieve, []error{context.DeadlineExceeded}, 1, 0, "no answer within 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			call, script, logins := scripted(c.answers...)
			err := call.RoundTrip(t.Context(), c.req, new(methods.RetrievePropertiesExBody))
			require.Equal(t, c.sent, script.sent)
			require.Equal(t, c.logins, *logins)
			require.Equal(t, c.sent, call.Calls()[methodName(c.req)])
			var again *RestartError
			switch c.want {
			case "ok":
				require.NoError(t, err)
			case "restart":
				require.ErrorAs(t, err, &again)
			default:
				require.ErrorContains(t, err, c.want)
				require.NotErrorAs(t, err, &again)
			}
		})
	}
}

// TestOneLoginForAll: many requests that find the session expired need one new session.
func TestOneLoginForAll(t *testing.T) {
	call, _, logins := scripted(nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { _ = call.renew(t.Context(), false, 0) })
	}
	wg.Wait()
	require.Equal(t, 1, *logins)
}

func TestWaitingForALoginCanBeInterrupted(t *testing.T) {
	call, _, _ := scripted(nil)
	call.loginLock <- struct{}{} // the login of another request hangs
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, call.renew(ctx, false, 0), context.DeadlineExceeded)
}

func TestPauseBetweenRetriesCanBeInterrupted(t *testing.T) {
	call, _, _ := scripted(io.ErrUnexpectedEOF)
	call.firstPause = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	err := call.RoundTrip(ctx, &methods.RetrievePropertiesExBody{Req: &types.RetrievePropertiesEx{}}, new(methods.RetrievePropertiesExBody))
	require.ErrorIs(t, err, context.Canceled)
}

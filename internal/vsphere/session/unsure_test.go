package session

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/tuning"
)

func TestUnsure(t *testing.T) {
	expired := wireFault(types.NotAuthenticated{})
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for name, c := range map[string]struct {
		answers []error
		login   error
		unsure  bool
	}{
		"cut off":                      {answers: []error{io.ErrUnexpectedEOF}, unsure: true},
		"no answer":                    {answers: []error{io.EOF}, unsure: true},
		"no result":                    {answers: []error{errNoResult}, unsure: true},
		"too late":                     {answers: []error{context.DeadlineExceeded}, unsure: true},
		"broken":                       {answers: []error{&net.OpError{Op: "read", Err: syscall.ECONNRESET}}, unsure: true},
		"a proxy gave up":              {answers: []error{&StatusError{Code: 504}}, unsure: true},
		"refused":                      {answers: []error{refused}},
		"nobody there":                 {answers: []error{&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}}},
		"no such name":                 {answers: []error{&net.DNSError{IsNotFound: true}}},
		"no TLS":                       {answers: []error{tls.RecordHeaderError{}}},
		"another certificate":          {answers: []error{&TLSError{Err: io.EOF}}},
		"no value to take":             {answers: []error{wireFault(types.InvalidArgument{})}},
		"no permission":                {answers: []error{wireFault(types.NoPermission{})}},
		"the host is away":             {answers: []error{wireFault(types.HostNotConnected{})}},
		"the host went away":           {answers: []error{wireFault(types.HostCommunication{})}, unsure: true},
		"the host is out of reach":     {answers: []error{wireFault(types.HostNotReachable{})}, unsure: true},
		"the host did not answer":      {answers: []error{wireFault(types.Timedout{})}, unsure: true},
		"expired twice":                {answers: []error{expired}},
		"expired, then no login":       {answers: []error{expired}, login: &ConnectError{Operation: "logging in to", Why: "cut off"}},
		"expired, then cut off":        {answers: []error{expired, io.ErrUnexpectedEOF}, unsure: true},
		"expired, then another answer": {answers: []error{expired, wireFault(types.InvalidArgument{})}},
	} {
		t.Run(name, func(t *testing.T) {
			call, _, _ := scripted(c.answers...)
			if c.login != nil {
				call.login = func(context.Context) error { return c.login }
			}
			err := call.RoundTrip(t.Context(), &methods.UpdateOptionsBody{}, new(methods.UpdateOptionsBody))
			marked := Unsure(t.Context(), err)
			require.Error(t, marked)
			require.ErrorIs(t, marked, err)
			require.Equal(t, c.unsure, errors.Is(marked, tuning.ErrUnsure), "%v", marked)
			require.Equal(t, c.unsure, strings.HasSuffix(marked.Error(), "; the change may have been made anyway"))
			require.Equal(t, marked, Unsure(t.Context(), marked), "once is enough")
		})
	}
	require.NoError(t, Unsure(t.Context(), nil))
}

func TestInterruptedWriteIsUnsure(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	call, _, _ := scripted(io.ErrUnexpectedEOF)
	call.next = cancelling{cancel}
	err := Unsure(ctx, call.RoundTrip(ctx, &methods.UpdateOptionsBody{}, new(methods.UpdateOptionsBody)))
	require.ErrorIs(t, err, tuning.ErrUnsure)
	require.ErrorIs(t, err, context.Canceled)
}

type cancelling struct{ cancel func() }

func (c cancelling) RoundTrip(ctx context.Context, _, _ soap.HasFault) error {
	c.cancel()
	return ctx.Err()
}

// Every method that vperf calls either reads, belongs to the session, or has a description as a write.
func TestEveryWriteHasItsWords(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	require.NoError(t, err)
	session := []string{"Login", "Logout", "GetCurrentTime", "GetServiceContent", "ContinueRetrievePropertiesEx", "CancelRetrievePropertiesEx",
		"CreateContainerView", "DestroyView", "CreateCollectorForEvents", "ReadNextEvents", "RewindCollector", "DestroyCollector", "CreateFilter", "WaitForUpdatesEx", "DestroyPropertyCollector", "FindExtension", "FetchUserPrivilegeOnEntities", "HasPrivilegeOnEntities", "HasPrivilegeOnEntity",
		"ExecuteSimpleCommand"} // the data that a host keeps for a counter client is freed with it
	called := map[string]bool{}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || strings.Contains(f, "vspheretest") {
			continue
		}
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`methods\.(\w+)\(`).FindAllSubmatch(text, -1) {
			called[string(m[1])] = true
		}
	}
	for m := range called {
		if !repeatable(m) && !slices.Contains(session, m) {
			require.NotEmpty(t, writes[m], m)
		}
	}
	for m := range writes {
		require.True(t, called[m], "%s is never called", m)
	}
}

package wire

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// asked is a request as received by the server.
type asked struct {
	header http.Header
	body   string
}

// serve starts a server that gives every request the answer, with a cookie, and records the requests.
func serve(t *testing.T, status int, answer string) (*soap.Client, *[]asked) {
	t.Helper()
	requests := new([]asked)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*requests = append(*requests, asked{r.Header, string(body)})
		http.SetCookie(w, &http.Cookie{Name: soap.SessionCookieName, Value: "the-session", Path: "/"})
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL + "/sdk")
	require.NoError(t, err)
	c := soap.NewClient(u, false)
	c.Namespace, c.Version, c.UserAgent = "urn:vim25", "8.0.3.0", "vperf"
	return c, requests
}

var retrieve = &methods.RetrievePropertiesExBody{Req: &types.RetrievePropertiesEx{
	This: types.ManagedObjectReference{Type: "PropertyCollector", Value: "propertyCollector"},
}}

// Requests are identical whichever client decodes the answers.
func TestRequestsAreTheClients(t *testing.T) {
	c, requests := serve(t, http.StatusOK, props(val(bytesOfOne)))
	want, got := new(methods.RetrievePropertiesExBody), new(methods.RetrievePropertiesExBody)
	for range 2 { // the second one sends the cookie
		require.NoError(t, c.RoundTrip(t.Context(), retrieve, want))
	}
	require.NoError(t, NewClient(c).RoundTrip(t.Context(), retrieve, got))
	require.Equal(t, (*requests)[1], (*requests)[2])
	require.Contains(t, (*requests)[2].header.Get("Cookie"), "the-session")
	require.Len(t, got.Res.Returnval.Objects, 1)
}

func TestNextPage(t *testing.T) {
	answer := strings.ReplaceAll(props(val(bytesOfOne)), "RetrievePropertiesExResponse", "ContinueRetrievePropertiesExResponse")
	c, _ := serve(t, http.StatusOK, answer)
	got := new(methods.ContinueRetrievePropertiesExBody)
	require.NoError(t, NewClient(c).RoundTrip(t.Context(), &methods.ContinueRetrievePropertiesExBody{}, got))
	require.Len(t, got.Res.Returnval.Objects, 1)
}

// TestReadersWaitForTheNextPage: the garbage collector may run between two pages, and must not free the buffer that the next one needs.
func TestReadersWaitForTheNextPage(t *testing.T) {
	followed := props(val(bytesOfOne))
	last := strings.ReplaceAll(strings.Replace(followed, "<token>1</token>", "", 1), "RetrievePropertiesEx", "ContinueRetrievePropertiesEx")
	for _, x := range []struct {
		answer string
		res    soap.HasFault
		waits  int
	}{
		{followed, new(methods.RetrievePropertiesExBody), 1},
		{strings.ReplaceAll(followed, "RetrievePropertiesEx", "ContinueRetrievePropertiesEx"), new(methods.ContinueRetrievePropertiesExBody), 1},
		{last, new(methods.ContinueRetrievePropertiesExBody), 0},
		{head + `<RetrievePropertiesExResponse xmlns="urn:vim25"></RetrievePropertiesExResponse>` + foot, new(methods.RetrievePropertiesExBody), 0},
	} {
		plain, _ := serve(t, http.StatusOK, x.answer)
		c := NewClient(plain)
		for range 2 {
			require.NoError(t, c.RoundTrip(t.Context(), retrieve, x.res))
			require.Len(t, c.paging, x.waits)
		}
	}
}

func TestOtherAnswersAreTheClients(t *testing.T) {
	c, _ := serve(t, http.StatusOK, head+`<CurrentTimeResponse xmlns="urn:vim25"><returnval>2026-11-20T10:11:12Z</returnval></CurrentTimeResponse>`+foot)
	got := new(methods.CurrentTimeBody)
	require.NoError(t, NewClient(c).RoundTrip(t.Context(), &methods.CurrentTimeBody{}, got))
	require.Equal(t, 2026, got.Res.Returnval.Year())
}

func TestFault(t *testing.T) {
	c, _ := serve(t, http.StatusInternalServerError, head+`<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>no</faultstring>`+
		`<detail><InvalidPropertyFault xmlns="urn:vim25" xsi:type="InvalidProperty"><name>config.x</name></InvalidPropertyFault></detail></soapenv:Fault>`+foot)
	err := NewClient(c).RoundTrip(t.Context(), retrieve, new(methods.RetrievePropertiesExBody))
	require.True(t, soap.IsSoapFault(err))
	require.Equal(t, types.InvalidProperty{Name: "config.x"}, soap.ToSoapFault(err).VimFault())
}

package session_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/internal/vsphere/wire"
)

// decoders are calls, one for each decoder of answers, and their answers up to the text of a property.
var decoders = map[string]struct {
	request, response soap.HasFault
	begin             string
}{
	"page of properties": {
		&methods.RetrievePropertiesExBody{Req: &types.RetrievePropertiesEx{}}, new(methods.RetrievePropertiesExBody),
		`<RetrievePropertiesExResponse xmlns="urn:vim25"><returnval><objects><obj type="HostSystem">host-1</obj><propSet><name>name</name><val xsi:type="xsd:string">`,
	},
	"next page": {
		&methods.ContinueRetrievePropertiesExBody{Req: &types.ContinueRetrievePropertiesEx{}}, new(methods.ContinueRetrievePropertiesExBody),
		`<ContinueRetrievePropertiesExResponse xmlns="urn:vim25"><returnval><objects><obj type="HostSystem">host-1</obj><propSet><name>name</name><val xsi:type="xsd:string">`,
	},
	"updates": {
		&methods.WaitForUpdatesExBody{Req: &types.WaitForUpdatesEx{}}, new(methods.WaitForUpdatesExBody),
		`<WaitForUpdatesExResponse xmlns="urn:vim25"><returnval><version>`,
	},
	"counters in CSV": {
		&wire.QueryPerfBody{Req: &wire.QueryPerf{}}, new(wire.QueryPerfBody),
		`<QueryPerfResponse xmlns="urn:vim25"><returnval xsi:type="PerfEntityMetricCSV"><entity type="HostSystem">host-1</entity><sampleInfoCSV>`,
	},
	"Esxtop service": {
		&methods.ExecuteSimpleCommandBody{Req: &types.ExecuteSimpleCommand{}}, new(methods.ExecuteSimpleCommandBody),
		`<ExecuteSimpleCommandResponse xmlns="urn:vim25"><returnval>`,
	},
	"another call": {
		&methods.RetrieveServiceContentBody{Req: &types.RetrieveServiceContent{}}, new(methods.RetrieveServiceContentBody),
		`<RetrieveServiceContentResponse xmlns="urn:vim25"><returnval><about><name>`,
	},
	"fault": {
		&methods.CurrentTimeBody{Req: &types.CurrentTime{}}, new(methods.CurrentTimeBody), `<Fault><faultcode>ServerFaultCode</faultcode><faultstring>`,
	},
}

const beginEnvelope = `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>`

// repeats writes a part until it has written a number of bytes.
func repeats(w io.Writer, part string, total int) {
	block := []byte(strings.Repeat(part, min(1<<20, total)/len(part)))
	for n := 0; n < total; n += len(block) {
		if _, err := w.Write(block); err != nil {
			return // the client has refused it
		}
	}
}

// hostileLimit is the limit of answers in these tests, which do not decode 64 MiB for each case.
const hostileLimit = 8 << 20

// limited answers a session's calls by a function, if there is one, and holds answers to hostileLimit.
func limited(t *testing.T) (*session.Session, *atomic.Pointer[func(http.ResponseWriter)]) {
	t.Helper()
	before := session.SetMaxAnswer(hostileLimit)
	t.Cleanup(func() { session.SetMaxAnswer(before) })
	server := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	s := server.Dial(t)
	var answer atomic.Pointer[func(http.ResponseWriter)]
	server.Tamper(func(w http.ResponseWriter, r *http.Request, _ []byte, next http.Handler) {
		if write := answer.Load(); write != nil {
			(*write)(w)
			return
		}
		next.ServeHTTP(w, r)
	})
	t.Cleanup(func() { answer.Store(nil) })
	return s, &answer
}

// requireBounded requires a short error with some words, and that the call allocates no more than a multiple of the limit.
func requireBounded(t *testing.T, says string, call func() error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := call()
	runtime.ReadMemStats(&after)
	require.ErrorContains(t, err, says)
	require.Less(t, len(err.Error()), 1000)
	if !proof.RaceDetector { // which makes a bytes.Buffer allocate twice when it grows
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(10*hostileLimit))
	}
}

// TestHostileAnswers: a property with a text of 100 MB and elements nested 10,000 or millions deep are errors for every decoder of
// SOAP, and take a limited amount of memory.
func TestHostileAnswers(t *testing.T) {
	proof.NotRaced(t)
	const large, nested = "its answer is larger than 8 MiB, the limit", "its answer has more than 1000 elements inside each other, the limit"
	shapes := map[string]struct {
		part  string
		total int // bytes
		end   string
		says  string
	}{
		"text of 100 MB":     {"a", 100 << 20, "", large},
		"entities of 100 MB": {"&amp;", 100 << 20, "", large},
		"nested 10,000 deep": {"<a>", 30_000, strings.Repeat("</a>", 10_000), nested},
		"nested without end": {"<a>", 100 << 20, "", nested},
		"one long tag":       {"<" + strings.Repeat("a", 1000), 100 << 20, "", " SOAP"},
	}
	s, answer := limited(t)
	for name, d := range decoders {
		for shape, x := range shapes {
			t.Run(name+", "+shape, func(t *testing.T) {
				write := func(w http.ResponseWriter) {
					w.Header().Set("Content-Type", "text/xml")
					_, _ = io.WriteString(w, beginEnvelope+d.begin)
					repeats(w, x.part, x.total)
					_, _ = io.WriteString(w, x.end)
				}
				answer.Store(&write)
				requireBounded(t, x.says, func() error { return s.RoundTrip(t.Context(), d.request, d.response) })
			})
		}
	}
}

// TestHostileRESTAnswers is the same for answers in JSON.
func TestHostileRESTAnswers(t *testing.T) {
	s, answer := limited(t)
	for name, x := range map[string]struct{ begin, part, says string }{
		"text of 100 MB": {`"`, "a", "its answer is larger than 8 MiB, the limit"},
		"lists":          {"", "[", "exceeded max depth"},
		"objects":        {"", `{"value":`, "exceeded max depth"},
	} {
		t.Run(name, func(t *testing.T) {
			write := func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, x.begin)
				repeats(w, x.part, 100<<20)
			}
			answer.Store(&write)
			requireBounded(t, x.says, func() error {
				_, err := s.OpenREST(t.Context())
				return err
			})
		})
	}
}

package measure

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/esxtop"
)

// trips holds requests that should be sent concurrently until all of them have arrived.
type trips struct {
	mu    sync.Mutex
	names []string // of all requests, in order of arrival
	met   chan struct{}
	alone bool // a request waited in vain
}

func (x *trips) handle(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
	x.mu.Lock()
	x.names = append(x.names, vspheretest.RequestName(r, body))
	n := len(x.names)
	if n == coldBefore+coldTogether {
		close(x.met)
	}
	x.mu.Unlock()
	if n > coldBefore && n <= coldBefore+coldTogether {
		x.meet()
	}
	next.ServeHTTP(w, r)
}

// meet waits for long only if a request is missing.
func (x *trips) meet() {
	select {
	case <-x.met:
	case <-time.After(time.Minute):
		x.mu.Lock()
		defer x.mu.Unlock()
		x.alone = true
	}
}

// coldObjects are the exporter's default objects, and NFS volumes, which have names of their own.
var coldObjects = esxtop.ObjectsOf(esxtop.Host, esxtop.PCPU, esxtop.Group, esxtop.World, esxtop.NFS)

// collectCold makes a first collection: connect, read the roster, the counters and the first samples.
func collectCold(tb testing.TB, e session.Endpoint) {
	tb.Helper()
	s, err := session.Dial(tb.Context(), e)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, s.Close(tb.Context())) }()
	roster, err := WatchRoster(tb.Context(), s)
	require.NoError(tb, err)
	source, err := Performance(tb.Context(), roster, roster.Hosts(), PerformanceOptions{
		Request: esxtop.Request{Objects: coldObjects}, EverySample: true,
		Clock: Clock{After: func(time.Duration) <-chan time.Time { c := make(chan time.Time); close(c); return c }},
	})
	require.NoError(tb, err)
	r, err := source.Next(tb.Context())
	require.NoError(tb, err)
	require.NotEmpty(tb, r.Frames)
}

// TestRoundTripsOfAColdCollection requires that independent requests are sent concurrently.
func TestRoundTripsOfAColdCollection(t *testing.T) {
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), nil)
	x := &trips{met: make(chan struct{})}
	s.Tamper(x.handle)
	collectCold(t, s.Endpoint())
	x.mu.Lock()
	defer x.mu.Unlock()
	require.False(t, x.alone, "%d of these do not overlap: %q", coldTogether, x.names)
	require.LessOrEqual(t, len(x.names), coldBefore+coldTogether+coldAfter, "%q", x.names)
}

// Requests for a fleet whose data fits in one answer: two to connect and five for the roster, then clock, counters and NFS
// volumes concurrently, then the samples and the logout.
const (
	coldBefore   = 7
	coldTogether = 3
	coldAfter    = 2
)

// BenchmarkColdCollection measures a first collection of 1,000 VMs, locally and with 20 ms added to each call.
func BenchmarkColdCollection(b *testing.B) {
	for name, delay := range map[string]time.Duration{"near": 0, "20 ms away": 20 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			f, err := simfleet.Start(simfleet.Config{Hosts: 16, VMs: 1000, Before: func(string) bool {
				time.Sleep(delay)
				return false
			}})
			require.NoError(b, err)
			defer f.Close()
			e := f.Endpoints()[0]
			for b.Loop() {
				collectCold(b, session.Endpoint{URL: e.URL, User: e.User, Password: session.Secret(e.Password), CertificatePEM: e.CertificatePEM})
			}
		})
	}
}

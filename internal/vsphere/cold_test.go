package vsphere

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/esxtop"
)

// trips counts how many requests had to wait for one another: the longest row of requests of which each began when the one before
// was answered.
type trips struct {
	mu    sync.Mutex
	done  int
	delay time.Duration
	names []string // of each in its place of the row
}

func (x *trips) handle(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
	x.mu.Lock()
	place := x.done + 1
	if len(x.names) < place {
		x.names = append(x.names, "")
	}
	x.names[place-1] += " " + requestName(r, body)
	x.mu.Unlock()
	time.Sleep(x.delay)
	next.ServeHTTP(w, r)
	x.mu.Lock()
	x.done = max(x.done, place)
	x.mu.Unlock()
}

// coldObjects are what the exporter asks for unless told otherwise, and NFS volumes, which have names of their own.
var coldObjects = esxtop.ObjectsOf(esxtop.Host, esxtop.PCPU, esxtop.Group, esxtop.World, esxtop.NFS)

// collectCold is a first collection: connecting, who is there, the counters, the first samples.
func collectCold(tb testing.TB, e Endpoint) {
	tb.Helper()
	s, err := Dial(tb.Context(), e)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, s.Close(tb.Context())) }()
	roster, err := s.WatchRoster(tb.Context())
	require.NoError(tb, err)
	source, err := s.Performance(tb.Context(), roster, roster.Hosts(), PerformanceOptions{
		Request: esxtop.Request{Objects: coldObjects}, EverySample: true,
		Clock: Clock{After: func(time.Duration) <-chan time.Time { c := make(chan time.Time); close(c); return c }},
	})
	require.NoError(tb, err)
	r, err := source.Next(tb.Context())
	require.NoError(tb, err)
	require.NotEmpty(tb, r.Frames)
}

// TestRoundTripsOfAColdCollection: what can be asked at the same time is.
func TestRoundTripsOfAColdCollection(t *testing.T) {
	s := startSim(t, smallVPX(2), nil)
	x := &trips{delay: 40 * time.Millisecond}
	s.tamper(x.handle)
	for range 5 { // a machine that is busy sends late what could go together
		x.done, x.names = 0, nil
		if collectCold(t, s.endpoint()); len(x.names) <= coldTrips {
			break
		}
	}
	require.LessOrEqual(t, len(x.names), coldTrips, "%q", x.names)
}

// coldTrips are those of a fleet of which all fits in one answer: two of connecting, five of who is there, one of clock, counters and NFS
// volumes together, the samples, and the goodbye.
const coldTrips = 10

// BenchmarkColdCollection of 1,000 VMs, near and with 20 ms added to each call.
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
				collectCold(b, Endpoint{URL: e.URL, User: e.User, Password: Secret(e.Password), CertificatePEM: e.CertificatePEM})
			}
		})
	}
}

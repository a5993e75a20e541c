package session_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/internal/vsphere/wire"
)

// sendSwollen answers 3 KB that unpack to 3 MB.
func sendSwollen(w http.ResponseWriter, kind, begin string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Encoding", "gzip")
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	_, _ = io.WriteString(z, begin)
	part := bytes.Repeat([]byte("a"), 1<<20)
	for range 3 {
		if _, err := z.Write(part); err != nil {
			return // the client has refused it
		}
	}
	_ = z.Close()
}

const beginSOAP = `<?xml version="1.0"?><Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><a>`

// TestAnswersAreLimited: an answer that unpacks to much more than vperf asks for is refused, whichever decoder reads it, and is not
// requested again.
func TestAnswersAreLimited(t *testing.T) {
	before := session.SetMaxAnswer(2 << 20)
	t.Cleanup(func() { session.SetMaxAnswer(before) })
	require.EqualValues(t, 64<<20, before)
	for name, ask := range map[string]func(context.Context, *session.Session) error{
		"properties": func(ctx context.Context, s *session.Session) error {
			_, err := measure.ReadRoster(ctx, s)
			return err
		},
		"counters": func(ctx context.Context, s *session.Session) error {
			return s.RoundTrip(ctx, &wire.QueryPerfBody{Req: &wire.QueryPerf{}}, new(wire.QueryPerfBody))
		},
		"other calls": func(ctx context.Context, s *session.Session) error {
			_, err := methods.CurrentTime(ctx, s, &types.CurrentTime{This: types.ManagedObjectReference{Type: "ServiceInstance", Value: "ServiceInstance"}})
			return err
		},
		"REST": func(ctx context.Context, s *session.Session) error {
			_, err := s.OpenREST(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
			s := server.Dial(t)
			var swells atomic.Bool
			var sent atomic.Int32
			server.Tamper(func(w http.ResponseWriter, r *http.Request, _ []byte, next http.Handler) {
				if !swells.Load() {
					next.ServeHTTP(w, r)
					return
				}
				sent.Add(1)
				if strings.HasPrefix(r.URL.Path, "/sdk") {
					sendSwollen(w, "text/xml", beginSOAP)
					return
				}
				sendSwollen(w, "application/json", `"`)
			})
			swells.Store(true)
			err := ask(t.Context(), s)
			require.ErrorContains(t, err, "its answer is larger than 2 MiB, the limit")
			require.EqualValues(t, 1, sent.Load())
			swells.Store(false)
		})
	}
	_, err := session.Dial(t.Context(), stub(t, func(w http.ResponseWriter, _ *http.Request) { sendSwollen(w, "text/xml", beginSOAP) }))
	require.ErrorContains(t, err, "its answer is larger than 2 MiB, the limit")
}

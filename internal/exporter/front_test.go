package exporter

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// front is a proxy before the stage's vCenter, which answers instead of it if a test asks for that.
type front struct {
	*stage
	*faulty.Proxy

	limit  time.Duration // of a call; 0: the usual one
	tamper atomic.Pointer[tamper]
	called atomic.Pointer[strings.Replacer] // of words in answers; nil: they stay
}

// tamper sees a call, and reports whether it has answered it.
type tamper func(w http.ResponseWriter, r *http.Request, body []byte) bool

func (s *stage) behind(t *testing.T) *front {
	t.Helper()
	f := &front{stage: s}
	f.Proxy = faulty.New(t, s.fleet.URL(), faulty.Hooks{
		Serve: func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			does := f.tamper.Load()
			return does != nil && (*does)(w, r, body)
		},
		Answer: func(_, answer []byte) []byte {
			if words := f.called.Load(); words != nil {
				return []byte(words.Replace(string(answer)))
			}
			return answer
		},
	})
	t.Cleanup(func() { f.does(nil) })
	return f
}

// does has calls tampered with until it is called with nil.
func (f *front) does(what tamper) {
	if what == nil {
		f.tamper.Store(nil)
		return
	}
	f.tamper.Store(&what)
}

func (f *front) dial(ctx context.Context) (*session.Session, error) {
	return session.Dial(ctx, session.Endpoint{
		URL: f.URL, User: f.fleet.User(), Password: session.Secret(f.fleet.Password()), CertificatePEM: f.Certificate,
		RetryPause: time.Millisecond, CallTimeout: f.limit,
	})
}

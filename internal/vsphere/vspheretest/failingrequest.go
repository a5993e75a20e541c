package vspheretest

import (
	"net/http"
	"strings"
	"sync"
)

// FailingRequest makes the nth request after Arm fail.
type FailingRequest struct {
	mu        sync.Mutex
	remaining int // requests until the failure; 0 is unarmed
	OnFail    func(w http.ResponseWriter, r *http.Request, next http.Handler)
	Failed    string // the request that failed
	dead      string // cookie of the ended session
}

// Arm makes the nth request from now fail. It resets Struck.
func (x *FailingRequest) Arm(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remaining, x.Failed, x.dead = n, "", ""
}

// Handle passes a request on to next. The chosen request goes to Strike instead; if Strike is nil, it and all later requests of
// its session reach next without their session cookie, as if the session had ended.
func (x *FailingRequest) Handle(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
	x.mu.Lock()
	x.remaining--
	now := x.remaining == 0
	if now {
		_, rest, _ := strings.Cut(string(body), "<Body>")
		if _, b, ok := strings.Cut(string(body), "Body>"); ok {
			rest = b
		}
		x.Failed, _, _ = strings.Cut(strings.TrimPrefix(rest, "<"), " ")
		if c, err := r.Cookie("vmware_soap_session"); err == nil {
			x.dead = c.Value
		}
	}
	dead := x.dead
	x.mu.Unlock()
	if c, err := r.Cookie("vmware_soap_session"); err == nil && c.Value == dead && dead != "" && x.OnFail == nil {
		r.Header.Del("Cookie") // the simulator then treats the session as unknown
	}
	if now && x.OnFail != nil {
		x.OnFail(w, r, next)
		return
	}
	next.ServeHTTP(w, r)
}

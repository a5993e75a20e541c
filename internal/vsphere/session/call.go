package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25/soap"
)

// call sends every request. It implements deadlines, counting, retries, re-login and error messages.
type call struct {
	next     soap.RoundTripper
	host     string // the name used in errors
	user     string
	timeout  time.Duration
	timeouts map[string]time.Duration    // by method, in tests
	login    func(context.Context) error // opens a new session; nil until the first one is open

	trace      func(Call)    // hears of every attempt
	firstPause time.Duration // before the first retry; the next one is four times as long

	mu     sync.Mutex
	meters map[string]*meter // by method
	damage []string          // what could not be decoded; the first ones
	lost   []string          // what is incomplete for that reason; the first ones

	loginLock chan struct{} // full while one request logs in and all others wait
	session   atomic.Int64  // the number of logins
	sent      atomic.Int64  // the number of requests in flight, without the one that holds turn
	refused   error         // the error for a refused password; trying again could lock the account
}

func newCall(next soap.RoundTripper, e Endpoint) *call {
	return &call{
		next: next, trace: func(Call) {}, host: e.URL.Host, user: e.User, timeout: e.CallTimeout, timeouts: limitsForTest,
		firstPause: cmp.Or(e.RetryPause, defaultRetryPause), meters: map[string]*meter{}, loginLock: make(chan struct{}, 1),
	}
}

func (c *call) lockLogin(ctx context.Context, method string) error {
	select {
	case c.loginLock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return c.interrupted(ctx, method)
	}
}

func (c *call) unlockLogin() { <-c.loginLock }

// quickCall is the deadline of calls that any server answers immediately, so that a hung call is detected soon.
const quickCall = 20 * time.Second

func (c *call) limit(method string) time.Duration {
	if d, given := c.timeouts[method]; given {
		return d
	}
	switch method {
	case "RetrieveServiceContent", "CurrentTime", "Login", restLogin:
		return min(c.timeout, quickCall)
	}
	return c.timeout
}

func (c *call) interrupted(ctx context.Context, method string) error {
	return fmt.Errorf("%s %s: %w", Describe(method), c.host, context.Cause(ctx))
}

func (c *call) meter(method string) *meter {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.meters[method]
	if m == nil {
		m = new(meter)
		c.meters[method] = m
	}
	return m
}

// mostDamage is how many descriptions of damage a session keeps.
const mostDamage = 20

// note remembers what could not be decoded, once.
func (c *call) note(list *[]string, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(*list) < mostDamage && !slices.Contains(*list, what) {
		*list = append(*list, what)
	}
}

func (c *call) costs() map[string]Cost {
	c.mu.Lock()
	defer c.mu.Unlock()
	costs := make(map[string]Cost, len(c.meters))
	for method, m := range c.meters {
		costs[method] = m.cost()
	}
	return costs
}

// Calls returns the number of requests by method, including retries.
func (c *call) Calls() map[string]int {
	counts := map[string]int{}
	for method, cost := range c.costs() {
		counts[method] = cost.Calls
	}
	return counts
}

// The names under which REST requests are counted.
const (
	restLogin     = "REST login"
	restLogout    = "REST logout"
	RESTTags      = "REST tags"
	RESTLibraries = "REST libraries"
	RESTProfiles  = "REST configuration profiles"
)

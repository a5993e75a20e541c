package guard

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// PanicGuard releases the lock of an object whose handler panicked.
//
// govmomi v0.56.0 simulator: it holds the lock for ever, and the next caller of the object waits.
//
// The lock belongs to the simulator's context of the call, which the HTTP side does not see. They are matched by the session
// cookie: each request carries a number in it, and the hook that reads the cookie gets the number and the context.
type PanicGuard struct {
	last      atomic.Int64
	byNumber  sync.Map                  // string → *flight
	byContext sync.Map                  // *simulator.Context → *flight
	Alive     func(session string) bool // counts a call of a session and reports whether it may make more
	seen      sync.Map                  // ids of sessions
	ended     sync.Map                  // sessions that have ended
	After     func(method string)
}

// request is one request in progress.
type request struct {
	ctx          *simulator.Context
	target       types.ManagedObjectReference
	method       string          // "" if it is not a SOAP call
	disconnected <-chan struct{} // closed when the client disconnects
}

const numberMark = "~"

// Serve handles each request under its number, and answers if a handler panics.
func (c *PanicGuard) Serve(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number := strconv.FormatInt(c.last.Add(1), 10)
		f := &request{disconnected: r.Context().Done()}
		c.byNumber.Store(number, f)
		defer c.land(w, number)
		value := ""
		if old, err := r.Cookie(soap.SessionCookieName); err == nil {
			value = old.Value
		}
		r.Header.Set("Cookie", soap.SessionCookieName+"="+value+numberMark+number)
		if c.After != nil {
			c.answered(next, w, r, f)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// answered handles a request completely, calls the test's hook, and only then sends the answer.
func (c *PanicGuard) answered(next http.Handler, w http.ResponseWriter, r *http.Request, f *request) {
	kept := &keptAnswer{ResponseWriter: w, status: http.StatusOK}
	next.ServeHTTP(kept, r)
	if f.method != "" {
		c.After(f.method)
	}
	w.WriteHeader(kept.status)
	_, _ = w.Write(kept.body.Bytes())
}

// keptAnswer buffers an answer.
type keptAnswer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader stores the status.
func (a *keptAnswer) WriteHeader(status int) { a.status = status }

// Write appends to the body.
func (a *keptAnswer) Write(b []byte) (int, error) { return a.body.Write(b) }

// Cookie is the registry's hook that returns the session's id.
func (c *PanicGuard) Cookie(ctx *simulator.Context) string {
	value := simulator.HTTPCookie(ctx)
	at := strings.LastIndex(value, numberMark)
	if at < 0 {
		return value
	}
	if f, ok := c.byNumber.Load(value[at+1:]); ok {
		f.(*request).ctx = ctx
		c.byContext.Store(ctx, f)
	}
	id := value[:at]
	c.seen.Store(id, true)
	if _, ended := c.ended.Load(id); ended || !c.Alive(id) {
		return ""
	}
	return id
}

// EndSessions ends all sessions.
func (c *PanicGuard) EndSessions() {
	c.seen.Range(func(id, _ any) bool {
		if id != "" { // of clients that are logging in
			c.ended.Store(id, true)
		}
		return true
	})
}

// Note records the object and the name of a call.
func (c *PanicGuard) Note(ctx *simulator.Context, method *simulator.Method, name string) {
	if f, ok := c.byContext.Load(ctx); ok {
		f.(*request).target, f.(*request).method = method.This, name
	}
}

// Disconnected returns a channel that is closed when the client of a call disconnects.
func (c *PanicGuard) Disconnected(ctx *simulator.Context) <-chan struct{} {
	if f, ok := c.byContext.Load(ctx); ok {
		return f.(*request).disconnected
	}
	return nil
}

func (c *PanicGuard) land(w http.ResponseWriter, number string) {
	found, _ := c.byNumber.LoadAndDelete(number)
	f := found.(*request)
	if f.ctx != nil {
		c.byContext.Delete(f.ctx)
	}
	switch cause := recover(); cause {
	case nil:
	case http.ErrAbortHandler: // a connection to be dropped
		panic(cause)
	default:
		f.release()
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, systemError)
	}
}

// release releases all that the call still holds of its object's lock. It takes the lock once more, which the same context may,
// and unlocks until the registry reports that nothing is held.
func (f *request) release() {
	if f.ctx == nil || f.target.Value == "" {
		return
	}
	if _, own := f.ctx.Map.Get(f.target).(sync.Locker); own {
		return // it does not use the registry's locks
	}
	defer func() { _ = recover() }()
	unlock := f.ctx.Map.AcquireLock(f.ctx, f.target)
	for {
		unlock()
	}
}

// Tasks keeps panics of tasks from ending the process. It is a listener to a server's registry.
//
// govmomi v0.56.0 simulator: a task runs in a goroutine of its own, whose panic ends the process.
type Tasks struct{ world.Listener }

// NewTasks returns a listener that the caller adds to the server's registry.
func NewTasks() *Tasks { return &Tasks{world.Listener{Name: "tasks"}} }

// PutObject is called before a new task runs.
func (*Tasks) PutObject(_ *simulator.Context, obj mo.Reference) {
	task, ok := obj.(*simulator.Task)
	if !ok {
		return
	}
	run := task.Execute
	task.Execute = func(t *simulator.Task) (result types.AnyType, fault types.BaseMethodFault) {
		defer func() {
			if recover() != nil {
				fault = &types.SystemError{Reason: "the simulator could not handle the request"}
			}
		}()
		return run(t)
	}
}

// UpdateObject ignores changes.
func (*Tasks) UpdateObject(*simulator.Context, mo.Reference, []types.PropertyChange) {}

const systemError = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>A general system error occurred: the simulator could not handle the request</faultstring>
<detail><SystemErrorFault xmlns="urn:vim25" xsi:type="SystemErrorFault"><reason>the simulator could not handle the request</reason></SystemErrorFault></detail>
</soapenv:Fault></soapenv:Body></soapenv:Envelope>
`

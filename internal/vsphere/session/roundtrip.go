package session

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

const maxRetries = 2

// maxRenewals is how often one request logs in again. The first time it repeats its call beside all others. If they use up the new
// session, which then lasts for a few calls only, it keeps the turn, and they wait until it has its answer.
const maxRenewals = 4

// RestartError is a request that failed in a way that repeating it cannot heal, since it names something that is
// gone: a view or a page of a session that is over. Whoever began the retrieval can begin again.
type RestartError struct{ Cause error }

func (e *RestartError) Error() string { return e.Cause.Error() }

func (e *RestartError) Unwrap() error { return e.Cause }

// RoundTrip implements soap.RoundTripper.
func (c *call) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	method := methodName(req)
	x := &exchange{call: c, method: method, req: req, inTurn: method == "Login"} // the request that logs in again has the turn already
	defer x.release()
	for {
		session, err := c.attempt(ctx, x.inTurn, method, req, res)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return c.interrupted(ctx, method)
		}
		if again, err := x.heal(ctx, session, err); !again {
			return err
		}
	}
}

// exchange is one request and what was done so far to have it answered.
type exchange struct {
	*call
	method string
	req    soap.HasFault

	inTurn            bool // it has the turn
	took              bool // and gives it back
	alone             bool // no other request will have used the session that it is repeated in
	retries, renewals int
}

func (x *exchange) release() {
	if x.took {
		x.endTurn()
	}
}

// heal does what makes it worth to send the request again after err. If nothing does, it returns the error of the request.
func (x *exchange) heal(ctx context.Context, session int64, err error) (again bool, _ error) {
	switch {
	case x.expired(x.method, err) && x.renewals < maxRenewals && !x.alone:
		return x.reopen(ctx, session, err)
	case x.retries < maxRetries && repeatable(x.method) && Transient(err):
		x.retries++
		if Pause(ctx, x.firstPause<<(2*(x.retries-1))) != nil {
			return false, x.interrupted(ctx, x.method)
		}
		return true, nil
	case bound(x.req) && lostAtServer(x.method, err):
		return false, &RestartError{err}
	}
	return false, err
}

// reopen logs in again. A request that names something of the old session is not repeated.
func (x *exchange) reopen(ctx context.Context, session int64, expired error) (again bool, _ error) {
	if x.renewals++; x.renewals == 2 {
		if err := x.takeTurn(ctx, x.method); err != nil {
			return false, err
		}
		x.took, x.inTurn = true, true
	}
	x.alone = x.inTurn && x.sent.Load() == 0 && x.session.Load() == session
	if err := x.renew(ctx, x.inTurn, session); err != nil {
		return false, err
	}
	if bound(x.req) {
		return false, &RestartError{expired}
	}
	return true, nil
}

// lostAtServer reports that what a request names may be gone, so that only beginning again helps.
func lostAtServer(method string, err error) bool {
	return Transient(err) && !watches(method) || keptGone(err) || pageGone(method, err)
}

// attempt sends a request once and returns the session that it was sent in, or an earlier one. It waits while another request has
// the turn.
func (c *call) attempt(ctx context.Context, inTurn bool, method string, req, res soap.HasFault) (session int64, err error) {
	if !inTurn {
		if err := c.takeTurn(ctx, method); err != nil {
			return 0, err
		}
		c.sent.Add(1)
		defer c.sent.Add(-1)
		c.endTurn()
	}
	session = c.session.Load()
	return session, c.once(ctx, method, req, res)
}

// once is one attempt. The answer is emptied first: what an attempt that failed half way left there would be added to.
func (c *call) once(ctx context.Context, method string, req, res soap.HasFault) error {
	reflect.ValueOf(res).Elem().SetZero()
	return c.measure(ctx, method, func(ctx context.Context) error { return c.next.RoundTrip(ctx, req, res) })
}

// measure bounds a request and counts what it costs.
func (c *call) measure(ctx context.Context, method string, do func(context.Context) error) error {
	cost := &spending{meter: c.meter(method)}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, spendingKey{}, cost), c.limit(method))
	defer cancel()
	began := cost.meter.begin()
	err := c.explain(method, do(ctx))
	took := time.Since(began)
	cost.meter.end(took, err)
	c.trace(Call{Host: c.host, Method: method, Took: took, Sent: cost.sent.Load(), Received: cost.received.Load(), Err: err})
	return err
}

func (c *call) expired(method string, err error) bool {
	return c.login != nil && method != "Login" && method != "Logout" && method != "DestroyPropertyCollector" && Expired(err)
}

// Expired reports the fault of a session that timed out or was ended by an administrator.
func Expired(err error) bool {
	var over *ExpiredError
	return errors.As(err, &over)
}

// renew logs in again unless another request did so since session. A server may refuse who is logged in already.
func (c *call) renew(ctx context.Context, inTurn bool, session int64) error {
	if !inTurn {
		if err := c.takeTurn(ctx, "Login"); err != nil {
			return err
		}
		defer c.endTurn()
	}
	if c.session.Load() != session {
		return nil
	}
	if c.refused != nil {
		return c.refused
	}
	if err := c.login(ctx); err != nil {
		err = fmt.Errorf("the session has expired: %w", err)
		if _, wrong := errors.AsType[*LoginError](err); wrong {
			c.refused = err
		}
		return err
	}
	c.session.Add(1)
	return nil
}

// Transient reports whether a request failed on its way to the server and back for a cause that may pass, so that repeating it may
// help. A SOAP fault is never transient.
func Transient(err error) bool {
	var e *ConnectError
	return errors.As(err, &e) && e.transient
}

// keptGone reports that what the server keeps for a session is not known, as servers say to a session that is not the one that
// made it: a view, or a collector, or the version of what it told last.
func keptGone(err error) bool {
	switch f := FaultOf(err).(type) {
	case *types.ManagedObjectNotFound:
		return isView(f.Obj) || f.Obj.Type == "PropertyCollector" || f.Obj.Type == "PropertyFilter"
	case *types.InvalidCollectorVersion:
		return true
	}
	return false
}

// watches reports the call that tells of changes. One that broke may be repeated by whoever knows which change came last.
func watches(method string) bool { return method == "WaitForUpdatesEx" }

// pageGone reports a next page that the server refuses to give: it forgets pages when it restarts or runs out of room.
func pageGone(method string, err error) bool {
	return method == "ContinueRetrievePropertiesEx" && FaultOf(err) != nil
}

func isView(ref types.ManagedObjectReference) bool { return strings.HasSuffix(ref.Type, "View") }

// methodName is RetrievePropertiesEx for *methods.RetrievePropertiesExBody.
func methodName(req soap.HasFault) string {
	return strings.TrimSuffix(reflect.TypeOf(req).Elem().Name(), "Body")
}

// repeatable requests change nothing, or nothing that outlives the session.
func repeatable(method string) bool {
	return strings.HasPrefix(method, "Retrieve") || strings.HasPrefix(method, "Query") ||
		method == "CurrentTime" || method == "CreateContainerView" || method == "CreatePropertyCollector"
}

// bound requests name something that lives in one session only: a view, the next page of a retrieval, or a collector.
func bound(req soap.HasFault) bool {
	switch r := req.(type) {
	case *methods.ContinueRetrievePropertiesExBody, *methods.CancelRetrievePropertiesExBody, *methods.DestroyViewBody,
		*methods.CreateFilterBody, *methods.WaitForUpdatesExBody, *methods.DestroyPropertyCollectorBody:
		return true
	case *methods.RetrievePropertiesExBody:
		for _, spec := range r.Req.SpecSet {
			for _, o := range spec.ObjectSet {
				if isView(o.Obj) {
					return true
				}
			}
		}
	}
	return false
}

// Pause waits, unless ctx ends first.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

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

// maxRenewals is how often one request logs in again. After the first login it repeats its call concurrently with all others. If
// they use up the new session, which then lasts for a few calls only, it keeps the turn, and the others wait until it has its
// answer.
const maxRenewals = 4

// RestartError reports a failed request that a retry cannot repair, because it refers to an object that is gone: a view or a page
// of an expired session. The caller can start the retrieval again.
type RestartError struct{ Cause error }

func (e *RestartError) Error() string { return e.Cause.Error() }

func (e *RestartError) Unwrap() error { return e.Cause }

// RoundTrip implements soap.RoundTripper.
func (c *call) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	method := methodName(req)
	x := &exchange{call: c, method: method, req: req, holdsLock: method == "Login"} // the request that logs in again already has the turn
	defer x.release()
	var before error // of the attempt before
	for {
		session, err := c.attempt(ctx, x.holdsLock, method, req, res)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			c.noteUndecodable(before)
			return c.interrupted(ctx, method)
		}
		before = err
		if again, err := x.prepareRetry(ctx, session, err); !again {
			return err
		}
	}
}

// noteUndecodable remembers an answer that cannot be decoded if no attempt after it could be completed: a short limit must not hide it.
func (c *call) noteUndecodable(err error) {
	if Undecodable(err) {
		c.note(&c.lost, err.Error())
	}
}

// exchange is one request and the state of its retries.
type exchange struct {
	*call
	method string
	req    soap.HasFault

	holdsLock         bool // it has the turn
	tookLock          bool // it took the turn and returns it
	onlyInSession     bool // no other request will have used the session in which it is repeated
	retries, renewals int
}

func (x *exchange) release() {
	if x.tookLock {
		x.unlockLogin()
	}
}

// prepareRetry does what is needed before the request can be sent again after err. If a retry makes no sense, it returns the request's
// error.
func (x *exchange) prepareRetry(ctx context.Context, session int64, err error) (again bool, _ error) {
	switch {
	case x.expired(x.method, err) && x.renewals < maxRenewals && !x.onlyInSession:
		return x.reopen(ctx, session, err)
	case x.retries < maxRetries && repeatable(x.method) && Transient(err):
		x.retries++
		if Pause(ctx, x.firstPause<<(2*(x.retries-1))) != nil {
			x.noteUndecodable(err)
			return false, x.interrupted(ctx, x.method)
		}
		return true, nil
	case bound(x.req) && objectGone(x.method, err):
		return false, &RestartError{err}
	}
	return false, err
}

// reopen logs in again. A request that refers to an object of the old session is not repeated.
func (x *exchange) reopen(ctx context.Context, session int64, expired error) (again bool, _ error) {
	if x.renewals++; x.renewals == 2 {
		if err := x.lockLogin(ctx, x.method); err != nil {
			return false, err
		}
		x.tookLock, x.holdsLock = true, true
	}
	x.onlyInSession = x.holdsLock && x.sent.Load() == 0 && x.session.Load() == session
	if err := x.renew(ctx, x.holdsLock, session); err != nil {
		return false, err
	}
	if bound(x.req) {
		return false, &RestartError{expired}
	}
	return true, nil
}

// objectGone reports whether the object that a request refers to may be gone, so that the retrieval has to start again.
func objectGone(method string, err error) bool {
	return Transient(err) && !watches(method) || sessionObjectGone(err) || pageExpired(method, err)
}

// attempt sends a request once and returns the session in which it was sent, or an earlier one. It waits while another request
// has the turn.
func (c *call) attempt(ctx context.Context, inTurn bool, method string, req, res soap.HasFault) (session int64, err error) {
	if !inTurn {
		if err := c.lockLogin(ctx, method); err != nil {
			return 0, err
		}
		c.sent.Add(1)
		defer c.sent.Add(-1)
		c.unlockLogin()
	}
	session = c.session.Load()
	return session, c.once(ctx, method, req, res)
}

// once makes one attempt. It resets the answer first, because a failed attempt may have left parts in it.
func (c *call) once(ctx context.Context, method string, req, res soap.HasFault) error {
	reflect.ValueOf(res).Elem().SetZero()
	return c.measure(ctx, method, func(ctx context.Context) error { return c.next.RoundTrip(ctx, req, res) })
}

// measure sets a request's deadline and counts its cost.
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

// Expired reports the fault of a session that timed out or was terminated by an administrator.
func Expired(err error) bool {
	var over *ExpiredError
	return errors.As(err, &over)
}

// renew logs in again unless another request has done so since session. A server may refuse a login in an open session.
func (c *call) renew(ctx context.Context, inTurn bool, session int64) error {
	if !inTurn {
		if err := c.lockLogin(ctx, "Login"); err != nil {
			return err
		}
		defer c.unlockLogin()
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

// Transient reports whether a request failed in transit for a temporary cause, so that a retry may succeed. A SOAP fault is never
// transient.
func Transient(err error) bool {
	var e *ConnectError
	return errors.As(err, &e) && e.transient
}

// sessionObjectGone reports that the server does not know an object of the session, such as a view, a collector, or the version of its
// last update. Servers say so to a session that did not create it.
func sessionObjectGone(err error) bool {
	switch f := FaultOf(err).(type) {
	case *types.ManagedObjectNotFound:
		return isView(f.Obj) || f.Obj.Type == "PropertyCollector" || f.Obj.Type == "PropertyFilter"
	case *types.InvalidCollectorVersion:
		return true
	}
	return false
}

// watches reports the call that returns changes. After a broken connection a caller that knows the last version may repeat it.
func watches(method string) bool { return method == "WaitForUpdatesEx" }

// pageExpired reports that the server refuses to return a next page: it forgets pages when it restarts or runs out of memory.
func pageExpired(method string, err error) bool {
	return method == "ContinueRetrievePropertiesEx" && FaultOf(err) != nil
}

func isView(ref types.ManagedObjectReference) bool { return strings.HasSuffix(ref.Type, "View") }

// methodName returns RetrievePropertiesEx for *methods.RetrievePropertiesExBody.
func methodName(req soap.HasFault) string {
	return strings.TrimSuffix(reflect.TypeOf(req).Elem().Name(), "Body")
}

// repeatable reports requests that change nothing, or nothing that outlives the session.
func repeatable(method string) bool {
	return strings.HasPrefix(method, "Retrieve") || strings.HasPrefix(method, "Query") ||
		method == "CurrentTime" || method == "CreateContainerView" || method == "CreatePropertyCollector"
}

// bound reports requests that refer to an object of one session: a view, the next page of a retrieval, or a collector.
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

package session

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/tuning"
)

// UnsureError is a write that nobody answered: it may have been done.
type UnsureError struct{ Cause error }

func (e *UnsureError) Error() string { return e.Cause.Error() + "; it may have been done all the same" }

// Unwrap is what went wrong, and what to make of it.
func (e *UnsureError) Unwrap() []error { return []error{e.Cause, tuning.ErrUnsure} }

// Unsure marks the error of a write that may have had its effect: every writer hands the error of its call to it. Writes
// are never repeated (see repeatable), so looking at what is there now is the only way to find out.
func Unsure(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, tuning.ErrUnsure) || !mayBeDone(ctx, err) {
		return err
	}
	return &UnsureError{err}
}

// mayBeDone tells an answer, which is a fault of the request, from the loss of one. A server that lost the host on its way
// does not know either.
func mayBeDone(ctx context.Context, err error) bool {
	switch FaultOf(err).(type) {
	case nil:
	case *types.HostCommunication, *types.HostNotReachable, *types.Timedout, *types.RequestCanceled:
		return true
	default:
		return false
	}
	if broken, ok := errors.AsType[*ConnectError](err); ok {
		return broken.sent
	}
	return ctx.Err() != nil
}

// maySent reports whether a request that failed on its way could have reached the server. A login that did changes nothing.
func maySent(method string, err error) bool {
	var (
		record tls.RecordHeaderError
		dns    *net.DNSError
		op     *net.OpError
	)
	switch {
	case method == "Login", errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &dns), errors.Is(err, syscall.ECONNREFUSED):
		return false
	}
	return !errors.As(err, &op) || op.Op != "dial"
}

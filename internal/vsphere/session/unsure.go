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

// UnsureError reports a write without an answer: it may have taken effect.
type UnsureError struct{ Cause error }

func (e *UnsureError) Error() string {
	return e.Cause.Error() + "; the change may have been made anyway"
}

// Unwrap returns the cause, and tuning.ErrUnsure.
func (e *UnsureError) Unwrap() []error { return []error{e.Cause, tuning.ErrUnsure} }

// Unsure marks the error of a write that may have taken effect: every writer passes the error of its call to it. Writes are never
// repeated (see repeatable), so the only way to find out is to read the current state.
func Unsure(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, tuning.ErrUnsure) || !mayBeDone(ctx, err) {
		return err
	}
	return &UnsureError{err}
}

// mayBeDone distinguishes a lost answer from a fault about the request. A vCenter that lost its host in between does not know the
// outcome either.
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

// maySent reports whether a failed request could have reached the server. A login changes nothing even if it did.
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

package measure

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// hidden reports whether err means that an object is gone or that the user may not see it.
func hidden(err error, o ref) bool {
	if gone, ok := session.FaultOf(err).(*types.ManagedObjectNotFound); ok {
		return gone.Obj == o
	}
	denied, ok := errors.AsType[*session.PermissionError](err)
	return ok && denied.Object == o.String()
}

// argument reports whether the server does not accept this part of a query.
func argument(err error, name string) bool {
	f, ok := session.FaultOf(err).(*types.InvalidArgument)
	return ok && strings.HasSuffix(f.InvalidProperty, name)
}

// tooLarge reports whether the query or its answer is too large for the server or for vperf.
func tooLarge(err error) bool {
	if _, ok := errors.AsType[*session.AnswerSizeError](err); ok {
		return true
	}
	if status, ok := errors.AsType[*session.StatusError](err); ok {
		return status.Code == http.StatusRequestEntityTooLarge
	}
	return argument(err, "querySpec.size") || argument(err, "querySpec") || session.IsFault[*types.LimitExceeded](session.FaultOf(err))
}

// refused reports an answer that refuses the query or an object in it.
func refused(err error) bool {
	_, ok := errors.AsType[*session.ServerError](err)
	return ok
}

// slowError is a call that took too long.
type slowError struct{ after time.Duration }

func (e *slowError) Error() string { return session.TimeoutWords(e.after) }
func (e *slowError) Unwrap() error { return context.DeadlineExceeded }

// patiently returns a context with the given time limit.
func patiently(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, &slowError{limit})
}

func isSlow(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

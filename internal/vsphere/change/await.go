package change

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/tuning"
)

// lateError reports that an operation exceeded its time limit.
type lateError struct{ limit time.Duration }

func (e *lateError) Error() string { return "it did not finish within " + e.limit.String() }

// isLate reports whether err means that a time limit ran out: one of vperf's own, or the server's for the same operation.
func isLate(err error) bool {
	_, ours := errors.AsType[*lateError](err)
	return ours || session.IsFault[*types.Timedout](session.FaultOf(err))
}

// await waits until a task has ended and returns its error, as the method that started it would. When the limit runs out or ctx
// ends, await cancels the task and waits until the cancellation is done, so that nothing continues in the background. A task that
// succeeds despite the cancellation is not an error. A task whose end was not observed may have taken effect.
func (s *estate) await(ctx context.Context, method string, task ref, limit time.Duration) error {
	bounded, done := context.WithTimeoutCause(ctx, limit, &lateError{limit})
	defer done()
	err := s.ended(bounded, method, task)
	if bounded.Err() == nil {
		return err
	}
	because := fmt.Errorf("%s %s: %w", session.Describe(method), s.Host(), context.Cause(bounded))
	after, stop := context.WithTimeout(context.WithoutCancel(ctx), s.limits.cancel)
	defer stop()
	_, refused := methods.CancelTask(after, s, &types.CancelTask{This: task})
	switch end := s.ended(after, method, task); {
	case end == nil:
		return nil
	case after.Err() != nil && refused != nil:
		return &session.UnsureError{Cause: fmt.Errorf("%w; the task continues, because it could not be cancelled: %s", because, session.Cause(refused))}
	case after.Err() != nil:
		return &session.UnsureError{Cause: fmt.Errorf("%w; its cancellation has not finished", because)}
	case session.IsFault[*types.RequestCanceled](session.FaultOf(end)): // the cancellation worked
		return because
	case errors.Is(end, tuning.ErrUnsure):
		return &session.UnsureError{Cause: because}
	}
	return because
}

// ended polls a task until it has ended. A broken connection in between says nothing about the task.
func (s *estate) ended(ctx context.Context, method string, task ref) error {
	return s.until(ctx, func() (bool, error) {
		p, err := s.object(ctx, task, "info.state", "info.error")
		switch {
		case session.Transient(err):
			return false, nil
		case err != nil:
			return true, &session.UnsureError{Cause: err}
		}
		state, known := property.Read(p, "info.state", property.Text, property.Required).Value()
		switch {
		case !known:
			return true, &session.UnsureError{Cause: fmt.Errorf("%s %s: the server does not show its task", session.Describe(method), s.Host())}
		case state == string(types.TaskInfoStateError):
			fault, _ := property.Read(p, "info.error", property.As[types.LocalizedMethodFault], property.Required).Value()
			return true, session.Unsure(ctx, s.Explain(method, fault.Fault, fault.LocalizedMessage))
		}
		return state == string(types.TaskInfoStateSuccess), nil
	})
}

// until calls look repeatedly, quickly at first, until it is done or fails, or ctx ends.
func (s *estate) until(ctx context.Context, check func() (done bool, err error)) error {
	for wait := s.limits.poll / 64; ; wait = min(2*wait, s.limits.poll) {
		done, err := check()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case done:
			return err
		case session.Pause(ctx, wait) != nil:
			return context.Cause(ctx)
		}
	}
}

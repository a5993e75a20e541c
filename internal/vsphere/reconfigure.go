package vsphere

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/tuning"
)

// reconfigure makes the changes of an edit in one task, and waits for its end. The server refuses them when the VM was
// changed since it was read.
func (s *Session) reconfigure(ctx context.Context, e *vmEdit) error {
	version, ok := asText(e.now.props.values[pathChangeVersion])
	if !ok || version == "" {
		return errors.New("its configuration could not be read")
	}
	e.spec.ChangeVersion = version
	res, err := methods.ReconfigVM_Task(ctx, s.call, &types.ReconfigVM_Task{This: e.now.props.ref, Spec: e.spec})
	if err != nil {
		return perhaps(err)
	}
	return s.await(ctx, res.Returnval, "reconfiguring it through")
}

// perhaps marks a request that failed on its way: the server may have done it.
func perhaps(err error) error {
	var onTheWay *ConnectError
	if errors.As(err, &onTheWay) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", tuning.ErrUnsure, err)
	}
	return err
}

// taskLimit is how long a change may take. Those that vperf makes take a second or two; a server that needs longer is
// busy with something else.
const taskLimit = 2 * time.Minute

// await waits for a task's end and says why it failed.
func (s *Session) await(ctx context.Context, task ref, doing string) error {
	ctx, cancel := context.WithTimeout(ctx, taskLimit)
	defer cancel()
	spec := types.PropertySpec{Type: task.Type, PathSet: []string{"info.state", "info.error"}}
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		var seen *props
		err := s.readOne(ctx, task, "the task", spec, func(p *props) { seen = p })
		if err != nil {
			return fmt.Errorf("%w: %w", tuning.ErrUnsure, err)
		}
		if seen == nil {
			return fmt.Errorf("%w: the server no longer has the task", tuning.ErrUnsure)
		}
		switch state, _ := asText(seen.values["info.state"]); types.TaskInfoState(state) {
		case types.TaskInfoStateSuccess:
			return nil
		case types.TaskInfoStateError:
			return s.taskError(doing, seen.values["info.error"])
		}
		if pause(ctx, wait) != nil {
			return fmt.Errorf("%w: the task has not ended within %s", tuning.ErrUnsure, taskLimit)
		}
	}
}

// taskError is why a task failed.
func (s *Session) taskError(doing string, why any) error {
	failed, _ := asIs[types.LocalizedMethodFault](why)
	if _, raced := failed.Fault.(*types.ConcurrentAccess); raced {
		return &serverError{
			host: s.call.host, doing: doing, fault: failed.Fault,
			words: "somebody else changed it at the same moment, so nothing was written; run the command again",
		}
	}
	return &serverError{host: s.call.host, doing: doing, words: faultWords(failed.Fault, failed.LocalizedMessage), fault: failed.Fault}
}

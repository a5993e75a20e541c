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
	return s.settle(ctx, res.Returnval, "reconfiguring it through")
}

// perhaps marks a request that failed on its way: the server may have done it.
func perhaps(err error) error {
	var onTheWay *ConnectError
	if errors.As(err, &onTheWay) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", tuning.ErrUnsure, err)
	}
	return err
}

// reconfigureLimit is how long a change may take. Those that vperf makes take a second or two; a server that needs longer
// is busy with something else.
const reconfigureLimit = 2 * time.Minute

// settle waits for a task's end and says why it failed. One whose end nobody saw may have had its effect.
func (s *Session) settle(ctx context.Context, task ref, doing string) error {
	ctx, cancel := context.WithTimeout(ctx, reconfigureLimit)
	defer cancel()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		p, err := s.one(ctx, task, "info.state", "info.error")
		if err != nil {
			return fmt.Errorf("%w: %w", tuning.ErrUnsure, err)
		}
		switch state, _ := asText(p.values["info.state"]); types.TaskInfoState(state) {
		case types.TaskInfoStateSuccess:
			return nil
		case types.TaskInfoStateError:
			return s.taskError(doing, p.values["info.error"])
		}
		if pause(ctx, wait) != nil {
			return fmt.Errorf("%w: %s %s: the task has not ended within %s", tuning.ErrUnsure, doing, s.call.host, reconfigureLimit)
		}
	}
}

var errNoObject = errors.New("the server no longer has it")

// one reads properties of one object as they are now.
func (s *Session) one(ctx context.Context, of ref, paths ...string) (*props, error) {
	q := &query{
		what: plain(of.Type + " " + of.Value), paths: []types.PropertySpec{{Type: queried(of.Type), PathSet: paths}},
		from: []types.ObjectSpec{{Obj: of}}, page: 1,
	}
	var found *props
	r := &reader{Session: s, progress: func(string) {}}
	err := r.collect(ctx, q, func(p *props) { found = p })
	switch {
	case isFault[*types.ManagedObjectNotFound](faultOf(err)):
		return nil, errNoObject
	case err != nil:
		return nil, err
	case found == nil:
		return nil, errNoObject
	}
	for _, f := range found.missing {
		if isFault[*types.ManagedObjectNotFound](f) {
			return nil, errNoObject
		}
	}
	return found, nil
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

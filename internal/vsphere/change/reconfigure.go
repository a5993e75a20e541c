package change

import (
	"context"
	"errors"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// reconfigure makes the changes of an edit in one task, and waits for its end. The server refuses them when the VM was
// changed since it was read.
func (s *estate) reconfigure(ctx context.Context, e *vmEdit) error {
	version, ok := property.Text(e.now.props.Values[pathChangeVersion])
	if !ok || version == "" {
		return errors.New("its configuration could not be read")
	}
	e.spec.ChangeVersion = version
	res, err := methods.ReconfigVM_Task(ctx, s, &types.ReconfigVM_Task{This: e.now.props.Ref, Spec: e.spec})
	if err != nil {
		return session.Unsure(ctx, err)
	}
	return s.await(ctx, "ReconfigVM_Task", res.Returnval, s.limits.change)
}

package evacuation

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// vsan returns the obstacles in vSAN: data that is not fully synchronized, or a host that has lost contact with the others.
// Health that cannot be read is an obstacle too.
func (e *evacuation) vsan(ctx context.Context) ([]string, error) {
	on := e.runsVSAN()
	if is, known := on.Value(); known && !is {
		return nil, nil
	}
	if reason := condition.Gap(on, "whether it takes part in vSAN"); reason != "" {
		return []string{reason}, nil
	}
	var against []string
	for _, check := range []func(context.Context) (string, error){e.vsanHealth, e.vsanSyncing} {
		reason, err := check(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, err
		case err != nil:
			against = append(against, "vSAN's state could not be read: "+session.Cause(err))
		case reason != "":
			against = append(against, reason)
		}
	}
	return against, nil
}

// vsanHealth reads the host's own health as a member of the vSAN cluster.
func (e *evacuation) vsanHealth(ctx context.Context) (string, error) {
	system, ok := property.Read(e.host, pathVSANSystem, property.As[ref], property.AbsentIfUnset).Value()
	if !ok {
		return "", errors.New("the host offers no vSAN system")
	}
	res, err := methods.QueryHostStatus(ctx, e, &types.QueryHostStatus{This: system})
	if err != nil {
		return "", err
	}
	if health := res.Returnval.Health; health != string(types.VsanHostHealthStateHealthy) {
		return "vSAN reports the state of the host as " + session.Plain(health), nil
	}
	return "", nil
}

// vsanSyncing reads the objects whose copies are not up to date yet. The answer is JSON in a string, which lists them by UUID
// under dom_objects.
func (e *evacuation) vsanSyncing(ctx context.Context) (string, error) {
	system, ok := property.Read(e.host, pathVSANInternal, property.As[ref], property.AbsentIfUnset).Value()
	if !ok {
		return "", errors.New("the host offers no vSAN internal system")
	}
	res, err := methods.QuerySyncingVsanObjects(ctx, e, &types.QuerySyncingVsanObjects{This: system})
	if err != nil {
		return "", err
	}
	var answer struct {
		Objects map[string]json.RawMessage `json:"dom_objects"`
	}
	if err := json.Unmarshal([]byte(res.Returnval), &answer); err != nil || answer.Objects == nil {
		return "", errors.New("the host lists resynchronizing objects in a form that vperf does not understand")
	}
	if n := len(answer.Objects); n > 0 {
		return "vSAN resynchronises " + plural.Count(n, "object"), nil
	}
	return "", nil
}

// runsVSAN reports whether the host stores data of a vSAN cluster.
func (e *evacuation) runsVSAN() inventory.Fact[bool] {
	return property.Read(e.host, pathVSAN, property.Bool, property.DefaultTo(false))
}

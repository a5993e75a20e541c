package change

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// vmWriter reads and writes the settings of VMs. All settings of one VM change together, in one reconfiguration.
type vmWriter struct{}

// reconfigureGroup is the group of all settings of a VM.
const reconfigureGroup = "reconfigure"

// vmSettingOf returns the kind of an address, or an error if it is not a VM setting.
func vmSettingOf(a tuning.Address) (vmSetting, inventory.Setting, error) {
	of, err := inventory.LookupSetting(a.Setting)
	if err != nil {
		return vmSetting{}, of, err
	}
	s, ok := vmSettings[of.Kind.Name]
	if !ok {
		return s, of, fmt.Errorf("%s is not a VM setting that vperf can write", a.Setting)
	}
	return s, of, nil
}

// read implements writer.
func (w vmWriter) read(ctx context.Context, s *estate, t tuning.Target, addresses []tuning.Address) ([]inventory.Fact[inventory.Value], error) {
	now, err := s.readVM(ctx, t, addresses)
	if err != nil {
		return nil, err
	}
	out := make([]inventory.Fact[inventory.Value], len(addresses))
	for i, a := range addresses {
		setting, of, err := vmSettingOf(a)
		if err != nil {
			return nil, err
		}
		out[i] = setting.current(now, of, a)
	}
	return out, nil
}

// previews returns the effects of assignments to a VM that was read.
func (w vmWriter) previews(now *vmState, want []tuning.Assignment) (out []tuning.Preview, err error) {
	out = make([]tuning.Preview, len(want))
	for i, a := range want {
		if out[i], err = w.preview(now, a); err != nil {
			return nil, err
		}
	}
	for w.refuseOne(now, want, out) {
	}
	return out, nil
}

// preview returns the effect of one assignment alone.
func (w vmWriter) preview(now *vmState, a tuning.Assignment) (tuning.Preview, error) {
	setting, of, err := vmSettingOf(a.Address)
	if err != nil {
		return tuning.Preview{}, err
	}
	before := setting.current(now, of, a.Address)
	p := tuning.Preview{
		Before: before, After: a.Value, Activation: now.activation(of), Inverse: setting.inverse(now, a.Address, before),
		Group: reconfigureGroup, Privileges: of.Kind.Privileges(),
	}
	if setting.extraPrivileges != nil {
		p.Privileges = append(p.Privileges, setting.extraPrivileges(now, a.Address)...)
	}
	if p.Refused = setting.refusal(now, of); p.Refused != "" {
		return p, nil
	}
	if after, err := setting.allowed(of, a.Value); err != nil {
		p.Refused = err.Error()
	} else {
		p.After = after
	}
	return p, nil
}

// refuseOne checks the requested state of a VM as a whole: latency sensitivity high, for example, requires a memory reservation
// that may be in the same request. It refuses the first assignment that conflicts and reports whether there was one; the caller
// then checks the rest again.
func (w vmWriter) refuseOne(now *vmState, want []tuning.Assignment, out []tuning.Preview) bool {
	edit := &vmEdit{now: now}
	for i, a := range want {
		if out[i].Refused != "" {
			continue
		}
		setting, of, _ := vmSettingOf(a.Address)
		if err := setting.put(edit, of, tuning.Assignment{Address: a.Address, Value: out[i].After}); err != nil {
			out[i].Refused = err.Error()
			return true
		}
	}
	for i, a := range want {
		setting, _, _ := vmSettingOf(a.Address)
		if out[i].Refused != "" || setting.check == nil || out[i].After == out[i].Before {
			continue // a value that is already set cannot be refused
		}
		if out[i].Refused = setting.check(edit); out[i].Refused != "" {
			return true
		}
	}
	return false
}

// write implements writer.
func (w vmWriter) write(ctx context.Context, s *estate, t tuning.Target, all []tuning.Assignment) error {
	now, err := s.readVM(ctx, t, addressesOf(all))
	if err != nil {
		return err
	}
	edit := &vmEdit{now: now}
	for _, a := range all {
		setting, of, err := vmSettingOf(a.Address)
		if err != nil {
			return err
		}
		if a.Value, err = setting.typed(of, a.Value); err != nil {
			return err
		}
		if err := setting.put(edit, of, a); err != nil {
			return err
		}
	}
	return s.reconfigure(ctx, edit)
}

// readVMs reads all VMs among the targets of wishes in one pass, by id. VMs that the server does not have are omitted.
func (s *estate) readVMs(ctx context.Context, requests []tuning.Request) (map[string]*vmState, error) {
	var from []types.ObjectSpec
	var addresses []tuning.Address
	listed := map[ref]bool{}
	for _, w := range requests {
		var own []tuning.Address
		for _, a := range w.Assignments {
			if of, err := writerOf(a.Address); err == nil && of == writer(vmWriter{}) {
				own = append(own, a.Address)
			}
		}
		if len(own) == 0 {
			continue
		}
		addresses = append(addresses, own...)
		if vm := vmRef(w.Condition.Target); !listed[vm] { // a plan has several steps for some VMs
			listed[vm] = true
			from = append(from, types.ObjectSpec{Obj: vm})
		}
	}
	plan, err := vmPlan(addresses)
	if err != nil {
		return nil, err
	}
	found, err := s.objects(ctx, "virtual machines", from, types.PropertySpec{Type: property.TypeVM, PathSet: append(plan.Paths, pathChangeVersion)})
	all := make(map[string]*vmState, len(found))
	for _, p := range found {
		all[p.Ref.Value] = newVMState(plan, p)
	}
	return all, err
}

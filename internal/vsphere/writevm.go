package vsphere

import (
	"context"
	"fmt"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// vmWriter reads and writes the settings of VMs. Those of one VM change together, in one reconfiguration.
type vmWriter struct{}

// reconfigureGroup is the group of all settings of a VM.
const reconfigureGroup = "reconfigure"

// setting is the kind of an address, or why it is none of a VM's.
func (vmWriter) setting(a tuning.Address) (vmSetting, inventory.Setting, error) {
	of, err := inventory.LookupSetting(a.Setting)
	if err != nil {
		return vmSetting{}, of, err
	}
	s, ok := vmSettings[of.Kind.Name]
	if !ok {
		return s, of, fmt.Errorf("%s is no setting of a VM that vperf writes", a.Setting)
	}
	return s, of, nil
}

// read implements writer.
func (w vmWriter) read(ctx context.Context, s *Session, t tuning.Target, addresses []tuning.Address) ([]inventory.Fact[inventory.Value], error) {
	now, err := s.readVM(ctx, t, addresses)
	if err != nil {
		return nil, err
	}
	out := make([]inventory.Fact[inventory.Value], len(addresses))
	for i, a := range addresses {
		setting, of, err := w.setting(a)
		if err != nil {
			return nil, err
		}
		out[i] = setting.now(now, of, a)
	}
	return out, nil
}

// prospects implements writer. What is wanted of a VM is judged as a whole: level high, for example, needs a memory
// reservation that can come along with it.
func (w vmWriter) prospects(ctx context.Context, s *Session, c tuning.Condition, want []tuning.Assignment) ([]tuning.Prospect, error) {
	now, err := s.readVM(ctx, c.Target, addressesOf(want))
	if err != nil {
		return nil, err
	}
	edit := &vmEdit{now: now}
	out := make([]tuning.Prospect, len(want))
	for i, a := range want {
		if out[i], err = w.prospect(edit, a); err != nil {
			return nil, err
		}
	}
	for i, a := range want {
		setting, _, _ := w.setting(a.Address)
		if out[i].Refused == "" && setting.check != nil {
			out[i].Refused = setting.check(edit)
		}
	}
	return out, nil
}

// prospect is what an assignment alone would mean. One that can be written becomes part of the edit.
func (w vmWriter) prospect(edit *vmEdit, a tuning.Assignment) (tuning.Prospect, error) {
	setting, of, err := w.setting(a.Address)
	if err != nil {
		return tuning.Prospect{}, err
	}
	before := setting.now(edit.now, of, a.Address)
	p := tuning.Prospect{
		Before: before, After: a.Value, Activation: edit.now.activation(of), Inverse: setting.inverse(edit.now, a.Address, before),
		Group: reconfigureGroup, Privileges: vmPrivileges[of.Kind.Name],
	}
	if p.Refused = setting.refused(edit.now, of); p.Refused != "" {
		return p, nil
	}
	after, err := setting.wanted(of, a.Value)
	if err == nil {
		p.After = after
		err = setting.put(edit, of, tuning.Assignment{Address: a.Address, Value: after})
	}
	if err != nil {
		p.Refused = err.Error()
	}
	return p, nil
}

// write implements writer.
func (w vmWriter) write(ctx context.Context, s *Session, t tuning.Target, all []tuning.Assignment) error {
	now, err := s.readVM(ctx, t, addressesOf(all))
	if err != nil {
		return err
	}
	edit := &vmEdit{now: now}
	for _, a := range all {
		setting, of, err := w.setting(a.Address)
		if err != nil {
			return err
		}
		if a.Value, err = setting.wanted(of, a.Value); err != nil {
			return err
		}
		if err := setting.put(edit, of, a); err != nil {
			return err
		}
	}
	return s.reconfigure(ctx, edit)
}

func addressesOf(all []tuning.Assignment) []tuning.Address {
	out := make([]tuning.Address, len(all))
	for i, a := range all {
		out[i] = a.Address
	}
	return out
}

package change

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/wire"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// optionWriter writes a host's advanced options, including kernel boot options. Each option takes a call of its own: a host that
// receives several applies them one by one and stops at the first that it refuses.
type optionWriter struct{}

const pathOptionManager = "configManager.advancedOption"

func (optionWriter) previews(ctx context.Context, s *estate, c tuning.Condition, want []tuning.Assignment) ([]tuning.Preview, error) {
	manager, now, err := s.optionsOf(ctx, c.Target, addressesOf(want))
	if err != nil {
		return nil, err
	}
	defs, err := s.optionDefs(ctx, manager)
	if err != nil {
		return nil, err
	}
	out := make([]tuning.Preview, len(want))
	for i, a := range want {
		key := settingOf(a.Address).Key
		absentMeans := "the host has no option " + key + ": it is not on this release"
		out[i] = preview(a, now[i], absentMeans, func(v inventory.Value) string { return outside(defs[key], v) })
	}
	return out, nil
}

func (optionWriter) read(ctx context.Context, s *estate, t tuning.Target, addresses []tuning.Address) ([]valueFact, error) {
	_, now, err := s.optionsOf(ctx, t, addresses)
	return now, err
}

func (optionWriter) write(ctx context.Context, s *estate, t tuning.Target, all []tuning.Assignment) error {
	v, err := single(all)
	if err != nil {
		return err
	}
	native, err := onWire(v)
	if err != nil {
		return err
	}
	found, err := s.manager(ctx, t, pathOptionManager)
	if err != nil {
		return err
	}
	manager, err := requireKnown("option manager", found)
	if err != nil {
		return err
	}
	_, err = methods.UpdateOptions(ctx, s, &types.UpdateOptions{
		This: manager, ChangedValue: []types.BaseOptionValue{&types.OptionValue{Key: settingOf(all[0].Address).Key, Value: native}},
	})
	return session.Unsure(ctx, err)
}

// onWire converts a value to the type that a host accepts: hosts refuse an int where they expect a long.
func onWire(v inventory.Value) (any, error) {
	v, err := convertType(v, v.Type)
	if err != nil {
		return nil, err
	}
	if v.Type == inventory.TypeInt {
		n, _ := v.Int()
		return int32(n), nil
	}
	return v.Native(), nil
}

// optionsOf reads options of a host from the given manager.
func (s *estate) optionsOf(ctx context.Context, t tuning.Target, addresses []tuning.Address) (inventory.Fact[ref], []valueFact, error) {
	manager, err := s.manager(ctx, t, pathOptionManager)
	if err != nil {
		return manager, nil, err
	}
	keys := make([]string, len(addresses))
	for i, a := range addresses {
		keys[i] = settingOf(a).Key
	}
	found := map[string]valueFact{}
	if m, ok := manager.Value(); ok {
		if found, err = s.queryOptions(ctx, m, keys); err != nil {
			return manager, nil, err
		}
	}
	now := make([]valueFact, len(keys))
	for i, key := range keys {
		now[i] = property.Then(manager, func(ref) valueFact { return found[key] })
	}
	return manager, now, nil
}

// fewOptions is the number of options up to which each is queried alone; more are looked up in the list of all, which takes one
// call.
const fewOptions = 4

func (s *estate) queryOptions(ctx context.Context, manager ref, keys []string) (map[string]valueFact, error) {
	found := make(map[string]valueFact, len(keys))
	if len(keys) > fewOptions {
		all, err := s.queryOption(ctx, manager, "")
		for _, key := range keys {
			found[key] = property.Then(all, optionIn(key))
		}
		return found, err
	}
	for _, key := range keys {
		values, err := s.queryOption(ctx, manager, key)
		if err != nil {
			return nil, err
		}
		found[key] = property.Then(values, optionIn(key))
	}
	return found, nil
}

type optionList = []types.BaseOptionValue

// queryOption queries an option by name, or all options if name is empty. A name that the host does not know is not an error.
func (s *estate) queryOption(ctx context.Context, manager ref, name string) (inventory.Fact[optionList], error) {
	res, err := methods.QueryOptions(ctx, s, &types.QueryOptions{This: manager, Name: name})
	switch {
	case err == nil:
		return inventory.Known(res.Returnval), nil
	case session.IsFault[*types.InvalidName](session.FaultOf(err)):
		return inventory.Absent[optionList](), nil
	}
	return unreadFor[optionList](ctx, err)
}

func optionIn(key string) func(optionList) valueFact {
	return func(list optionList) valueFact {
		for _, o := range list {
			if o != nil && o.GetOptionValue().Key == key {
				if d, is := o.GetOptionValue().Value.(*wire.DamageError); is {
					return inventory.Unread[inventory.Value](session.Plain(key + d.Error()))
				}
				return inventory.Known(hostfacts.OptionValue(o.GetOptionValue().Value))
			}
		}
		return inventory.Absent[inventory.Value]()
	}
}

// optionDefs returns the host's definitions of its options. Without a definition the host validates a value only when it is
// written.
func (s *estate) optionDefs(ctx context.Context, manager inventory.Fact[ref]) (map[string]types.BaseOptionType, error) {
	defs := map[string]types.BaseOptionType{}
	m, ok := manager.Value()
	if !ok {
		return defs, nil
	}
	p, err := s.object(ctx, m, "supportedOption")
	if err != nil {
		return nil, err
	}
	list, _ := property.Read(p, "supportedOption", property.As[types.ArrayOfOptionDef], property.AbsentIfUnset).Value()
	for _, d := range list.OptionDef {
		defs[d.Key] = d.OptionType
	}
	return defs, nil
}

// outside returns why the definition does not allow a value.
func outside(def types.BaseOptionType, v inventory.Value) string {
	if def == nil {
		return ""
	}
	if fixed := def.GetOptionType().ValueIsReadonly; fixed != nil && *fixed {
		return "the host reports that this option cannot be changed"
	}
	if choice, ok := def.(*types.ChoiceOption); ok {
		return noChoice(choice, v.Text)
	}
	_, low, high := hostfacts.Bounds(def)
	n, number := v.Int()
	// Some definitions are inverted: the minimum of 6.5's Power.PerfBias is -3 read as an unsigned number.
	if number && low != nil && *low <= *high && (n < *low || n > *high) {
		return fmt.Sprintf("%d is out of range: this host accepts %d to %d", n, *low, *high)
	}
	return ""
}

func noChoice(choice *types.ChoiceOption, text string) string {
	var keys []string
	for _, c := range choice.ChoiceInfo {
		if c != nil {
			keys = append(keys, session.Plain(c.GetElementDescription().Key))
		}
	}
	if len(keys) == 0 || slices.Contains(keys, text) {
		return ""
	}
	return fmt.Sprintf("the host accepts %s, not %q", strings.Join(keys, ", "), session.Plain(text))
}

package vsphere

import (
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// fillOptions keeps the needed keys of config.option. A key that the list does not have does not exist on the host.
func fillOptions(p *props, h *inventory.Host) {
	all := read(p, "config.option", asIs[types.ArrayOfOptionValue], must)
	h.Options = then(all, func(list types.ArrayOfOptionValue) inventory.Fact[map[string]inventory.Option] {
		options := map[string]inventory.Option{}
		for _, o := range list.OptionValue {
			if o == nil {
				continue
			}
			if kv := o.GetOptionValue(); p.needs.Option(kv.Key) {
				options[kv.Key] = inventory.Option{Value: optionValue(kv.Value)}
			}
		}
		return inventory.Known(options)
	})
}

// optionValue keeps the wire type: hosts refuse an option that is written with another type than they sent.
func optionValue(v any) inventory.Value {
	switch v := v.(type) {
	case bool:
		return inventory.BoolValue(v)
	case int32:
		return inventory.IntValue(v)
	case int64:
		return inventory.LongValue(v)
	case string:
		return inventory.StringValue(v)
	case nil:
		return inventory.StringValue("")
	}
	return inventory.StringValue(fmt.Sprintf("%v", v))
}

// fillBounds adds defaults and ranges to the options read. Where the host gives no definition they stay nil.
func fillBounds(p *props, h *inventory.Host) {
	options, known := h.Options.Value()
	v, _ := p.look("config.optionDef")
	defs, ok := asIs[types.ArrayOfOptionDef](v)
	if !known || !ok {
		return
	}
	for _, d := range defs.OptionDef {
		if o, ok := options[d.Key]; ok {
			o.Default, o.Min, o.Max = bounds(d.OptionType)
			options[d.Key] = o
		}
	}
}

// bounds reads a definition of any type.
func bounds(t types.BaseOptionType) (def *inventory.Value, low, high *int64) {
	switch t := t.(type) {
	case *types.LongOption:
		return new(inventory.LongValue(t.DefaultValue)), new(t.Min), new(t.Max)
	case *types.IntOption:
		return new(inventory.IntValue(t.DefaultValue)), new(int64(t.Min)), new(int64(t.Max))
	case *types.BoolOption:
		return new(inventory.BoolValue(t.DefaultValue)), nil, nil
	case *types.StringOption:
		return new(inventory.StringValue(t.DefaultValue)), nil, nil
	case *types.ChoiceOption:
		return choiceDefault(t), nil, nil
	case *types.FloatOption:
		// Fractions do not fit whole-number bounds; cutting them off would allow or refuse the wrong values.
		return new(optionValue(t.DefaultValue)), nil, nil
	}
	return nil, nil, nil
}

func choiceDefault(t *types.ChoiceOption) *inventory.Value {
	if int(t.DefaultIndex) >= len(t.ChoiceInfo) || t.DefaultIndex < 0 || t.ChoiceInfo[t.DefaultIndex] == nil {
		return nil
	}
	return new(inventory.StringValue(t.ChoiceInfo[t.DefaultIndex].GetElementDescription().Key))
}

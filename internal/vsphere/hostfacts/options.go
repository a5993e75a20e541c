package hostfacts

import (
	"fmt"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathOptions = "config.option"
	pathDefs    = "config.optionDef" // the largest property: 400 KB per host
)

func needsOptions(n inventory.Needs) bool { return n.Options() || n.Any(factOffDefault) }

func needsBounds(n inventory.Needs) bool {
	return n.Options() && n.OptionBounds() || n.Any(factOffDefault)
}

const factOffDefault = "Host.offDefault"

// fillOptions keeps the needed keys of config.option. A key that is not in the list does not exist on the host.
func fillOptions(p *property.Props, h *inventory.Host) {
	h.Options = property.Then(readOptions(p), func(list types.ArrayOfOptionValue) inventory.Fact[map[string]inventory.Option] {
		options := map[string]inventory.Option{}
		for _, o := range list.OptionValue {
			if o == nil {
				continue
			}
			if kv := o.GetOptionValue(); p.Needs.Option(kv.Key) {
				options[kv.Key] = optionOf(p, kv)
			}
		}
		return inventory.Known(options)
	})
}

// optionOf returns an option, with the reason if its value could not be decoded.
func optionOf(p *property.Props, kv *types.OptionValue) inventory.Option {
	if why := p.Undecoded(kv.Key, kv.Value); why != "" {
		return inventory.Option{Unread: why}
	}
	return inventory.Option{Value: OptionValue(kv.Value)}
}

func readOptions(p *property.Props) inventory.Fact[types.ArrayOfOptionValue] {
	return property.Read(p, pathOptions, property.As[types.ArrayOfOptionValue], property.Required)
}

// OptionValue keeps the wire type: hosts refuse an option that is written with a type other than the one they sent.
func OptionValue(v any) inventory.Value {
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

// fillBounds adds defaults and ranges to the options read. If the host has no definition, they stay nil.
func fillBounds(p *property.Props, h *inventory.Host) {
	options, known := h.Options.Value()
	defs, ok := readDefs(p).Value()
	if !known || !ok {
		return
	}
	for _, d := range defs.OptionDef {
		if o, ok := options[d.Key]; ok {
			o.Default, o.Min, o.Max = Bounds(d.OptionType)
			options[d.Key] = o
		}
	}
}

func readDefs(p *property.Props) inventory.Fact[types.ArrayOfOptionDef] {
	return property.Read(p, pathDefs, property.As[types.ArrayOfOptionDef], property.UnreadIfUnset[types.ArrayOfOptionDef](noDefs))
}

const noDefs = "the host does not report definitions of its options"

// fillOffDefault finds the tuning options that differ from the default their host reports, and keeps them in addition to those
// requested by key. An option without a definition is skipped, because its default is unknown.
func fillOffDefault(p *property.Props, h *inventory.Host) {
	list, _ := readOptions(p).Value()
	h.OffDefault = property.Then(h.Options, func(kept map[string]inventory.Option) inventory.Fact[[]string] {
		return property.Then(readDefs(p), func(defs types.ArrayOfOptionDef) inventory.Fact[[]string] {
			if len(defs.OptionDef) == 0 {
				return inventory.Unread[[]string](noDefs)
			}
			return offDefault(p, list.OptionValue, defs.OptionDef, kept)
		})
	})
}

// offDefault returns the sorted keys and adds their options to kept. They are unread if the value of one is.
func offDefault(p *property.Props, list []types.BaseOptionValue, defs []types.OptionDef, kept map[string]inventory.Option) inventory.Fact[[]string] {
	kinds := make(map[string]types.BaseOptionType, len(defs))
	for _, d := range defs {
		kinds[d.Key] = d.OptionType
	}
	keys := []string{}
	for _, v := range list {
		if v == nil || !inventory.TuningOption(v.GetOptionValue().Key) {
			continue
		}
		kv := v.GetOptionValue()
		o := optionOf(p, kv)
		if o.Unread != "" {
			return inventory.Unread[[]string](o.Unread)
		}
		o.Default, o.Min, o.Max = Bounds(kinds[kv.Key])
		if is, known := o.IsDefault(); known && !is {
			keys = append(keys, kv.Key)
			kept[kv.Key] = o
		}
	}
	slices.Sort(keys)
	return inventory.Known(keys)
}

// Bounds returns the default and the range of a definition of any type.
func Bounds(t types.BaseOptionType) (def *inventory.Value, low, high *int64) {
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
		// Fractions cannot be compared with whole-number bounds; truncating them would allow or refuse the wrong values.
		return new(OptionValue(t.DefaultValue)), nil, nil
	}
	return nil, nil, nil
}

func choiceDefault(t *types.ChoiceOption) *inventory.Value {
	if int(t.DefaultIndex) >= len(t.ChoiceInfo) || t.DefaultIndex < 0 || t.ChoiceInfo[t.DefaultIndex] == nil {
		return nil
	}
	return new(inventory.StringValue(t.ChoiceInfo[t.DefaultIndex].GetElementDescription().Key))
}

package probing

import (
	"context"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

const pathDefs = "config.optionDef"

// updateLevel is the option with the update level of a host, which versions before 7.0 do not contain.
const updateLevel = "Misc.HostAgentUpdateLevel"

// readOptions reads the definitions of options, and asks the option manager for two, as writers do.
func (h *hostProber) readOptions(ctx context.Context) {
	h.calls.call(ctx, "HostSystem.config.optionDef", func(ctx context.Context) error {
		p, err := h.properties(ctx, "definitions of options", h.self, pathDefs)
		if err != nil {
			return err
		}
		defs, read := property.Read(p, pathDefs, property.As[types.ArrayOfOptionDef], property.Required).Value()
		if !read || len(defs.OptionDef) == 0 {
			return errNotOffered
		}
		h.out.OptionsRead = true
		for _, d := range defs.OptionDef {
			h.addOption(d)
		}
		slices.SortStableFunc(h.out.Options, func(a, b probe.Option) int { return strings.Compare(a.Key, b.Key) })
		return nil
	})
	manager, known := property.Read(h.facts, pathManager, property.As[ref], property.Required).Value()
	query := func(key string, use func(any)) func(context.Context) error {
		return func(ctx context.Context) error {
			if !known {
				return errNotOffered
			}
			res, err := methods.QueryOptions(ctx, h.session, &types.QueryOptions{This: manager, Name: key})
			if err == nil && len(res.Returnval) > 0 {
				use(res.Returnval[0].GetOptionValue().Value)
			}
			return err
		}
	}
	h.calls.call(ctx, "QueryOptions "+updateLevel, query(updateLevel, func(v any) {
		if level := hostfacts.OptionValue(v).Text; len(level) <= 2 && !strings.ContainsFunc(level, func(r rune) bool { return r < '0' || r > '9' }) {
			h.out.Update = level
		}
	}))
	h.calls.call(ctx, "QueryOptions Vperf.NoSuchOption", query("Vperf.NoSuchOption", func(any) {}))
}

func (h *hostProber) addOption(d types.OptionDef) {
	if !h.redactor.OptionKey(d.Key) {
		h.out.OtherOptions++
		return
	}
	def, low, high := hostfacts.Bounds(d.OptionType)
	o := probe.Option{Key: d.Key, Type: optionType(d.OptionType), Min: low, Max: high}
	o.Default, o.Hidden = h.redactor.Default(def)
	if choice, ok := d.OptionType.(*types.ChoiceOption); ok {
		o.Choices = len(choice.ChoiceInfo)
	}
	h.out.Options = append(h.out.Options, o)
}

func optionType(t types.BaseOptionType) string {
	switch t.(type) {
	case *types.BoolOption:
		return string(inventory.TypeBool)
	case *types.IntOption:
		return "int"
	case *types.LongOption:
		return string(inventory.TypeLong)
	case *types.FloatOption:
		return "float"
	case *types.StringOption:
		return string(inventory.TypeString)
	case *types.ChoiceOption:
		return "choice"
	}
	return "unknown"
}

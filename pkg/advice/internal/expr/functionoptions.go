package expr

import (
	"fmt"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/vperf/vperf/pkg/inventory"
)

// lookupOption finds an option of a host; if it cannot, missing is an unknown or error.
func lookupOption(h, k ref.Val) (host *inventory.Host, o inventory.Option, missing ref.Val) {
	host, key := h.Value().(*inventory.Host), string(k.(types.String))
	all, state, reason := host.Options.Get()
	if state == inventory.StateUnread {
		return host, o, Unread(host, key, reason)
	}
	o, ok := all[key]
	if !ok {
		return host, o, types.WrapErr(fmt.Errorf("option %s %w: %s has no such option", key, ErrAbsent, host.Name))
	}
	if o.Unread != "" {
		return host, o, Unread(host, key, o.Unread)
	}
	return host, o, nil
}

func optionValue(h, k ref.Val) ref.Val {
	_, o, missing := lookupOption(h, k)
	if missing != nil {
		return missing
	}
	return types.DefaultTypeAdapter.NativeToValue(o.Value.Native())
}

func optionMax(h, k ref.Val) ref.Val {
	host, o, missing := lookupOption(h, k)
	if missing != nil {
		return missing
	}
	if o.Max == nil {
		return Unread(host, string(k.(types.String))+" maximum", "the host does not report a definition of the option")
	}
	return types.Int(*o.Max)
}

// optionDefault returns the default that the host itself reports, which takes precedence over any table.
func optionDefault(h, k ref.Val) ref.Val {
	host, o, missing := lookupOption(h, k)
	if missing != nil {
		return missing
	}
	if o.Default == nil {
		return Unread(host, string(k.(types.String))+" default", "the host does not report a definition of the option")
	}
	return types.DefaultTypeAdapter.NativeToValue(o.Default.Native())
}

// defaultOf is optionDefault for a key that is known only when the rule is evaluated.
func defaultOf(h, k ref.Val) ref.Val { return optionDefault(h, k) }

// optionTexts formats options for evidence.
func optionTexts(h, keys ref.Val) ref.Val {
	texts := []string{}
	for it := keys.(traits.Lister).Iterator(); it.HasNext() == types.True; {
		key, ok := it.Next().(types.String)
		if !ok {
			continue
		}
		_, o, missing := lookupOption(h, key)
		if missing != nil {
			return missing
		}
		texts = append(texts, optionText(string(key), o))
	}
	return types.DefaultTypeAdapter.NativeToValue(texts)
}

func optionText(key string, o inventory.Option) string {
	if o.Default == nil {
		return fmt.Sprintf("%s=%s", key, o.Value)
	}
	return fmt.Sprintf("%s=%s (default %s)", key, o.Value, o.Default)
}

// kernelSetting returns a setting of the kernel's own table.
func kernelSetting(h, k ref.Val) ref.Val {
	host, name := h.Value().(*inventory.Host), string(k.(types.String))
	f := host.KernelSetting(name)
	value, err := readFact(host, "Host.kernelSettings", &f)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.DefaultTypeAdapter.NativeToValue(value)
}

package change

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vmware/govmomi/cli/esx"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// driverWriter writes options of kernel modules. A module has a single option string, and each write replaces the whole string.
// The writer reads the string right before, changes one key and writes the rest back unchanged. Keys of one module go in one
// write.
type driverWriter struct{}

func (driverWriter) previews(ctx context.Context, s *estate, c tuning.Condition, want []tuning.Assignment) ([]tuning.Preview, error) {
	m := &moduleStrings{estate: s, target: c.Target}
	out := make([]tuning.Preview, len(want))
	for i, a := range want {
		text, err := m.optionString(ctx, a.Device)
		if err != nil {
			return nil, err
		}
		out[i] = driverPreview(a, property.Then(text, optionOf(settingOf(a.Address).Key)))
		if _, state, _ := out[i].Before.Get(); state == inventory.StateAbsent && out[i].Refused == "" {
			out[i].Refused = m.unknown(ctx, a)
		}
		if ctx.Err() != nil {
			return nil, s.Interrupted(ctx, "ExecuteSoap")
		}
	}
	return out, nil
}

func (driverWriter) read(ctx context.Context, s *estate, t tuning.Target, addresses []tuning.Address) ([]valueFact, error) {
	m := &moduleStrings{estate: s, target: t}
	out := make([]valueFact, len(addresses))
	for i, a := range addresses {
		text, err := m.optionString(ctx, a.Device)
		if err != nil {
			return nil, err
		}
		out[i] = property.Then(text, optionOf(settingOf(a).Key))
	}
	return out, nil
}

func (driverWriter) write(ctx context.Context, s *estate, t tuning.Target, all []tuning.Assignment) error {
	m := &moduleStrings{estate: s, target: t}
	module := all[0].Device
	found, err := m.optionString(ctx, module)
	if err != nil {
		return err
	}
	text, err := requireKnown("option string of module "+session.Plain(module), found)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.Device != module {
			return fmt.Errorf("modules %s and %s in one call", session.Plain(module), session.Plain(a.Device))
		}
		if text, err = withOption(text, settingOf(a.Address).Key, a.Value); err != nil {
			return err
		}
	}
	system, _ := m.system.Value()
	_, err = methods.UpdateModuleOptionString(ctx, s, &types.UpdateModuleOptionString{This: system, Name: module, Options: text})
	return session.Unsure(ctx, err)
}

// driverPreview returns the preview of a module option. An option that is not in the string is absent, and "" requests that.
func driverPreview(a tuning.Assignment, before valueFact) tuning.Preview {
	setting := settingOf(a.Address)
	p := tuning.Preview{
		Before: before, After: a.Value, Activation: setting.Activation(), Inverse: exactInverse(a.Address, before),
		Group: "module " + a.Device, Privileges: setting.Kind.Privileges(),
	}
	v, _ := a.Value.Value()
	old, _ := before.Value()
	switch {
	case strings.ContainsFunc(old.Text, breaksString):
		p.Refused = fmt.Sprintf("its value is %q, which vperf could not restore", session.Plain(old.Text))
	case v.Text == "":
		p.After = inventory.Absent[inventory.Value]()
	case strings.ContainsFunc(v.Text, breaksString):
		p.Refused = "a value with blanks, quotes or control characters would change the options after it"
	default:
		p.After = inventory.Known(inventory.StringValue(v.Text))
	}
	if strings.ContainsFunc(setting.Key, breaksString) || strings.Contains(setting.Key, "=") {
		p.Refused = fmt.Sprintf("no driver has an option %q", session.Plain(setting.Key))
	}
	return p
}

// breaksString reports a character that cannot be part of an option in a string of several options.
func breaksString(r rune) bool {
	return r <= ' ' || r == '"' || r == '\'' || r == '\\' || r == 0x7f || r > 0x7f
}

// word matches one option in a string of options.
var word = regexp.MustCompile(`\S+`)

// optionOf returns a function that finds one option in a module's string.
func optionOf(key string) func(text string) valueFact {
	return func(text string) valueFact {
		at, err := placeOf(text, key)
		if err != nil {
			return inventory.Unread[inventory.Value](err.Error())
		}
		if at == nil {
			return inventory.Absent[inventory.Value]()
		}
		_, value, _ := strings.Cut(text[at[0]:at[1]], "=")
		return inventory.Known(inventory.StringValue(value))
	}
}

// placeOf returns the position of an option in a string, or nil. An ambiguous string is an error, so that it is not changed.
func placeOf(text, key string) (at []int, err error) {
	if strings.ContainsAny(text, `"'\`) {
		return nil, fmt.Errorf("the module's options contain quotes, which vperf cannot parse: %q", session.Plain(text))
	}
	for _, found := range word.FindAllStringIndex(text, -1) {
		k, _, valued := strings.Cut(text[found[0]:found[1]], "=")
		switch {
		case k != key:
		case !valued:
			return nil, fmt.Errorf("%s has no value in the module's options: %q", key, session.Plain(text))
		case at != nil:
			return nil, fmt.Errorf("%s occurs more than once in the module's options: %q", key, session.Plain(text))
		default:
			at = found
		}
	}
	return at, nil
}

// withOption returns the string with one option set or, if the value is absent, removed. A new option is added at the end, so
// that removing it restores the string.
func withOption(text, key string, value valueFact) (string, error) {
	at, err := placeOf(text, key)
	if err != nil {
		return "", err
	}
	v, state, _ := value.Get()
	option := key + "=" + v.Text
	switch {
	case state == inventory.StateUnread:
		return "", errNoValue
	case state == inventory.StateAbsent:
		return withoutOption(text, at), nil
	case strings.ContainsFunc(option, breaksString):
		return "", fmt.Errorf("%q is not one option of a module", session.Plain(option))
	case at != nil:
		return text[:at[0]] + option + text[at[1]:], nil
	case text == "":
		return option, nil
	}
	return text + " " + option, nil
}

// withoutOption removes the option at a position from a string; a nil position removes nothing.
func withoutOption(text string, at []int) string {
	switch {
	case at == nil:
		return text
	case at[0] > 0:
		return text[:at[0]-1] + text[at[1]:] // including the blank before it
	}
	return strings.TrimPrefix(text[at[1]:], " ")
}

// moduleStrings reads and caches the option strings of a host's modules.
type moduleStrings struct {
	*estate
	target tuning.Target
	system inventory.Fact[ref]
	texts  map[string]inventory.Fact[string]
	cli    *perhost.CommandLine
	params map[string][]string // by module; nil if the host does not list them
}

// optionString returns the configured option string of a module.
func (m *moduleStrings) optionString(ctx context.Context, module string) (inventory.Fact[string], error) {
	if m.texts == nil {
		system, err := m.manager(ctx, m.target, perhost.PathModules)
		if err != nil {
			return inventory.Fact[string]{}, err
		}
		m.system, m.texts, m.params = system, map[string]inventory.Fact[string]{}, map[string][]string{}
	}
	if text, read := m.texts[module]; read {
		return text, nil
	}
	text := property.Then(m.system, func(system ref) inventory.Fact[string] { return perhost.ModuleOptions(ctx, m.Session, system, module) })
	if _, state, _ := text.Get(); state == inventory.StateAbsent {
		text = inventory.Unread[string](perhost.NoModules)
	}
	if ctx.Err() != nil {
		return text, m.Interrupted(ctx, "QueryConfiguredModuleOptionString")
	}
	m.texts[module] = text
	return text, nil
}

const cliParameters = "system module parameters list"

// unknown returns why an option that is not in the string must not be added: the module has no option of that name. If the host
// does not list its modules' options, the module itself decides.
func (m *moduleStrings) unknown(ctx context.Context, a tuning.Assignment) string {
	if _, asked := m.params[a.Device]; !asked {
		m.params[a.Device] = m.parameters(ctx, a.Device)
	}
	all, key := m.params[a.Device], settingOf(a.Address).Key
	if all == nil || slices.Contains(all, key) {
		return ""
	}
	return fmt.Sprintf("module %s has no option %s; it has %s", session.Plain(a.Device), session.Plain(key), session.Plain(cmp.Or(strings.Join(all, ", "), "none")))
}

func (m *moduleStrings) parameters(ctx context.Context, module string) []string {
	if m.cli == nil {
		m.cli = &perhost.CommandLine{Session: m.Session, Host: targetHost(m.target)}
	}
	rows, ok := m.cli.Run(ctx, cliParameters, perhost.Flag{Name: "-m", Value: module}).Value()
	if !ok {
		return nil
	}
	return names(rows)
}

func names(rows []esx.Values) []string {
	all := []string{}
	for _, r := range rows {
		if name, ok := perhost.Column(r, "Name"); ok {
			all = append(all, name)
		}
	}
	return all
}

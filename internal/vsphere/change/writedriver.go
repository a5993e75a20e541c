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

// driverWriter writes options of kernel modules. A module has one string of them, which every write replaces: the string is
// read right before, one key of it is changed, and the rest goes back as it was. Keys of one module go in one write.
type driverWriter struct{}

func (driverWriter) prospects(ctx context.Context, s *estate, c tuning.Condition, want []tuning.Assignment) ([]tuning.Prospect, error) {
	m := &moduleStrings{estate: s, target: c.Target}
	out := make([]tuning.Prospect, len(want))
	for i, a := range want {
		text, err := m.optionString(ctx, a.Device)
		if err != nil {
			return nil, err
		}
		out[i] = driverProspect(a, property.Then(text, optionOf(settingOf(a.Address).Key)))
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
	text, err := insist("option string of module "+session.Plain(module), found)
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

// driverProspect: an option that is not in the string is absent, and "" asks for that.
func driverProspect(a tuning.Assignment, before valueFact) tuning.Prospect {
	setting := settingOf(a.Address)
	p := tuning.Prospect{
		Before: before, After: a.Value, Activation: setting.Activation(), Inverse: exactly(a.Address, before),
		Group: "module " + a.Device, Privileges: WritePrivileges(setting.Kind.Name),
	}
	v, _ := a.Value.Value()
	old, _ := before.Value()
	switch {
	case strings.ContainsFunc(old.Text, breaksString):
		p.Refused = fmt.Sprintf("its value is %q, which vperf could not write back", session.Plain(old.Text))
	case v.Text == "":
		p.After = inventory.Absent[inventory.Value]()
	case strings.ContainsFunc(v.Text, breaksString):
		p.Refused = "a value with blanks, quotes or control characters would change what comes after it"
	default:
		p.After = inventory.Known(inventory.StringValue(v.Text))
	}
	if strings.ContainsFunc(setting.Key, breaksString) || strings.Contains(setting.Key, "=") {
		p.Refused = fmt.Sprintf("no driver has an option %q", session.Plain(setting.Key))
	}
	return p
}

// breaksString reports what cannot be part of one option in a string of several.
func breaksString(r rune) bool {
	return r <= ' ' || r == '"' || r == '\'' || r == '\\' || r == 0x7f || r > 0x7f
}

// word is one option in a string of them.
var word = regexp.MustCompile(`\S+`)

// optionOf finds one option in a module's string.
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

// placeOf is where an option stands in a string, or nil. A string that could mean something else than it seems to is left
// alone.
func placeOf(text, key string) (at []int, err error) {
	if strings.ContainsAny(text, `"'\`) {
		return nil, fmt.Errorf("the module's options have quotes among them, which vperf does not take apart: %q", session.Plain(text))
	}
	for _, found := range word.FindAllStringIndex(text, -1) {
		k, _, valued := strings.Cut(text[found[0]:found[1]], "=")
		switch {
		case k != key:
		case !valued:
			return nil, fmt.Errorf("%s stands in the module's options without a value: %q", key, session.Plain(text))
		case at != nil:
			return nil, fmt.Errorf("%s stands in the module's options more than once: %q", key, session.Plain(text))
		default:
			at = found
		}
	}
	return at, nil
}

// withOption is a string with one option set or, where the value is absent, removed. A new one goes to the end, so that
// removing it again leaves the string as it was.
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

// withoutOption removes the option at a place from a string; a nil place removes nothing.
func withoutOption(text string, at []int) string {
	switch {
	case at == nil:
		return text
	case at[0] > 0:
		return text[:at[0]-1] + text[at[1]:] // with the blank before it
	}
	return strings.TrimPrefix(text[at[1]:], " ")
}

// moduleStrings reads what a host's modules are configured with, each once.
type moduleStrings struct {
	*estate
	target tuning.Target
	system inventory.Fact[ref]
	texts  map[string]inventory.Fact[string]
	cli    *perhost.CommandLine
	params map[string][]string // of a module; nil where the host does not tell
}

// optionString is what a module is configured with.
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

// unknown says why an option that is not in the string must not be added: the module has none of that name. A host that
// does not list its modules' options leaves it to the module.
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

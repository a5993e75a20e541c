package esxi

import (
	"math"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
	"github.com/vperf/vperf/pkg/inventory"
)

// optionManager is a host's OptionManager that validates values as a host does.
type optionManager struct {
	mo.OptionManager
	managerLock
	host    *Host
	defs    map[string]types.BaseOptionType
	profile []types.BaseOptionValue // the values at the start
}

// OtherOption is an option that no rule uses; real hosts have a thousand.
type OtherOption struct {
	Key   string
	Kind  types.BaseOptionType
	Value any
}

// OtherOptions are options that a reader has to skip, an int option among them.
var OtherOptions = []OtherOption{
	{"Annotations.WelcomeMessage", &types.StringOption{}, "property of demo.local"},
	{"Config.GlobalSettings.guest.commands.sharedPolicyRefCount", &types.IntOption{Max: math.MaxInt32}, int32(0)},
	{"Config.HostAgent.log.level", &types.StringOption{DefaultValue: "info"}, "info"},
	{"Config.HostAgent.plugins.solo.enableMob", &types.BoolOption{Supported: true}, false},
	{"Security.PasswordMaxDays", &types.LongOption{Max: 99_999, DefaultValue: 99_999}, int64(99_999)},
	{"Syslog.global.logHost", &types.StringOption{}, ""},
	{"UserVars.SuppressShellWarning", &types.LongOption{Max: 1}, int64(0)},
}

// addOptions replaces the host's stock option manager.
//
// govmomi v0.56.0 simulator: it accepts any key and any type.
func (e *Host) addOptions(ctx *simulator.Context) {
	m := &optionManager{host: e, managerLock: managerLock{&e.Mu}, defs: map[string]types.BaseOptionType{}}
	m.Self = *e.System.ConfigManager.AdvancedOption
	for _, o := range OtherOptions {
		m.define(o.Key, o.Kind, o.Value)
	}
	for _, key := range inventory.OptionKeys() {
		if kind, value, ok := TableOption(key, e.Row.Release); ok {
			if own, set := e.Row.Defaults[key]; set {
				kind, value = redefined(kind, own)
			}
			if own, set := e.Row.Options[key]; set {
				value = own
			}
			m.define(key, kind, value)
		}
	}
	m.define("Misc.HostAgentUpdateLevel", &types.StringOption{DefaultValue: "0"}, updateLevel(e.Row.Release))
	e.options = m
	m.boot()
	e.System.Config.Option, e.System.Config.OptionDef = m.Setting, m.SupportedOption
	ctx.Map.Put(m)
}

func (m *optionManager) define(key string, kind types.BaseOptionType, value any) {
	m.defs[key] = kind
	m.Setting = append(m.Setting, &types.OptionValue{Key: key, Value: value})
	m.SupportedOption = append(m.SupportedOption, types.OptionDef{
		ElementDescription: types.ElementDescription{Key: key, Description: types.Description{Label: key, Summary: key}},
		OptionType:         kind,
	})
}

// TableOption returns the definition and the default of an option on hosts of a release.
func TableOption(key, release string) (kind types.BaseOptionType, value any, ok bool) {
	doc, _ := inventory.LookupOption(key)
	era, ok := doc.At(release)
	if !ok || era.Absent {
		return nil, nil, false
	}
	value = era.Default.Native()
	switch v := value.(type) {
	case bool:
		return &types.BoolOption{Supported: true, DefaultValue: v}, v, true
	case int64:
		least, most := bounds(era)
		return &types.LongOption{Min: least, Max: most, DefaultValue: v}, v, true
	}
	return &types.StringOption{DefaultValue: era.Default.Text}, era.Default.Text, true
}

// updateLevel returns the update in the name of a release: 3 for 6.7U3, 0 for 9.0.1.
func updateLevel(release string) string {
	_, update, updated := strings.Cut(release, "U")
	if !updated {
		return "0"
	}
	return strings.TrimRight(update, "abcdefghijklmnopqrstuvwxyz")
}

// redefined returns a definition with another default, and that default.
func redefined(kind types.BaseOptionType, byDefault any) (types.BaseOptionType, any) {
	n, ok := byDefault.(int64)
	long, isLong := kind.(*types.LongOption)
	if !ok || !isLong {
		return kind, byDefault
	}
	return &types.LongOption{Min: long.Min, Max: long.Max, DefaultValue: n}, n
}

func bounds(era inventory.OptionEra) (least, most int64) {
	if era.Min == nil || era.Max == nil {
		return math.MinInt64, math.MaxInt64
	}
	return *era.Min, *era.Max
}

func (m *optionManager) has(key string) bool {
	_, ok := m.defs[key]
	return ok
}

// write replaces values in a new list, because the old one may be in use for an answer.
func (m *optionManager) write(values ...*types.OptionValue) {
	next := make([]types.BaseOptionValue, len(m.Setting))
	copy(next, m.Setting)
	for i, s := range next {
		for _, v := range values {
			if s.GetOptionValue().Key == v.Key {
				next[i] = v
			}
		}
	}
	m.Setting = next
}

// change returns the update of the host property with the settings.
func (m *optionManager) change() types.PropertyChange {
	return types.PropertyChange{Name: "config.option", Val: m.Setting}
}

// QueryOptions returns one option by its full key, or all below a prefix that ends with a dot.
func (m *optionManager) QueryOptions(req *types.QueryOptions) soap.HasFault {
	body, res := new(methods.QueryOptionsBody), new(types.QueryOptionsResponse)
	for _, s := range m.Setting {
		if named(s.GetOptionValue().Key, req.Name) {
			res.Returnval = append(res.Returnval, s)
		}
	}
	if len(res.Returnval) == 0 {
		body.Fault_ = world.InvalidName(req.Name)
		return body
	}
	body.Res = res
	return body
}

func named(key, name string) bool {
	return name == "" || key == name || strings.HasSuffix(name, ".") && strings.HasPrefix(key, name)
}

// UpdateOptions writes all of the values or, if one of them is refused, none.
func (m *optionManager) UpdateOptions(ctx *simulator.Context, req *types.UpdateOptions) soap.HasFault {
	body := new(methods.UpdateOptionsBody)
	var values []*types.OptionValue
	for _, c := range req.ChangedValue {
		v := *c.GetOptionValue()
		if body.Fault_ = m.check(v); body.Fault_ != nil {
			return body
		}
		values = append(values, &v)
	}
	m.apply(ctx, values)
	body.Res = new(types.UpdateOptionsResponse)
	return body
}

func (m *optionManager) check(v types.OptionValue) *soap.Fault {
	kind, ok := m.defs[v.Key]
	switch {
	case !ok:
		return world.InvalidName(v.Key)
	case !accepts(kind, v.Value):
		return world.InvalidArgument(v.Key)
	case v.Key == PowerOption && policyKey(v.Value.(string)) == 0:
		return world.InvalidArgument(v.Key)
	}
	return nil
}

// HyperthreadingOption enables hyperthreading from the next start on.
const HyperthreadingOption = "VMkernel.Boot.hyperthreading"

// apply writes valid values, which a crash may undo.
func (m *optionManager) apply(ctx *simulator.Context, values []*types.OptionValue) {
	for _, v := range values {
		old := &types.OptionValue{Key: v.Key, Value: m.value(v.Key)}
		m.host.Wrote(func(ctx *simulator.Context) { m.put(ctx, []*types.OptionValue{old}) })
	}
	m.put(ctx, values)
}

// value returns the value of an existing option.
func (m *optionManager) value(key string) any {
	for _, s := range m.Setting {
		if v := s.GetOptionValue(); v.Key == key {
			return v.Value
		}
	}
	return nil
}

// put writes values; the power policy is updated in all its places.
func (m *optionManager) put(ctx *simulator.Context, values []*types.OptionValue) {
	for _, v := range values {
		if v.Key != PowerOption {
			m.write(v)
		} else if !m.host.Row.BIOSPower() {
			m.host.setPolicy(ctx, policyKey(v.Value.(string)))
		}
	}
	m.host.Edit(ctx, func(*mo.HostSystem) []types.PropertyChange { return []types.PropertyChange{m.change()} })
	for _, v := range values {
		if v.Key == HyperthreadingOption {
			m.host.configureThreads(ctx, v.Value.(bool))
		}
	}
}

// boot applies the options that wait for a restart.
func (m *optionManager) boot() {
	m.host.AtBoot = map[string]any{}
	for _, s := range m.Setting {
		if v := s.GetOptionValue(); strings.HasPrefix(v.Key, world.BootPrefix) {
			m.host.AtBoot[strings.TrimPrefix(v.Key, world.BootPrefix)] = v.Value
		}
	}
}

// accepts compares the type on the wire as strictly as a host: an int is not a long.
func accepts(kind types.BaseOptionType, value any) bool {
	switch k := kind.(type) {
	case *types.LongOption:
		n, ok := value.(int64)
		return ok && n >= k.Min && n <= k.Max
	case *types.IntOption:
		n, ok := value.(int32)
		return ok && n >= k.Min && n <= k.Max
	case *types.BoolOption:
		_, ok := value.(bool)
		return ok
	}
	_, ok := value.(string)
	return ok
}

// Remediate resets all options to their values at the start of the fleet.
func (e *Host) Remediate(ctx *simulator.Context) {
	m := e.options
	m.Lock()
	defer m.Unlock()
	var values []*types.OptionValue
	for _, s := range m.profile {
		if want := *s.GetOptionValue(); m.value(want.Key) != want.Value {
			values = append(values, &want)
		}
	}
	m.apply(ctx, values)
}

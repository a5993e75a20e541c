package inventory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Activation is what brings a change into force, mildest first.
type Activation string

// The activations a remedy can need.
const (
	ActivationLive         Activation = "live"
	ActivationNextPowerOn  Activation = "next-power-on"
	ActivationPowerCycle   Activation = "power-cycle" // written while the VM runs, in force after a power cycle
	ActivationPowerOff     Activation = "power-off"   // refused while the VM runs
	ActivationDriverReload Activation = "driver-reload"
	ActivationHostReboot   Activation = "host-reboot"
	ActivationManual       Activation = "by-hand" // a manual change
)

// Activations lists all activations, mildest first.
func Activations() []Activation {
	return []Activation{
		ActivationLive, ActivationNextPowerOn, ActivationPowerCycle, ActivationPowerOff,
		ActivationDriverReload, ActivationHostReboot, ActivationManual,
	}
}

// MilderThan reports whether a is less disruptive than b.
func (a Activation) MilderThan(b Activation) bool {
	all := Activations()
	return slices.Index(all, a) < slices.Index(all, b)
}

// Inverse is how well a change can be undone.
type Inverse string

// The inverses. Equivalent means another value with the same meaning; none means that the change cannot be undone.
const (
	InverseExact      Inverse = "exact"
	InverseEquivalent Inverse = "equivalent"
	InverseNone       Inverse = "none"
)

// SettingKind is one kind of setting.
type SettingKind struct {
	Name       string
	Scope      Scope
	Keyed      bool      // addressed as name/KEY
	Type       ValueType // "" if it depends on the key
	Activation Activation
	Inverse    Inverse
	Consent    Consent // the minimum approval for a change, whatever rule asks for it
	// fact is the fact that current reads, for Needs; for a host option, Needs has its key instead.
	fact string
	// current reads the present value from a snapshot.
	current func(o Object, key string) Fact[Value]
	also
}

// Unit returns the unit of a limit or a reservation, in which -1 means none; "" for other kinds.
func (k *SettingKind) Unit() string { return k.unit }

// Privileges returns the privileges that vSphere requires for a write. It is empty for a kind that vperf never writes.
func (k *SettingKind) Privileges() []string { return slices.Clone(k.privileges) }

// IsSet reports whether the value is a list in which order and repetition mean nothing.
func (k *SettingKind) IsSet() bool { return k.set }

// IsVMX reports whether the setting is a key of a VM's file, where the case of keys does not matter.
func (k *SettingKind) IsVMX() bool { return k.Name == kindVMVMX || k.Name == kindVNICVMX }

// Removable reports whether an empty value removes the setting.
func (k *SettingKind) Removable() bool { return k.removable }

// Releases reports whether a change only gives a reservation back.
func (k *SettingKind) Releases(before, after Value) bool {
	return k.releases != nil && k.releases(before, after)
}

// Fact returns the name of the fact that has the present value, such as Host.powerPolicy.
func (k *SettingKind) Fact() string { return k.fact }

// Setting is one setting of a kind: host-option/Mem.ShareForceSalting, vm-cpu-limit.
type Setting struct {
	Kind *SettingKind // shared by all settings of the kind
	Key  string
}

// OfVM returns the setting of a VM as which a setting of its adapter is written: a key of an adapter is a key of its VM.
func (s Setting) OfVM(n *VNIC) Setting {
	if s.Kind.Name != kindVNICVMX {
		return s
	}
	of, _ := LookupSetting(kindVMVMX + "/" + n.vmxKey(s.Key))
	return of
}

// String returns the address as in rules.
func (s Setting) String() string {
	if s.Key == "" {
		return s.Kind.Name
	}
	return s.Kind.Name + "/" + s.Key
}

// AnyKey reports whether the setting is written for each key of a list, as host-option/*.
func (s Setting) AnyKey() bool { return s.Key == eachKey }

// Activation returns the minimum activation of a change of this setting.
func (s Setting) Activation() Activation {
	switch {
	case s.Kind.Name == KindHostOption && strings.HasPrefix(s.Key, "VMkernel.Boot."):
		return ActivationHostReboot
	case s.Kind.Name == kindVNICVMX && actsAtOnce(s.Key), s.Kind.Name == kindVMVMX && actsAtOnce(vnicKey(s.Key)):
		return ActivationLive
	case s.Kind.Name == kindVMVMX && strings.EqualFold(s.Key, hugePagesKey):
		return ActivationPowerOff
	}
	return s.Kind.Activation
}

// liveVNICKeys are the keys of an adapter that take effect on the running VM; others need a power cycle.
var liveVNICKeys = []string{"coalescingScheme", "coalescingParams"}

func actsAtOnce(vnicKey string) bool {
	return slices.ContainsFunc(liveVNICKeys, func(k string) bool { return strings.EqualFold(k, vnicKey) })
}

// hugePagesKey backs a VM with pages of 1 GB; unlike other keys it is refused while the VM runs.
const hugePagesKey = "sched.mem.lpage.enable1GPage"

// vnicKey returns pnicFeatures for ethernet0.pnicFeatures, and "" for a key of no adapter.
func vnicKey(key string) string {
	const prefix = "ethernet"
	owner, rest, _ := strings.Cut(key, ".")
	if len(owner) <= len(prefix) || !strings.EqualFold(owner[:len(prefix)], prefix) {
		return ""
	}
	if _, err := strconv.ParseUint(owner[len(prefix):], 10, 16); err != nil {
		return ""
	}
	return rest
}

// Type returns the wire type of the setting's value; "" if it depends on the host.
func (s Setting) Type() ValueType {
	if s.Kind.Name == KindHostOption {
		d, _ := LookupOption(s.Key)
		return d.Type
	}
	return s.Kind.Type
}

// Needs returns the facts that Current reads.
func (s Setting) Needs() Needs {
	var n Needs
	if s.Kind.Name == KindHostOption {
		n.AddOption(s.Key)
	} else {
		n.AddFact(s.Kind.fact)
	}
	return n
}

// Current returns the setting's value on an object of the kind's scope.
func (s Setting) Current(o Object) Fact[Value] { return s.Kind.current(o, s.Key) }

// eachKey in a rule's address stands for each key of a list.
const eachKey = "*"

// SettingKinds lists all kinds of settings.
func SettingKinds() []SettingKind { return slices.Clone(settingKinds) }

// noKind is the kind of an address that has none.
var noKind = new(SettingKind)

// LookupSetting parses an address as in rules. It refuses unknown kinds, a missing or surplus key, and host options
// that no release has; its result is then a setting of a kind without a name.
func LookupSetting(address string) (Setting, error) {
	name, key, keyed := strings.Cut(address, "/")
	i := slices.IndexFunc(settingKinds, func(k SettingKind) bool { return k.Name == name })
	if i < 0 {
		return Setting{Kind: noKind}, fmt.Errorf("no kind of setting %q; there are %s", name, strings.Join(settingNames(), ", "))
	}
	k := &settingKinds[i]
	switch {
	case k.Keyed && key == "":
		return Setting{Kind: noKind}, fmt.Errorf("setting %s needs a key: %s/KEY", name, name)
	case !k.Keyed && keyed:
		return Setting{Kind: noKind}, fmt.Errorf("setting %s takes no key", name)
	}
	if k.Name == KindHostOption && key != eachKey {
		if _, ok := LookupOption(key); !ok {
			return Setting{Kind: noKind}, fmt.Errorf("no release %s has a host option %q", ReleaseSpan(), key)
		}
	}
	return Setting{k, key}, nil
}

func settingNames() []string {
	names := make([]string, len(settingKinds))
	for i, k := range settingKinds {
		names[i] = k.Name
	}
	return names
}

// on returns a reader for one type of object; objects of other types do not have the setting.
func on[T Object](read func(T, string) Fact[Value]) func(Object, string) Fact[Value] {
	return func(o Object, key string) Fact[Value] {
		t, ok := o.(T)
		if !ok {
			return Absent[Value]()
		}
		return read(t, key)
	}
}

// field returns a reader for a setting that is one fact of an object.
func field[T Object, V any](fact func(T) Fact[V], conv func(V) Value) func(Object, string) Fact[Value] {
	return on(func(t T, _ string) Fact[Value] { return asValue(fact(t), conv) })
}

// driverOption returns one option of a driver's option string; "" if it is not in the string.
func driverOption(n *PNIC, key string) Fact[Value] {
	return asValue(n.DriverOptions, func(all string) Value {
		for o := range strings.FieldsSeq(all) {
			if k, v, _ := strings.Cut(o, "="); k == key {
				return StringValue(v)
			}
		}
		return StringValue("")
	})
}

// controllers lists the kinds of controller of disks, each once.
func controllers(disks []*VDisk) string {
	var kinds []string
	for _, d := range disks {
		if kind, ok := d.Controller.Value(); ok && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return strings.Join(kinds, " ")
}

func hostOption(h *Host, key string) Fact[Value] {
	all, state, reason := h.Options.Get()
	if state == StateUnread {
		return Unread[Value](reason)
	}
	o, ok := all[key]
	if !ok {
		return Absent[Value]()
	}
	if o.Unread != "" {
		return Unread[Value](o.Unread)
	}
	return Known(o.Value)
}

func asValue[T any](f Fact[T], conv func(T) Value) Fact[Value] {
	v, state, reason := f.Get()
	switch state {
	case StateKnown:
		return Known(conv(v))
	case StateAbsent:
		return Absent[Value]()
	}
	return Unread[Value](reason)
}

package inventory

import "slices"

// Consent is how a user agrees to a change.
type Consent string

// The consents. A kind of setting has one, which is the same for every rule; a rule may only raise it.
const (
	ConsentFree  Consent = "free"  // part of an unnamed apply
	ConsentNamed Consent = "named" // the user names the rule
	ConsentValue Consent = "value" // the user names the rule and gives the value
	ConsentNever Consent = "never" // vperf explains the change and never makes it
)

// Consents lists all consents, the easiest first.
func Consents() []Consent { return []Consent{ConsentFree, ConsentNamed, ConsentValue, ConsentNever} }

// EasierThan reports whether c asks less of the user than o.
func (c Consent) EasierThan(o Consent) bool {
	all := Consents()
	return slices.Index(all, c) < slices.Index(all, o)
}

// freeOptions are the host options whose default costs nobody anything. Every other option takes the rule's name: support,
// a storage vendor or a security guide may have set it.
var freeOptions = map[string]bool{
	// Compression spends CPU only on pages that the host would swap to disk otherwise.
	"Mem.MemZipEnable": true,
	// The options by which ESXi 6.0 spreads receive queues over cores; later releases do not have them.
	"Net.NetNetqRxDynamicLB":          true,
	"Net.NetNetqLBDynamicPool":        true,
	"Net.NetNetqNumaIOAwareDynamicLB": true,
}

// kindDefaults are the documented defaults of kinds that are no host options; those have theirs from the host itself.
var kindDefaults = map[string]documented{
	"power-policy": {StringValue("dynamic"), "Balanced is the default since ESXi 5.0 (vSphere documentation, host power management policies)"},
}

type documented struct {
	value Value
	text  string
}

// Applicable reports whether vperf writes settings of this kind. It explains the others.
func (k SettingKind) Applicable() bool { return k.Consent != ConsentNever }

// Consent is the least that a change of this setting takes.
func (s Setting) Consent() Consent {
	if s.Kind.Name == kindHostOption && freeOptions[s.Key] {
		return ConsentFree
	}
	return s.Kind.Consent
}

// Restores says which documented default a value restores on an object, or "" where it restores none.
func (s Setting) Restores(o Object, to Value) string {
	if h, ok := o.(*Host); ok && s.Kind.Name == kindHostOption {
		all, _ := h.Options.Value()
		if d := all[s.Key].Default; d != nil && d.Text == to.Text {
			return s.Key + " is " + d.Text + " by the host's own definition"
		}
		return ""
	}
	if d, ok := kindDefaults[s.Kind.Name]; ok && d.value.Text == to.Text {
		return d.text
	}
	return ""
}

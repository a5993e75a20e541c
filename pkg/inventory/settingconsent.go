package inventory

import "slices"

// Consent is how a user approves a change.
type Consent string

// The kinds of approval. Each kind of setting has one, which is the same for every rule; a rule may only raise it.
const (
	ConsentFree  Consent = "free"  // part of an apply without --rule
	ConsentNamed Consent = "named" // the user names the rule
	ConsentValue Consent = "value" // the user names the rule and gives the value
	ConsentNever Consent = "never" // vperf explains the change and never makes it
)

// Consents lists all kinds of approval, easiest first.
func Consents() []Consent { return []Consent{ConsentFree, ConsentNamed, ConsentValue, ConsentNever} }

// EasierThan reports whether c requires less of the user than o.
func (c Consent) EasierThan(o Consent) bool {
	all := Consents()
	return slices.Index(all, c) < slices.Index(all, o)
}

// freeOptions are the host options whose default has no cost. Every other option needs the rule's name, because
// support, a storage vendor or a security guide may have set it.
var freeOptions = map[string]bool{
	// Compression uses CPU only for pages that the host would otherwise swap to disk.
	"Mem.MemZipEnable": true,
	// The options with which ESXi 6.0 spreads receive queues over cores; later releases do not have them.
	"Net.NetNetqRxDynamicLB":          true,
	"Net.NetNetqLBDynamicPool":        true,
	"Net.NetNetqNumaIOAwareDynamicLB": true,
}

// Applicable reports whether vperf writes settings of this kind. Others it only explains.
func (k *SettingKind) Applicable() bool { return k.Consent != ConsentNever }

// Consent returns the minimum approval for a change of this setting.
func (s Setting) Consent() Consent {
	if s.Kind.Name == KindHostOption && freeOptions[s.Key] {
		return ConsentFree
	}
	return s.Kind.Consent
}

// Restores returns the documented default that a value restores on an object, or "" if it restores none.
func (s Setting) Restores(o Object, to Value) string {
	if h, ok := o.(*Host); ok && s.Kind.Name == KindHostOption {
		all, _ := h.Options.Value()
		if d := all[s.Key].Default; d != nil && d.Text == to.Text {
			return s.Key + " is " + d.Text + " by the host's own definition"
		}
		return ""
	}
	if d := s.Kind.standard; d.value == to.Text {
		return d.text
	}
	return ""
}

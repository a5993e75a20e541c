package inventory

import (
	"maps"
	"slices"
	"strings"
)

// Needs lists the facts that a reader has to read, so that it reads no others. Facts are named by Go type and JSON
// field: Host.pnics, PNIC.linkMbps, VM.vcpus. The zero value needs nothing.
type Needs struct {
	all     bool
	facts   map[string]bool
	options map[string]bool
	bounds  bool
	// attributes are the custom attributes to read in addition to those that begin with vperf.
	attributes map[string]bool
}

// notInScope is the prefix of reasons for facts that are unread because the user selected a part of the inventory.
const notInScope = "not in scope: "

// NotInScope reports whether a fact is unread because the user selected a part of the inventory. Reading it did not
// fail: a wider scope includes it.
func NotInScope(reason string) bool { return strings.HasPrefix(reason, notInScope) }

// planned is the prefix of reasons for facts that are unread because of a planned absence.
const planned = "planned absence: "

// Planned returns the reason of facts that are unread because the object is absent as planned: its host is in standby, or in
// maintenance mode and down. why completes "the host is ".
func Planned(why string) string { return planned + why }

// PlannedAbsence returns what Planned was given, and whether a reason is such a one. A planned absence is a state and no fault:
// the facts stay unread, and results are not incomplete without them.
func PlannedAbsence(reason string) (why string, ok bool) { return strings.CutPrefix(reason, planned) }

// PerHost is the reason of facts that need a call to each host, which is made only if the outcome of a rule depends on
// it.
const PerHost = "it takes a call to the host"

// Reasons of facts that a source of facts never has, whatever is read from it.
const (
	NotInExport  = "not in this export"
	CountersOnly = "a capture has counters only: name a snapshot with --from"
)

// NotInSource reports whether a fact is unread because its source never has it. Reading it did not fail.
func NotInSource(reason string) bool { return reason == NotInExport || reason == CountersOnly }

// Everything needs all facts, and every option of the table with its bounds.
func Everything() Needs { return Needs{all: true} }

// AddFact adds facts.
func (n *Needs) AddFact(names ...string) {
	if n.facts == nil {
		n.facts = map[string]bool{}
	}
	for _, name := range names {
		n.facts[name] = true
	}
}

// AddOption adds a host option's value.
func (n *Needs) AddOption(key string) {
	if n.options == nil {
		n.options = map[string]bool{}
	}
	n.options[key] = true
}

// AddOptionBounds adds a host option's value together with the default and the range its host reports.
func (n *Needs) AddOptionBounds(key string) {
	n.AddOption(key)
	n.bounds = true
}

// AddAttribute adds custom attributes by their exact names, for all objects whose attributes are needed. Everything does not
// include them: their values are the user's business.
func (n *Needs) AddAttribute(names ...string) {
	if n.attributes == nil {
		n.attributes = map[string]bool{}
	}
	for _, name := range names {
		n.attributes[name] = true
	}
}

// Attribute reports whether the custom attribute of that name is needed, apart from the facts that have it.
func (n Needs) Attribute(name string) bool {
	return strings.HasPrefix(name, vperfPrefix) || n.attributes[name]
}

// Add adds everything that o needs.
func (n *Needs) Add(o Needs) {
	n.all = n.all || o.all
	n.bounds = n.bounds || o.bounds
	n.AddFact(slices.Collect(maps.Keys(o.facts))...)
	for key := range o.options {
		n.AddOption(key)
	}
	n.AddAttribute(slices.Collect(maps.Keys(o.attributes))...)
}

// Any reports whether one of the facts is needed.
func (n Needs) Any(names ...string) bool {
	return n.all || slices.ContainsFunc(names, func(name string) bool { return n.facts[name] })
}

// Option reports whether a host option's value is needed.
func (n Needs) Option(key string) bool {
	if n.all {
		_, ok := LookupOption(key)
		return ok
	}
	return n.options[key]
}

// Options reports whether any host option is needed.
func (n Needs) Options() bool { return n.all || len(n.options) > 0 }

// OptionBounds reports whether defaults and ranges of options are needed.
func (n Needs) OptionBounds() bool { return n.all || n.bounds }

// Facts lists the needed facts, sorted; for Everything it is empty.
func (n Needs) Facts() []string { return slices.Sorted(maps.Keys(n.facts)) }

// OptionKeys lists the needed option keys, sorted; for Everything it is the whole table.
func (n Needs) OptionKeys() []string {
	if n.all {
		return OptionKeys()
	}
	return slices.Sorted(maps.Keys(n.options))
}

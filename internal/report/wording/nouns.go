package wording

import (
	"cmp"

	"github.com/vperf/vperf/pkg/inventory"
)

// noun is what people call a kind of object: in a sentence, and where a document has another word for it.
type noun struct {
	word    string // the scope's own name, where it is empty
	counted string // beside a count of findings
	page    string // in the HTML report
	target  string // of a plan
	owner   string // of a device: what it belongs to
}

var nouns = map[inventory.Scope]noun{
	inventory.ScopeVCenter: {word: "vCenter", counted: "vcenter"},
	inventory.ScopePool:    {counted: "resource pool", page: "resource pool"},
	inventory.ScopeSwitch:  {target: "distributed switch"},
	inventory.ScopePNIC:    {word: "NIC", owner: "host"},
	inventory.ScopeVMKNIC:  {word: "VMkernel NIC", counted: "VMkernel adapter", owner: "host"},
	inventory.ScopeHBA:     {word: "adapter", counted: "storage adapter", page: "storage adapter", owner: "host"},
	inventory.ScopeLUN:     {word: "device", counted: "storage device", page: "disk", owner: "host"},
	inventory.ScopeVM:      {word: "VM"},
	inventory.ScopeVNIC:    {word: "virtual NIC", owner: "VM"},
	inventory.ScopeVDisk:   {word: "virtual disk", owner: "VM"},
}

// Kind is a kind of object as people say it.
func Kind(k inventory.Scope) string { return cmp.Or(nouns[k].word, string(k)) }

// CountedKind is a kind of object beside a count of findings.
func CountedKind(k inventory.Scope) string { return cmp.Or(nouns[k].counted, Kind(k)) }

// PageKind is a kind of object in the HTML report.
func PageKind(k inventory.Scope) string { return cmp.Or(nouns[k].page, Kind(k)) }

// TargetKind is a kind of object that a plan changes.
func TargetKind(k inventory.Scope) string { return cmp.Or(nouns[k].target, Kind(k)) }

// OwnerKind is what a kind of device belongs to; "" of what is no device.
func OwnerKind(k inventory.Scope) string { return nouns[k].owner }

// Object is an object with the word for its kind.
func Object(o inventory.Ref) string { return Kind(o.Kind) + " " + o.Name }

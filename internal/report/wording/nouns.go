package wording

import (
	"cmp"

	"github.com/vperf/vperf/pkg/inventory"
)

// noun holds the words for a kind of object: in a sentence, and in documents that use another word.
type noun struct {
	word    string // the scope's own name if empty
	counted string // with a count of findings
	page    string // in the HTML report
	target  string // as the target of a plan
	owner   string // devices only: the kind of the owner
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

// Kind returns the common word for a kind of object.
func Kind(k inventory.Scope) string { return cmp.Or(nouns[k].word, string(k)) }

// CountedKind returns the word for a kind of object with a count of findings.
func CountedKind(k inventory.Scope) string { return cmp.Or(nouns[k].counted, Kind(k)) }

// PageKind returns the word for a kind of object in the HTML report.
func PageKind(k inventory.Scope) string { return cmp.Or(nouns[k].page, Kind(k)) }

// TargetKind returns the word for a kind of object that a plan changes.
func TargetKind(k inventory.Scope) string { return cmp.Or(nouns[k].target, Kind(k)) }

// OwnerKind returns the kind of a device's owner, or "" if k is not a device.
func OwnerKind(k inventory.Scope) string { return nouns[k].owner }

// Object returns an object's name after the word for its kind.
func Object(o inventory.Ref) string { return Kind(o.Kind) + " " + o.Name }

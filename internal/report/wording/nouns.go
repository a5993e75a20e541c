package wording

import (
	"github.com/vperf/vperf/pkg/inventory"
)

// objectKind is a kind of object as people say it.
func ObjectKind(k inventory.Scope) string {
	switch k {
	case inventory.ScopePNIC:
		return "NIC"
	case inventory.ScopeVNIC:
		return "virtual NIC"
	case inventory.ScopeVDisk:
		return "virtual disk"
	case inventory.ScopeLUN:
		return "device"
	case inventory.ScopeVMKNIC:
		return "VMkernel NIC"
	case inventory.ScopeHBA:
		return "adapter"
	case inventory.ScopeVCenter:
		return "vCenter"
	case inventory.ScopeVM:
		return "VM"
	}
	return string(k)
}

// objectText is an object with the word for its kind.
func ObjectText(o inventory.Ref) string { return ObjectKind(o.Kind) + " " + o.Name }

// countWords are the kinds of objects that a count names in other words than objectKind.
var countWords = map[inventory.Scope]string{
	inventory.ScopeVMKNIC: "VMkernel adapter", inventory.ScopeHBA: "storage adapter", inventory.ScopeLUN: "storage device",
	inventory.ScopePool: "resource pool", inventory.ScopeVCenter: "vcenter",
}

// objectWord returns the noun for a kind of object beside a count.
func ObjectWord(k inventory.Scope) string {
	if word, ok := countWords[k]; ok {
		return word
	}
	return ObjectKind(k)
}

// ownerWords are what devices belong to.
var OwnerWords = map[inventory.Scope]string{
	inventory.ScopePNIC: "host", inventory.ScopeVMKNIC: "host", inventory.ScopeHBA: "host", inventory.ScopeLUN: "host",
	inventory.ScopeVNIC: "VM", inventory.ScopeVDisk: "VM",
}

// kindWord is a kind of target as people say it.
func KindWord(kind inventory.Scope) string {
	switch kind {
	case inventory.ScopeVM:
		return "VM"
	case inventory.ScopeSwitch:
		return "distributed switch"
	}
	return string(kind)
}

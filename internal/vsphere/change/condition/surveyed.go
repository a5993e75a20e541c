// Package condition checks targets before they are changed: whether they exist, respond and are busy, who owns them, which
// privileges the user has on them, and which obstacles prevent a change. It changes nothing.
package condition

import (
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties that a survey reads.
const (
	PathHostUUID = "hardware.systemInfo.uuid"
	PathBooted   = "runtime.bootTime"
	pathTasks    = "recentTask"
	pathOwner    = "owner"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// Types lists the managed object types that a target of a kind can have. The server knows which one it is.
var Types = map[inventory.Scope][]string{
	inventory.ScopeHost:      {property.TypeHost},
	inventory.ScopeVM:        {property.TypeVM},
	inventory.ScopeCluster:   {property.TypeCluster},
	inventory.ScopePool:      {"ResourcePool", "VirtualApp"},
	inventory.ScopeSwitch:    {"VmwareDistributedVirtualSwitch", property.TypeSwitch},
	inventory.ScopeDatastore: {property.TypeDatastore},
}

// survey holds the facts about targets at one moment. Every object is found by its id alone: a server never reuses an id and
// reports the type of each object.
type survey struct {
	*session.Session
	protected []NamePattern

	objects map[string]*property.Props // the targets that exist
	tasks   map[string]string          // unfinished tasks: a description of one per object
	fields  tagging.Fields
	user    inventory.Fact[string] // the logged-in user, as the server names it
	parents map[string]ref         // of hosts
	names   map[string]string      // of clusters

	vcenter    OwnVM
	tags       inventory.Fact[map[ref]tagging.Tagged]
	privileges map[ref]inventory.Fact[[]string]
	owners     owners
}

// owners holds who sets the settings of hosts and clusters, as far as it could be read.
type owners struct {
	profiled map[string]inventory.Fact[bool]   // by cluster: whether a configuration profile owns it
	profiles inventory.Fact[map[string]string] // host profiles by the host or cluster that they are attached to
	manager  inventory.Fact[bool]              // whether SDDC Manager manages the vCenter
}

func newOwners() owners {
	return owners{
		profiled: map[string]inventory.Fact[bool]{},
		profiles: inventory.Absent[map[string]string](), manager: inventory.Absent[bool](),
	}
}

// place returns the host and the cluster of an object. For a pool and a cluster itself the cluster is known without a host.
func (v *survey) place(p *property.Props) (host, cluster string) {
	switch {
	case p.Ref.Type == property.TypeHost:
		host = p.Ref.Value
	case p.Ref.Type == property.TypeVM:
		host, _ = property.Read(p, tree.PathVMHost, property.ID, property.Required).Value()
	case property.IsCluster(p.Ref):
		return "", p.Ref.Value
	case property.IsPool(p.Ref):
		if owner, ok := property.Read(p, pathOwner, property.As[ref], property.Required).Value(); ok && property.IsCluster(owner) {
			return "", owner.Value
		}
	}
	if parent := v.parents[host]; property.IsCluster(parent) {
		cluster = parent.Value
	}
	return host, cluster
}

// Booted returns when a host or a VM was last started, or the zero time if the server does not report it.
func Booted(p *property.Props) time.Time {
	since, _ := property.Read(p, PathBooted, asTime, property.Required).Value()
	return since
}

func asTime(v any) (time.Time, bool) {
	t, ok := v.(time.Time)
	return t.UTC(), ok
}

// Package condition looks at targets before they are changed: whether they are there, run, are busy, who owns them, what the user
// may do on them, and what keeps them from being changed. It changes nothing.
package condition

import (
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/marks"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
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

// Types are the managed objects that a target of a kind can be. The server knows which it is.
var Types = map[inventory.Scope][]string{
	inventory.ScopeHost:      {property.TypeHost},
	inventory.ScopeVM:        {property.TypeVM},
	inventory.ScopeCluster:   {property.TypeCluster},
	inventory.ScopePool:      {"ResourcePool", "VirtualApp"},
	inventory.ScopeSwitch:    {"VmwareDistributedVirtualSwitch", property.TypeSwitch},
	inventory.ScopeDatastore: {property.TypeDatastore},
}

// survey is one look at targets. Every object is found by its id alone: a server uses none twice, and says itself of which
// type an object is.
type survey struct {
	*session.Session
	protected []NamePattern

	objects map[string]*property.Props // of the targets that are there
	tasks   map[string]string          // on them, that are not over: words for one of each object's
	fields  marks.Fields
	user    inventory.Fact[string] // as the server calls who is logged in
	parents map[string]ref         // of hosts
	names   map[string]string      // of clusters

	vcenter    OwnVM
	tags       inventory.Fact[map[ref][]string]
	privileges map[ref]inventory.Fact[[]string]
	owners     owners
}

// owners are those who set what hosts and clusters have, as far as it could be found out.
type owners struct {
	profiled map[string]inventory.Fact[bool]   // by cluster: whether a configuration profile owns it
	profiles inventory.Fact[map[string]string] // host profiles by the host or cluster they are attached to
	manager  inventory.Fact[bool]              // whether SDDC Manager looks after the vCenter
}

func newOwners() owners {
	return owners{
		profiled: map[string]inventory.Fact[bool]{},
		profiles: inventory.Absent[map[string]string](), manager: inventory.Absent[bool](),
	}
}

// place is the host and the cluster around an object; those of a pool and a cluster itself are known without a host.
func (v *survey) place(p *property.Props) (host, cluster string) {
	switch {
	case p.Ref.Type == property.TypeHost:
		host = p.Ref.Value
	case p.Ref.Type == property.TypeVM:
		host, _ = property.Read(p, tree.PathVMHost, property.ID, property.Must).Value()
	case property.IsCluster(p.Ref):
		return "", p.Ref.Value
	case property.IsPool(p.Ref):
		if owner, ok := property.Read(p, pathOwner, property.As[ref], property.Must).Value(); ok && property.IsCluster(owner) {
			return "", owner.Value
		}
	}
	if parent := v.parents[host]; property.IsCluster(parent) {
		cluster = parent.Value
	}
	return host, cluster
}

// Booted is when a host or a VM was started last; zero where the server does not say.
func Booted(p *property.Props) time.Time {
	since, _ := property.Read(p, PathBooted, asTime, property.Must).Value()
	return since
}

func asTime(v any) (time.Time, bool) {
	t, ok := v.(time.Time)
	return t.UTC(), ok
}

package property

import "github.com/vmware/govmomi/vim25/types"

// ref names a managed object.
type ref = types.ManagedObjectReference

// Types of managed objects.
const (
	TypeHost      = "HostSystem"
	TypeVM        = "VirtualMachine"
	TypeCluster   = "ClusterComputeResource"
	TypeDatastore = "Datastore"
	TypeSwitch    = "DistributedVirtualSwitch" // of any maker
)

// IsPool reports whether r is a resource pool or a vApp, which is one with VMs that start together.
func IsPool(r ref) bool { return r.Type == "ResourcePool" || r.Type == "VirtualApp" }

// IsSwitch reports whether r is a distributed switch, of any maker.
func IsSwitch(r ref) bool { return Queried(r.Type) == TypeSwitch }

// IsCluster reports whether r is a cluster.
func IsCluster(r ref) bool { return r.Type == "ClusterComputeResource" }

// IsCompute reports whether r is a cluster, or the compute resource that stands for a host outside of clusters.
func IsCompute(r ref) bool { return r.Type == "ComputeResource" || IsCluster(r) }

// Queried is the type by which queries name objects of type of.
func Queried(of string) string {
	switch of {
	case "VirtualApp":
		return "ResourcePool"
	case "VmwareDistributedVirtualSwitch":
		return TypeSwitch
	}
	return of
}

// ViewTypes is what vperf always reads; types below them in vSphere's family tree are included.
var ViewTypes = []string{"Folder", "Datacenter", "ComputeResource", "ResourcePool", "HostSystem", "VirtualMachine"}

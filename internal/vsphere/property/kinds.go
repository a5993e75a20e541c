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
	TypeSwitch    = "DistributedVirtualSwitch" // of any vendor
)

// IsPool reports whether r is a resource pool or a vApp, which is a pool with VMs that start together.
func IsPool(r ref) bool { return r.Type == "ResourcePool" || r.Type == "VirtualApp" }

// IsSwitch reports whether r is a distributed switch of any vendor.
func IsSwitch(r ref) bool { return QueryType(r.Type) == TypeSwitch }

// IsCluster reports whether r is a cluster.
func IsCluster(r ref) bool { return r.Type == "ClusterComputeResource" }

// IsCompute reports whether r is a cluster, or the compute resource of a standalone host.
func IsCompute(r ref) bool { return r.Type == "ComputeResource" || IsCluster(r) }

// QueryType returns the type name to use in queries for objects of a type.
func QueryType(of string) string {
	switch of {
	case "VirtualApp":
		return "ResourcePool"
	case "VmwareDistributedVirtualSwitch":
		return TypeSwitch
	}
	return of
}

// ViewTypes are the types that vperf always reads, including their subtypes.
var ViewTypes = []string{"Folder", "Datacenter", "ComputeResource", "ResourcePool", "HostSystem", "VirtualMachine"}

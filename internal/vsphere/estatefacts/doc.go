// Package estatefacts says how the facts of what hosts and VMs belong to and share are read: clusters, pools, distributed
// switches and their port groups, datastores, and the vCenter itself.
package estatefacts

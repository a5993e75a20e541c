// Package estatefacts defines how the facts of shared objects are read: clusters, pools, distributed switches and their port
// groups, datastores, and the vCenter itself.
package estatefacts

// Package vsphere is the only door to vCenter Server and ESXi: it opens sessions, verifies certificates, and reads
// facts in bulk into pkg/inventory.
//
// A [Session] sends every request through one call, which owns deadline, retry, re-login, counting and the
// translation of faults into vperf's words. Reading is driven by tables that say which facts come from which
// properties; only what is needed is asked for, in a handful of paged retrievals whatever the size of the fleet. What
// takes a call to each host is read apart, by [Session.Fill], for chosen hosts.
//
// Sessions can be kept for the next command in the files that govc uses.
package vsphere

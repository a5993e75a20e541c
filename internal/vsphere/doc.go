// Package vsphere is the only door to vCenter Server and ESXi: it opens sessions, verifies certificates, and reads
// facts in bulk into pkg/inventory.
//
// A [Session] sends every request through one call, which owns deadline, retry, re-login, counting and the
// translation of faults into vperf's words. Reading is driven by tables that say which facts come from which
// properties; only what is needed is asked for, in a handful of paged retrievals whatever the size of the fleet. What
// takes a call to each host is read apart, by [Session.Fill], for chosen hosts.
//
// [Session.Estate] is the server as pkg/tuning changes it: how targets are and who owns them (survey.go, protect.go,
// owner.go), power and maintenance within limits (await.go), and traces. What begins a task waits for its end, believes
// what it sees and not the task, and has the task cancelled when it gives up.
//
// Sessions can be kept for the next command in the files that govc uses.
package vsphere

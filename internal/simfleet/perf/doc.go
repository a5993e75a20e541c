// Package perf adds a vCenter's performance manager to the simulator: the statistics of hosts and VMs, all derived from the load
// model.
package perf

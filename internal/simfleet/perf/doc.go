// Package perf teaches the simulator a vCenter's performance manager: the statistics of hosts and VMs, each figure a view of the
// load model.
package perf

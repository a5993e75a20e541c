// Package live combines counters with inventory: measurements of hosts, VMs, NICs, LUNs and virtual disks during a
// period become facts for rules, such as vm.live("cpu.ready").p95. It knows the inputs of each fact, and when a figure
// is not meaningful, but no thresholds.
package live

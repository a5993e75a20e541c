// Package live joins counters with inventory: what was measured of hosts, VMs, NICs, LUNs and virtual disks during a window
// becomes facts that rules ask for, such as vm.live("cpu.ready").p95. It knows what each fact is made of, and when a figure
// says nothing, and no thresholds.
package live

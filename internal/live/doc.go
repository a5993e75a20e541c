// Package live joins counters with inventory: what was measured of hosts and VMs during a window becomes facts that rules
// ask for, such as vm.live("cpu.ready").p95. It knows what each fact is made of, and no thresholds.
package live

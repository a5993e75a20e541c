// Package load computes the load of the demo fleet's hosts and VMs. It is a function only of the objects' names, the 20-second
// slot, and the settings at the start of the slot. So repeated requests return the same values, and statistics, quick stats, NIC
// counters and the Esxtop service agree, since all are derived from them. It does not depend on the simulator.
//
// It computes three steps: each guest's demand, the resulting pressure on a host (Pressure), and what each VM gets (VMFigures). A
// host's own values (HostFigures) are the sums.
package load

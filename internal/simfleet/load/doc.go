// Package load works out what the demo fleet's hosts and VMs have to do. It is a function of who they are, of the 20 seconds that
// are looked at, and of the settings in force when those began. Nothing else: whoever asks twice gets the same, and statistics,
// quick stats, counters of NICs and the Esxtop service agree, since all of them show these figures. It knows nothing of the
// simulator.
//
// It goes in three steps: what each guest wants (demand), what that does to a host (Pressure), and what each VM then gets
// (VMFigures). A host's own figures (HostFigures) are the sums.
package load

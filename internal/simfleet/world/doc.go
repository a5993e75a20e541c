// Package world has the types shared by the APIs added to the simulator: the hosts of the demo fleet with their current settings,
// and common faults.
package world

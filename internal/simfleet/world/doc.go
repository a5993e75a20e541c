// Package world is what the APIs that the simulator is taught share: the hosts of the demo fleet with their settings in force, and
// the faults that calls end with.
package world

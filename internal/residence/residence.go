// Package residence keeps the resident memory of a process that runs for months small.
package residence

import "runtime/debug"

// Release returns unused memory to the system: freed memory of the heap, and pages of the program's file. It collects garbage, so it is
// for the end of work that needs much memory and comes seldom.
func Release() {
	debug.FreeOSMemory()
	ReleaseProgram()
}

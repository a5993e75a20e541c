// Package script writes a plan as a script for other tools, with its undo, for sites where vperf itself may not write.
// Before each change, a script checks that the present value is the plan's before-value, and afterwards that the change
// was made. Changes that a tool cannot make are comments in its script.
package script

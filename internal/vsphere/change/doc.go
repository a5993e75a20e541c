// Package change implements the server side of pkg/tuning: one writer for each kind of setting, power and maintenance operations
// with time limits (await.go), and vCenter events. Operations that start a task wait for its end, verify the result on the object
// instead of trusting the task, and cancel the task when they give up. Package condition reads the state and the owners of
// targets, and package evacuation whether a host can be evacuated; both only read.
package change

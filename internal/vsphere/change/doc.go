// Package change is a server as pkg/tuning changes it: one writer for each kind of setting, power and maintenance within limits
// (await.go), and traces. What begins a task waits for its end, believes what it sees and not the task, and has the task
// cancelled when it gives up. How targets are and who owns them is in condition, whether a host can be evacuated in evacuation;
// both only read.
package change

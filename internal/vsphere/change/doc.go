// Package change is a server as pkg/tuning changes it: how targets are and who owns them (survey.go, protect.go, owner.go),
// one writer for each kind of setting, power and maintenance within limits (await.go), and traces. What begins a task waits
// for its end, believes what it sees and not the task, and has the task cancelled when it gives up.
package change

// Package tuning changes settings and undoes changes. [NewPlan] computes a plan from proposals and live values; [Apply]
// makes its changes step by step and records each intent before it carries it out; [Recover] settles interrupted runs;
// [Rollback] undoes a run.
//
// Three small interfaces separate the package from the server: [Settings] reads and writes, [Power] shuts down, starts
// and evacuates, [Events] posts events. Nothing in this package knows vSphere.
package tuning

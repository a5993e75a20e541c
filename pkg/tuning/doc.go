// Package tuning changes settings and takes changes back. [NewPlan] works out, from live values, what a change would be;
// [Apply] makes it step by step with every intention written down before it is carried out; [Recover] settles what a run
// that was cut short left open; [Rollback] goes back.
//
// What is changed lies behind three small interfaces: [Settings] reads and writes, [Power] shuts down, starts and
// evacuates, [Events] leaves traces. Nothing here knows vSphere.
package tuning

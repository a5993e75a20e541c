// Package esxtop computes every figure of esxtop, whatever the source: it knows where each one comes from and how it is
// computed.
//
// The catalogue has one entry for each figure; columns, counters of the batch CSV, names for Prometheus and
// docs/metrics.md come from it. A Source returns the activity of hosts in rounds of Frames: from the hosts' Esxtop
// service, through Schema, Sample and Deriver; from the PerformanceManager; or from a capture. Values that a source
// does not provide are absent, never 0.
package esxtop

// Package esxtop measures: it knows every figure of esxtop, where it comes from and how it is computed, whatever the source.
//
// The catalogue has one entry for each figure; columns, counters of the batch CSV, names for Prometheus and docs/metrics.md
// come from it. A Source tells what hosts do in rounds of Frames: the Esxtop service of the hosts, by way of Schema, Sample
// and Deriver; the PerformanceManager; or a capture. What a source does not tell is absent, never 0.
package esxtop

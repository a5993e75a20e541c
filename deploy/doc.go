// Package deploy makes what runs beside the exporter, from the catalogue of metrics: recording rules, alerts and their tests,
// dashboards, and the names of vmware_exporter. Names, units, words and thresholds are taken from where vperf itself has
// them, so that they cannot say something else. What it makes is committed; a test fails where the two differ.
package deploy

// Package ledger stores a server's counters for Prometheus: sums that count every sample exactly once and never
// decrease, the latest gauges, and the number of missed samples. Stale series are hidden, but their sums are kept, so
// that a counter continues when its object is back.
package ledger

// Package ledger keeps the books of a server's counters for Prometheus: sums that take in every sample exactly once and never go
// back, gauges as they were last, and how many samples could not be had. What is old is not shown; what was summed up is kept,
// so that a counter goes on when its object is back.
package ledger

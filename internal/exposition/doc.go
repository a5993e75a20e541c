// Package exposition writes metrics for Prometheus: the text format 0.0.4 and OpenMetrics 1.0.0. It streams its output
// without storing it, because a page of a large vCenter has hundreds of thousands of series. Tests prove that its
// output equals that of Prometheus's own library.
package exposition

// Package exposition writes metrics as Prometheus reads them: the text format 0.0.4 and OpenMetrics 1.0.0. It appends bytes
// and keeps nothing, since a page of a large vCenter has hundreds of thousands of series; what it writes is proven equal to
// what Prometheus's own library writes.
package exposition

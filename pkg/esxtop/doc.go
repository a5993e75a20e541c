// Package esxtop will measure: the metric catalogue, sources, parsers and frames of esxtop's counters. Nothing lives here
// yet; its walls already stand: no govmomi, no terminal, no Prometheus.
package esxtop

// Package exporter tells Prometheus. Each target, which is a vCenter or an ESXi host, is sampled once whatever the number of
// scrapers; a scrape reads what was sampled last.
package exporter

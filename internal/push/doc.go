// Package push sends the exporter's series to receivers that cannot scrape it: by Prometheus remote write, and by
// OpenTelemetry's protocol (OTLP) over HTTP.
//
// Each sample is pushed once, with its own time. A book of each source decides which samples are new; encoded requests
// wait in a queue of a limited size, one for each receiver; one sender takes them in their order and repeats a request
// until it is accepted, refused, or dropped because the queue is full. Whatever is dropped is counted.
package push

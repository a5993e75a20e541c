// Package probe holds the file of `vperf probe`: its format, its redaction, its summary, and its import into the tables of vperf.
// It reads no server.
package probe

// Package doctor checks whether vperf will work with a server: connection, certificate, account, release, counters and privileges, and
// what each command takes. Its checks are a table over small interfaces; they decide, and neither call vSphere themselves nor print.
package doctor

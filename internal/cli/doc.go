// Package cli is vperf's command line: one file a command, one place that turns errors into exit codes.
package cli

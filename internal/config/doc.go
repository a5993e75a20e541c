// Package config finds out which servers to talk to and how: from flags, VPERF_* variables, contexts kept in a file, and
// GOVC_* variables. Every value knows where it came from, and every password is asked for at the last moment.
package config

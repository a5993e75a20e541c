// Package config finds out which server to talk to and how: from flags, from VPERF_* and GOVC_* variables. Every value
// knows where it came from.
package config

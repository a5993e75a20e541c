// Package config finds out which servers to use and how to connect: from flags, VPERF_* variables, contexts in a file,
// and GOVC_* variables. Every value has its origin, and passwords are read as late as possible.
package config

// Package perhost makes calls that only a single host can answer: esxcli commands and the options of kernel modules. [Parallel]
// asks several hosts in parallel.
package perhost

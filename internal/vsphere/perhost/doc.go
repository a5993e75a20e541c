// Package perhost makes calls that only a single host can answer: esxcli commands and the options of kernel modules. [SideBySide]
// asks several hosts in parallel.
package perhost

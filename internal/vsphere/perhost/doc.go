// Package perhost makes calls that only one host can answer: commands of its own command line and the options of its
// kernel modules. [SideBySide] asks several hosts at a time.
package perhost

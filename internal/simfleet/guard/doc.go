// Package guard stands between clients and govmomi's simulator. It refuses what would reach files, containers and accounts of the local
// machine (check.go), survives panics (panics.go), and works around faults of the simulator's property collector and of its updates.
// A comment that begins with the simulator's version states each fault.
package guard

// Package simfleet is the demo fleet: govmomi's simulator dressed as a vCenter with real-looking hosts and VMs, each
// with a known fault or known to be clean.
//
// The data are YAML, in package fleetdata; the rest turns a row into the objects a vSphere client reads and answers
// writes as strictly as a host does. The inventory, its ids and their order are the same on every start; only
// what is named fresh follows the clock.
//
// The simulator trusts its callers: it serves files to anybody who asks and a wrong request can stop it for good. So
// the fleet never listens beyond loopback, serves a handful of paths, and looks at each request before the simulator
// does (package guard).
package simfleet

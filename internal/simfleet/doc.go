// Package simfleet is the demo fleet: govmomi's simulator configured as a vCenter with realistic hosts and VMs, each with a known
// fault or known to be without faults.
//
// The data are YAML, in package fleetdata; the other code turns a row into the objects that a vSphere client reads, and checks
// writes as strictly as a host does. The inventory, its ids and their order are the same on every start; only names of sessions
// and the like depend on the clock.
//
// The simulator trusts its clients: it serves files without a login, and an invalid request can make it stop. So the fleet
// listens on loopback only, serves a few paths, and checks each request before the simulator gets it (package guard).
package simfleet

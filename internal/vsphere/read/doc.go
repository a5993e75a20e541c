// Package read reads the inventory of an endpoint: the facts that are needed, in a handful of paged retrievals whatever the
// size of the fleet. What takes a call to each host is read apart, by [Fill], for chosen hosts. [Origins] lists where each
// fact comes from.
package read

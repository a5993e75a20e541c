// Package read reads the inventory of an endpoint: the needed facts, in a few paged retrievals for a fleet of any size. Facts
// that take calls to each host are read separately by [Fill] for chosen hosts. [Origins] lists the source of each fact.
package read

// Package measure reads counters: from the PerformanceManager every 20 seconds, or from the Esxtop service of the hosts. A
// [Roster] lists hosts and VMs, and can follow changes. Both sources implement esxtop.Source.
package measure

// Package measure reads counters: from the PerformanceManager every 20 seconds, or from the Esxtop service of the hosts. A
// [Roster] says who is there, and can follow what changes. Both sources are an esxtop.Source.
package measure

// Package trials runs the experiments of pkg/trial on a server: it finds the units that a plan changes, reads the hour before, switches
// the changes through pkg/tuning's journal, and hands on the server's samples and events. It decides nothing about the statistics, and
// prints nothing.
package trials

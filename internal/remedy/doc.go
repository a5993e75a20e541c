// Package remedy turns findings into proposals: what a rule asks for becomes a change of one setting of a managed object,
// if who runs vperf consented to it. It never talks to a server and never prints.
package remedy

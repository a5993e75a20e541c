// Package remedy turns findings into proposals: a rule's remedy becomes a change of one setting of a managed object, if
// the user has approved it. The package never talks to a server and never prints.
package remedy

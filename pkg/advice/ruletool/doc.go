// Package ruletool helps those who write rules: it proves the examples of rules ([Prove]), tests how much they prove
// ([Mutants]), lists what a rule is missing ([Missing]) and writes rules to begin with ([Starter]).
package ruletool

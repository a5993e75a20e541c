// Package ruletool helps rule authors: it runs the examples of rules ([Prove]), measures how much they cover
// ([Mutants]), lists missing parts of rules ([Missing]) and writes starter rules ([Starter]).
package ruletool

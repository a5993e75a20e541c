// Package trialreport renders trials: their plans, the view while they run, their results, and the list of them. Each renderer is a
// pure function of data and a writer; it decides nothing and reads no clock.
package trialreport

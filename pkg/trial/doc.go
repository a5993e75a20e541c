// Package trial measures the effect of one change on live hosts by an experiment.
//
// A change is switched on and off by lot ([Run], designs switchback and slow switchback), or made on hosts that are
// drawn by lot ([DrawLot], design randomised). The outcome of each block of time is a figure per unit of work
// ([Outcome]), so that load that comes and goes does not look like an effect. [Analyse] computes the estimate, its
// interval, an exact p value, an e-value that stays valid whenever one looks, and the [Verdict].
//
// The package knows neither vSphere nor a clock. It switches, samples and hears events through three interfaces
// ([Estate]), and all times are those of the samples. Whatever is random follows from [Registration.Seed].
package trial

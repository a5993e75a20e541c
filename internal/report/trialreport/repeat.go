package trialreport

import (
	"strconv"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
)

// repeatCommand is the command that makes the same trial again: with the same schedule, blocks, outcome and guards. A trial with
// spare pairs had its length from the noise, and so has its repetition.
func repeatCommand(r *trial.Registration, c *trials.Conditions) string {
	words := append([]string{"trial", "run"}, targets(r, c)...)
	words = append(words, "--rule", r.Rule, "--outcome", r.Outcome.ID, "--min-effect", typedPercent(r.MinEffect))
	if r.Design.Switches() && r.Pairs > 0 {
		if r.Spare == 0 {
			words = append(words, "--for", iostreams.Brief(2*time.Duration(r.Pairs)*r.Block))
		}
		words = append(words, "--block", iostreams.Brief(r.Block))
	}
	if r.Design == inventory.DesignRandomised && r.Pairs > 1 {
		words = append(words, "--for", iostreams.Brief(2*time.Duration(r.Pairs)*r.Block))
	}
	for _, p := range c.Params {
		words = append(words, "--set", p)
	}
	for _, g := range r.Guards {
		if g.Text != "" {
			words = append(words, "--guard", g.Text)
		}
	}
	words = append(words, "--seed", strconv.FormatUint(r.Seed, 10))
	return command(c, words...)
}

// command returns a command with the source of a trial. Before a trial had one, simulated trials that switch were those of the demo fleet.
func command(c *trials.Conditions, words ...string) string {
	from := typed.Source{Server: c.Source}
	if c.Simulated {
		from = from.Or("--demo")
	}
	return from.Command(words...)
}

// targets are the arguments that choose the units of a trial.
func targets(r *trial.Registration, c *trials.Conditions) []string {
	var flags, names []string
	for _, u := range r.Units {
		switch u.Kind {
		case inventory.ScopeHost:
			names = append(names, u.Name)
		case inventory.ScopeVM:
			flags = append(flags, "--vm", u.Name)
		case inventory.ScopeCluster:
			flags = append(flags, "--cluster", u.Name)
		}
	}
	if len(names)+len(flags) == 0 {
		for _, h := range c.Hosts {
			names = append(names, h.Name)
		}
	}
	return append(names, flags...)
}

// typedPercent formats a fraction as a flag takes it: 5%.
func typedPercent(fraction float64) string {
	return strconv.FormatFloat(fraction*100, 'g', 6, 64) + "%"
}

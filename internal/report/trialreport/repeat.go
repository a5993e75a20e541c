package trialreport

import (
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
)

// repeatCommand is the command that makes the same trial again: with the same schedule, blocks, outcome and guards. A trial with
// spare pairs had its length from the noise, and so has its repetition.
func repeatCommand(r *trial.Registration, c *trials.Conditions) string {
	words := append([]string{"vperf", "trial", "run"}, targets(r, c)...)
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
	if c.Simulated && r.Design.Switches() { // the demo fleet does not last for days
		words = append(words, "--demo")
	}
	return typed(words)
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

// typed joins the words of a command as a shell reads them.
func typed(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = iostreams.Quoted(wording.Clean(w))
	}
	return strings.Join(quoted, " ")
}

// typedPercent formats a fraction as a flag takes it: 5%.
func typedPercent(fraction float64) string {
	return strconv.FormatFloat(fraction*100, 'g', 6, 64) + "%"
}

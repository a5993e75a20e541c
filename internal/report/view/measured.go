package view

import (
	"slices"
	"time"

	"github.com/vperf/vperf/internal/report/wording"
)

// MeasuredHere is the effect of a rule's change that a trial measured on the user's own hosts.
type MeasuredHere struct {
	Rule      string    `json:"rule"`
	Run       string    `json:"run"` // of the trial, for vperf trial show
	Date      time.Time `json:"date"`
	Server    string    `json:"server,omitempty"`
	Units     []string  `json:"units"` // names of what was switched
	Verdict   string    `json:"verdict"`
	Text      string    `json:"text"`      // the verdict in a sentence, with the effect and its interval
	Simulated bool      `json:"simulated"` // on the demo fleet
}

// Words returns the measurement as one line: the sentence, where and when, and where the whole of it is.
func (m MeasuredHere) Words() string {
	s := wording.OneLine(m.Text) + "; " + m.Where() + ", vperf trial show " + m.Run
	if m.Simulated {
		return "Simulated: " + s
	}
	return s
}

// Where returns the day and the objects of the measurement.
func (m MeasuredHere) Where() string {
	s := m.Date.UTC().Format(time.DateOnly) + " on " + wording.SomeNames(m.Units)
	if m.Server != "" {
		s += ", " + m.Server
	}
	return s
}

// measuredFor returns the trials of the rules whose changes a recommendation makes, in the given order.
func (v *View) measuredFor(r *Recommendation) []MeasuredHere {
	rules := []string{r.Rule.ID}
	for _, f := range r.Findings {
		rules = append(rules, f.Rule.ID)
	}
	var all []MeasuredHere
	for _, m := range v.MeasuredHere {
		if slices.Contains(rules, m.Rule) {
			all = append(all, m)
		}
	}
	return all
}

// mostMeasuredHere is how many trials of one recommendation a screen shows: the newest says most about the hosts as they are.
const mostMeasuredHere = 1

func (w *writer) measuredHere(r *Recommendation) []string {
	lines := make([]string, len(r.MeasuredHere))
	for i, m := range r.MeasuredHere {
		lines[i] = m.Words()
	}
	return w.some(lines, mostMeasuredHere)
}

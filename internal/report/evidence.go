package report

import (
	"strings"

	"github.com/vperf/vperf/pkg/advice"
)

// Evidence is what a finding shows, as links of its own.
func Evidence(f *advice.Finding) []Link {
	links := make([]Link, len(f.Evidence))
	for i, m := range f.Evidence {
		links[i] = Link{Rule: f.Rule, Object: f.Object, Name: m.Name, Value: m.Value}
		if source := sourceOf(f.Rule, m.Name); counted.MatchString(source) {
			links[i].Unit, links[i].Stat = unitOf(source)
		}
	}
	return links
}

// Said is a link as people read it: what it is called, and its value with its unit and which of the samples' it is, or that it
// is absent or why it was not read.
func (l Link) Said() (name, value string) {
	name, unit := saidName(l.Name)
	if l.Unit != "" && unit != "/s" {
		unit = l.Unit
	}
	value = text(l.Value, func(v any) string { return saidValue(v, name, unit) })
	if _, known := l.Value.Value(); known && l.Stat != "" && !strings.Contains(name, l.Stat) {
		value += " (" + l.Stat + ")"
	}
	return name, value
}

package page

import (
	"regexp"

	"github.com/vperf/vperf/pkg/advice"
)

// compared matches where a rule compares a counter with a parameter, such as `vm.live("cpu.ready").p95 <= params.ok`, or with one of two
// by profile.
var compared = regexp.MustCompile(`\.live\("([^"]+)"\)\.\w+\s*(?:<=?|>=?)\s*` +
	`(?:params\.(\w+)|\(profile == "(\w+)" \? params\.(\w+) : params\.(\w+)\))\s*(?:$|&&|\|\||\))`)

// threshold is the limit that a finding's rule has for a counter. It is not ok where the rule computes its limit.
func threshold(f *advice.Finding, metric string) (v float64, ok bool) {
	if f == nil || f.Rule == nil {
		return 0, false
	}
	for _, m := range compared.FindAllStringSubmatch(f.Rule.Want.Source, -1) {
		if m[1] != metric {
			continue
		}
		name := m[2]
		switch {
		case name != "":
		case string(f.Profile) == m[3]:
			name = m[4]
		default:
			name = m[5]
		}
		return paramOf(f.Rule, name)
	}
	return 0, false
}

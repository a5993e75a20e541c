package advice

import "github.com/vperf/vperf/pkg/inventory"

// Reads lists the facts that each of the rules reads by itself, by id, without what the automatic profile reads.
func (s *Ruleset) Reads() map[string]inventory.Needs {
	reads := make(map[string]inventory.Needs, len(s.rules))
	for _, r := range s.rules {
		reads[r.ID] = r.needs
	}
	return reads
}

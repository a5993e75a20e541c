package tables

import (
	"slices"

	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/pkg/inventory"
)

// Release is what the tables describe of a release.
type Release struct {
	Release   string   `json:"release"`
	Origin    string   `json:"origin"` // shipped or own
	Builds    []string `json:"builds,omitempty"`
	Probes    []string `json:"probes,omitempty"` // digests
	Simulated bool     `json:"simulated,omitempty"`
	Options   int      `json:"options"` // that the table describes in this release
	Answered  int      `json:"callsAnswered"`
	Asked     int      `json:"callsAsked"`
}

// Releases lists the releases of the tables.
func Releases(table *inventory.OptionTable, capabilities *probe.Capabilities) []Release {
	var all []Release
	for _, name := range table.Releases() {
		r := Release{Release: name, Origin: "own"}
		if slices.Contains(inventory.Releases(), name) {
			r.Origin = "shipped"
		}
		for _, s := range table.Sources() {
			if s.Release == name {
				r.Builds, r.Probes, r.Simulated = append(r.Builds, s.Build), append(r.Probes, s.Digest), r.Simulated || s.Simulated
			}
		}
		for _, key := range table.Keys() {
			doc, _ := table.Lookup(key)
			if _, ok := doc.At(name); ok {
				r.Options++
			}
		}
		r.Answered, r.Asked = capabilities.Answered(name)
		all = append(all, r)
	}
	return all
}

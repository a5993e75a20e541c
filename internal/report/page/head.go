package page

import (
	"cmp"
	"strings"
)

// head holds the source and time of the page's data.
type head struct {
	Title string
	Of    string // source
	Facts []named
}

func (s *show) head() head {
	h := head{Of: clean(cmp.Or(s.Source, "unnamed source"))}
	h.Title = "vperf report: " + h.Of
	h.Facts = append(h.Facts, named{"Scope", s.scopeWords()}, named{"As of", moment(s.TakenAt)})
	counters := "not measured"
	if !s.From.IsZero() {
		counters = span(s.From, s.To) + s.ReplayNote()
	}
	profile := "per object"
	if s.Profile != "" {
		profile = clean(string(s.Profile))
	}
	h.Facts = append(h.Facts, named{"Counters", counters}, named{"Profile", profile})
	return h
}

// scopeWords counts the objects and checks.
func (s *show) scopeWords() string {
	clusters := 0
	for _, v := range s.Snapshot.VCenters {
		clusters += len(v.Clusters)
	}
	parts := []string{counted(s.Result.Hosts, "host"), counted(s.Result.VMs, "VM")}
	if clusters > 0 {
		parts = append([]string{counted(clusters, "cluster")}, parts...)
	}
	return strings.Join(append(parts, counted(s.Result.Checks, "check")), ", ")
}

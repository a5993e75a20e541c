package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// managedNeeds are the facts that show whether a provider administers what the rules are about.
func (s *Ruleset) managedNeeds() (n inventory.Needs) {
	for _, r := range s.rules {
		if r.aboutSettings() {
			n.AddFact("Host.cloud", "Host.cloudEvidence")
			n.AddFact(managedScopes[r.Scope]...)
		}
	}
	return n
}

// addMarkNeeds adds tags, attributes or both of the objects that the rules are about.
func (s *Ruleset) addMarkNeeds(n *inventory.Needs, marks ...string) {
	for _, r := range s.rules {
		for _, m := range marks {
			n.AddFact(bearerTypes[r.Scope] + "." + m)
		}
	}
}

// bootNeeds are the facts that show whether what waits has come into force.
func (s *Ruleset) bootNeeds(waiting []Waiting) inventory.Needs {
	var n inventory.Needs
	for _, w := range waiting {
		if !slices.ContainsFunc(s.rules, func(r *compiled) bool { return r.ID == w.Rule }) {
			continue
		}
		switch w.Kind {
		case inventory.ScopeHost:
			n.AddFact("Host.bootTime")
		case inventory.ScopeVM:
			n.AddFact("VM.bootTime")
		}
	}
	return n
}

// profileNeeds are the facts ProfileOf reads.
func profileNeeds() inventory.Needs {
	var n inventory.Needs
	n.AddFact("Host.pnics", "PNIC.linkMbps", "PNIC.uplink", "Host.vsan", "Host.cores", "Host.numaNodes",
		"VM.hostId", "VM.latencySensitivity", "VM.vcpus")
	return n
}

// Reads lists the facts that each of the rules reads by itself, by id, without what the automatic profile reads.
func (s *Ruleset) Reads() map[string]inventory.Needs {
	reads := make(map[string]inventory.Needs, len(s.rules))
	for _, r := range s.rules {
		reads[r.ID] = r.needs
	}
	return reads
}

// Needs lists the facts that the rules, and what decides an object's profile, read.
func (s *Ruleset) Needs(o Options) inventory.Needs {
	var n inventory.Needs
	n.Add(profileNeeds())
	n.Add(s.managedNeeds())
	n.AddFact("Host.version", "VCenter.version") // releases newer than the tables are reported
	n.Add(s.bootNeeds(o.Waiting))
	if o.Profile == "" {
		s.addMarkNeeds(&n, factTags, factAttributes)
		if n.Any("Host." + factTags) { // a host has its cluster's profile
			n.AddFact("Host.clusterId", "Cluster."+factTags, "Cluster."+factAttributes)
		}
	}
	for _, r := range s.rules {
		n.Add(r.needs)
	}
	return n
}

// Live lists the live counters that the rules judge by or show, each once.
func (s *Ruleset) Live() []string {
	var all []Expr
	for _, r := range s.rules {
		all = append(append(all, r.Want, r.Lost), r.expressions()...)
		for _, m := range r.Remedy {
			all = append(all, m.When, m.Each, m.To)
		}
	}
	return liveIn(all...)
}

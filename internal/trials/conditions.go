package trials

import (
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Published is a benefit that somebody measured elsewhere.
type Published struct {
	Text       string `json:"text"`
	Conditions string `json:"conditions,omitempty"`
	Source     string `json:"source,omitempty"`
}

// Conditions are where a trial was made and what it switched, for the reader of its report.
type Conditions struct {
	Simulated bool            `json:"simulated,omitempty"` // the server is a demo fleet
	Source    []string        `json:"source,omitempty"`    // the arguments that name the server
	Title     string          `json:"title"`               // the rule's
	Reason    string          `json:"reason"`              // why the setting has this design
	Changes   []Changed       `json:"changes"`
	Params    []string        `json:"params,omitempty"`    // parameters of the rule that the user set: RULE.PARAM=VALUE
	Unwatched []string        `json:"unwatched,omitempty"` // guards that the source of the samples does not have
	Hosts     []HostCondition `json:"hosts"`
	Published []Published     `json:"published,omitempty"`
}

// Changed is a setting with its two values.
type Changed struct {
	Target    string `json:"target"`
	Setting   string `json:"setting"`
	Untreated string `json:"untreated"` // the present value
	Treated   string `json:"treated"`
}

// HostCondition describes a host of a trial. Facts that were not read are empty.
type HostCondition struct {
	Name    string `json:"name"`
	Model   string `json:"model,omitempty"`
	CPU     string `json:"cpu,omitempty"`
	Release string `json:"release,omitempty"`
	VMs     *int   `json:"vms,omitempty"` // that run on it; nil: not read
}

// Needs are the facts that a trial reads about its surroundings, beside those that its rule needs.
func Needs() inventory.Needs {
	var n inventory.Needs
	n.AddFact("Host.vendor", "Host.model", "Host.cpuDescription", "Host.version", "Host.build", "VM.powerState", "VM.hostId", "Cluster.hostIds", "Switch.hostIds")
	return n
}

func changesOf(p *tuning.Plan) []Changed {
	var all []Changed
	for _, s := range p.Steps {
		for _, c := range s.Changes {
			all = append(all, Changed{
				Target: s.Target.Name, Setting: c.Key(), Untreated: shown(c.Before), Treated: shown(c.After),
			})
		}
	}
	return all
}

func shown(f inventory.Fact[inventory.Value]) string {
	v, state, _ := f.Get()
	switch state {
	case inventory.StateKnown:
		return v.Text
	case inventory.StateAbsent:
		return "not set"
	}
	return "unread"
}

func hostConditions(s *inventory.Snapshot, ids []string) []HostCondition {
	var all []HostCondition
	for _, v := range s.VCenters {
		for _, h := range v.Hosts {
			if !slices.Contains(ids, h.ID) {
				continue
			}
			vendor, _ := h.Vendor.Value()
			model, _ := h.Model.Value()
			c := HostCondition{Name: h.Name}
			c.Model = joined(vendor, model)
			c.CPU, _ = h.CPUDescription.Value()
			if version, known := h.Version.Value(); known {
				build, _ := h.Build.Value()
				c.Release = joined("ESXi "+fmt.Sprint(version), build)
			}
			if vms, known := h.VMs.Value(); known {
				c.VMs = new(running(vms))
			}
			all = append(all, c)
		}
	}
	return all
}

func running(vms []*inventory.VM) (n int) {
	for _, vm := range vms {
		if power, _ := vm.PowerState.Value(); power == "poweredOn" {
			n++
		}
	}
	return n
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

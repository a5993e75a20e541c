package config

import (
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice"
)

// IncludeVMs are the VMs that do not run and are judged by every rule, as the config file lists them under include-vms.
func IncludeVMs() ([]advice.VMState, error) {
	f, err := section("include-vms", (*parser).includeVMs)
	return f.IncludeVMs, err
}

// includeVMs reads the list of states.
func (p *parser) includeVMs(f *File, list *yaml.Node) {
	if isNull(list) {
		return
	}
	if list.Kind != yaml.SequenceNode {
		p.at(list, "include-vms is not a list: write include-vms: [off, templates]")
		return
	}
	for _, n := range list.Content {
		state, err := advice.ParseVMState(n.Value)
		if err != nil {
			p.at(n, "%w", err)
			continue
		}
		f.IncludeVMs = append(f.IncludeVMs, state)
	}
}

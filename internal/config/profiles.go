package config

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Profiles are the assignments of the config file. Nothing else there matters for them: who reads a snapshot or the demo
// fleet needs no server.
func Profiles() ([]advice.Assignment, error) {
	f, err := section("profiles", (*parser).profiles)
	return f.Profiles, err
}

// profiles reads the list that gives objects their profile, in the order in which it counts.
func (p *parser) profiles(f *File, list *yaml.Node) {
	if isNull(list) {
		return
	}
	if list.Kind != yaml.SequenceNode {
		p.at(list, "profiles is not a list: begin each with a line \"- match: PATTERN\"")
		return
	}
	for _, n := range list.Content {
		f.Profiles = append(f.Profiles, p.assignment(n))
	}
}

func (p *parser) assignment(n *yaml.Node) advice.Assignment {
	a := advice.Assignment{From: fmt.Sprintf("config file, line %d", n.Line)}
	before := len(p.problems)
	p.fields(n, "an entry of profiles", map[string]func(*yaml.Node){
		"match":   p.text(&a.Match),
		"tag":     p.text(&a.Tag),
		"scope":   func(n *yaml.Node) { p.scope(&a.Scope, n) },
		"profile": func(n *yaml.Node) { p.profile(&a.Profile, n) },
	})
	if len(p.problems) > before {
		return a
	}
	if a.Match == "" && a.Tag == "" {
		p.at(n, "this entry says not which objects: add match: PATTERN (of names, as trade-*) or tag: CATEGORY/NAME")
	}
	if a.Profile == "" {
		p.at(n, "this entry gives no profile: add profile: WORD")
	}
	return a
}

func (p *parser) profile(to *advice.Profile, n *yaml.Node) {
	var err error
	if *to, err = advice.ParseProfile(n.Value); err != nil {
		p.at(n, "%w", err)
	}
}

func (p *parser) scope(to *inventory.Scope, n *yaml.Node) {
	var err error
	if *to, err = advice.ParseAssignableScope(n.Value); err != nil {
		p.at(n, "%w; devices have the profile of their owner", err)
	}
}

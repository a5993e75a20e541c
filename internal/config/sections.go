package config

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Protected returns the patterns of names of objects that must not be changed, from the section protect of the config
// file. Other sections are not checked, as with Profiles.
func Protected() ([]string, error) {
	f, err := section("protect", (*parser).protected)
	return f.Protect, err
}

// protected reads the list of patterns.
func (p *parser) protected(f *File, list *yaml.Node) {
	for _, n := range p.list(list, "protect is not a list: begin each pattern with a line \"- PATTERN\", such as - \"dc-*\"") {
		var pattern string
		if p.text(&pattern)(n); pattern != "" {
			f.Protect = append(f.Protect, pattern)
		}
	}
}

// section reads one section of the config file and ignores the others. If the path of the file is unknown, it is empty.
func section(key string, parse func(*parser, *File, *yaml.Node)) (*File, error) {
	f := new(File)
	path, err := Path()
	if err != nil {
		return f, nil //nolint:nilerr // only a command that needs a server has to report it
	}
	f.Path = path
	text, err := readConfig(path)
	if err != nil || text == nil {
		return f, err
	}
	p := &parser{file: path}
	if doc := p.document(text); doc != nil && len(doc.Content) > 0 {
		if root := doc.Content[0]; valueOf(root, key) != root {
			parse(p, f, valueOf(root, key))
		}
	}
	return f, errors.Join(p.problems...)
}

// Profiles returns the profile assignments of the config file. Other sections are not checked, because reading a
// snapshot or the demo fleet needs no server.
func Profiles() ([]advice.Assignment, error) {
	f, err := section("profiles", (*parser).profiles)
	return f.Profiles, err
}

// profiles reads the list of profile assignments, in order of precedence.
func (p *parser) profiles(f *File, list *yaml.Node) {
	for _, n := range p.list(list, "profiles is not a list: begin each entry with a line \"- match: PATTERN\"") {
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
		p.at(n, "this entry selects no objects: add match: PATTERN (of names, such as trade-*) or tag: CATEGORY/NAME")
	}
	if a.Profile == "" {
		p.at(n, "this entry has no profile: add profile: WORD")
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

// IncludeVMs returns the states of VMs that every rule evaluates although they are not running, from the section
// include-vms of the config file.
func IncludeVMs() ([]advice.VMState, error) {
	f, err := section("include-vms", (*parser).includeVMs)
	return f.IncludeVMs, err
}

// includeVMs reads the list of states.
func (p *parser) includeVMs(f *File, list *yaml.Node) {
	for _, n := range p.list(list, "include-vms is not a list: write include-vms: [off, templates]") {
		state, err := advice.ParseVMState(n.Value)
		if err != nil {
			p.at(n, "%w", err)
			continue
		}
		f.IncludeVMs = append(f.IncludeVMs, state)
	}
}

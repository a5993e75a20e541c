package config

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// FlagFile is the flag values in the config file: at its root for all commands, and in sections for the command with
// that name.
type FlagFile struct {
	path     string
	sections map[string]map[string]fileValue // "" is the root
}

// fileValue is a text or a list of texts, and its place in the file.
type fileValue struct {
	value any
	at    string
}

func (f *FlagFile) find(command string, flag *pflag.Flag) (v fileValue, found bool) {
	if v, found = f.sections[command][flag.Name]; !found && !is(flag, ownName) {
		v, found = f.sections[""][flag.Name]
	}
	return v, found
}

// LoadFlags reads the flag values of the config file. It checks that each key of the file is known, but not the content
// of other sections.
func LoadFlags(names FlagNames) (*FlagFile, error) {
	f := &FlagFile{sections: map[string]map[string]fileValue{}}
	path, err := Path()
	if err != nil {
		return f, nil //nolint:nilerr // only a command that needs a server has to report it
	}
	f.path = path
	text, err := readConfig(path)
	if err != nil || text == nil {
		return f, err
	}
	p := &parser{file: path}
	if doc := p.document(text); doc != nil && len(doc.Content) > 0 && !isNull(doc.Content[0]) {
		p.flags(f, doc.Content[0], names)
	}
	return f, errors.Join(p.problems...)
}

// flags reads the root. Keys that are not flags have their own readers.
func (p *parser) flags(f *FlagFile, root *yaml.Node, names FlagNames) {
	known := map[string]func(*yaml.Node){}
	for _, key := range fileKeys {
		known[key] = ignore
	}
	for name := range names.all() {
		known[name] = p.rootFlag(f, name, names)
	}
	for command := range names {
		if command != "" {
			known[command] = func(n *yaml.Node) { p.section(f, n, command, names[command]) }
		}
	}
	// A null here is an empty list; elements of the list are checked with their position.
	include := known["include-vms"]
	known["include-vms"] = func(n *yaml.Node) {
		if p.includeVMs(new(File), n); include != nil && !isNull(n) {
			include(n)
		}
	}
	p.fields(root, "the config file", known)
}

// rootFlag reads a value for all commands that have the flag.
func (p *parser) rootFlag(f *FlagFile, name string, names FlagNames) func(*yaml.Node) {
	var general, own []string
	typed := false
	for _, command := range slices.Sorted(maps.Keys(names)) {
		flag := names[command][name]
		switch {
		case flag == nil:
		case is(flag, ofConnection):
			return func(n *yaml.Node) {
				p.at(n, "%s cannot be set for all servers: it belongs to a context (vperf context add --help)", name)
			}
		case is(flag, onlyTyped):
			typed = true
		case is(flag, ownName):
			own = append(own, command)
		default:
			general = append(general, command)
		}
	}
	switch {
	case general != nil:
		return p.flag(f, "", name)
	case own != nil:
		return func(n *yaml.Node) {
			p.at(n, "%s has a different meaning in each command: put it under %s, as in %s: {%s: …}", name, strings.Join(own, " or "), own[0], name)
		}
	case typed:
		return func(n *yaml.Node) { p.at(n, "%s", takenFromCommandLine(name)) }
	}
	return ignore
}

func takenFromCommandLine(flag string) string {
	return "--" + flag + " is accepted on the command line only: use it there"
}

// section reads the values for one command. That of the exporter has other keys too.
func (p *parser) section(f *FlagFile, n *yaml.Node, command string, flags map[string]*pflag.Flag) {
	if isNull(n) {
		return
	}
	known := map[string]func(*yaml.Node){}
	for name, flag := range flags {
		switch {
		case is(flag, ofConnection), is(flag, onlyTyped):
			known[name] = func(n *yaml.Node) { p.at(n, "%s", takenFromCommandLine(name)) }
		default:
			known[name] = p.flag(f, command, name)
		}
	}
	if command == exporterSection {
		known["targets"] = ignore
		for key := range p.sampling(new(Sampling)) {
			known[key] = ignore
		}
	}
	p.fields(n, command, known)
}

// flag reads one value.
func (p *parser) flag(f *FlagFile, section, name string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		v := fileValue{at: p.place(n)}
		if n.Kind == yaml.SequenceNode {
			list := make([]any, len(n.Content))
			for i, item := range n.Content {
				var text string
				p.text(&text)(item)
				list[i] = text
			}
			v.value = list
		} else {
			var text string
			if p.text(&text)(n); text == "" {
				return
			}
			v.value = text
		}
		if f.sections[section] == nil {
			f.sections[section] = map[string]fileValue{}
		}
		f.sections[section][name] = v
	}
}

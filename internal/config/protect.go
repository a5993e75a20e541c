package config

import (
	"errors"

	"go.yaml.in/yaml/v3"
)

// Protected are the patterns of names of objects that are never changed, as the config file lists them under protect. As
// with profiles, nothing else there matters for them.
func Protected() ([]string, error) {
	f, err := section("protect", (*parser).protected)
	return f.Protect, err
}

// protected reads the list of patterns.
func (p *parser) protected(f *File, list *yaml.Node) {
	if isNull(list) {
		return
	}
	if list.Kind != yaml.SequenceNode {
		p.at(list, "protect is not a list: begin each pattern with a line \"- PATTERN\", such as - \"dc-*\"")
		return
	}
	for _, n := range list.Content {
		var pattern string
		if p.text(&pattern)(n); pattern != "" {
			f.Protect = append(f.Protect, pattern)
		}
	}
}

// section reads one section of the config file and leaves the others alone. Where no place for such a file is known
// there is none.
func section(key string, parse func(*parser, *File, *yaml.Node)) (*File, error) {
	f := new(File)
	path, err := Path()
	if err != nil {
		return f, nil //nolint:nilerr // only a command that needs a server has to complain
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

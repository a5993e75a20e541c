package config

import (
	"cmp"
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

func parse(path string, text []byte) (*File, error) {
	p := &parser{file: path}
	f := &File{Path: path}
	if f.doc = p.document(text); f.doc != nil {
		p.root(f)
	}
	return f, errors.Join(p.problems...)
}

// fileKeys are the keys of the root that are not flags.
var fileKeys = []string{"current", "contexts", "profiles", "protect", "include-vms", exporterSection}

func (p *parser) root(f *File) {
	if len(f.doc.Content) == 0 || isNull(f.doc.Content[0]) {
		return
	}
	var current, exporter *yaml.Node
	p.fieldsAmong(f.doc.Content[0], "the config file", map[string]func(*yaml.Node){
		"current":       func(n *yaml.Node) { current = n; p.text(&f.Current)(n) },
		"contexts":      func(n *yaml.Node) { p.contexts(f, n) },
		"profiles":      func(n *yaml.Node) { p.profiles(f, n) },
		"protect":       func(n *yaml.Node) { p.protected(f, n) },
		"include-vms":   func(n *yaml.Node) { p.includeVMs(f, n) },
		exporterSection: func(n *yaml.Node) { exporter = n; p.exporter(&f.Exporter, n) },
	})
	if exporter != nil {
		p.checkTargets(f, exporter)
	}
	if current == nil || f.Current == "" {
		return
	}
	if _, err := f.Find(f.Current); err != nil {
		p.at(current, "the current context is %q, which does not exist: the contexts are %s", f.Current, cmp.Or(strings.Join(f.Names(), ", "), "none"))
	}
}

func (p *parser) contexts(f *File, list *yaml.Node) {
	for _, n := range p.list(list, "contexts is not a list: begin each context with a line \"- name: NAME\"") {
		c := p.context(n)
		if _, err := f.Find(c.Name); err == nil && c.Name != "" {
			p.at(n, "there are two contexts %s: give each context its own name", c.Name)
		}
		f.Contexts = append(f.Contexts, c)
	}
}

func (p *parser) context(n *yaml.Node) *Context {
	c := new(Context)
	before := len(p.problems)
	p.fields(n, "a context", map[string]func(*yaml.Node){
		"name": p.text(&c.Name), "url": p.text(&c.URL), "username": p.text(&c.Username),
		"password-file": p.text(&c.PasswordFile), "password-command": p.text(&c.PasswordCommand),
		"keyring":      p.yes(&c.Keyring),
		"insecure":     func(n *yaml.Node) { c.Insecure = new(bool); p.yes(c.Insecure)(n) },
		"tls-ca-certs": p.text(&c.CAFiles), "tls-known-hosts": p.text(&c.KnownHosts), "tls-thumbprint": p.text(&c.Thumbprint),
	})
	if len(p.problems) == before { // the current context may be one with errors, which are reported already
		c.check(func(key string, err error) { p.at(valueOf(n, key), "%w", err) })
	}
	return c
}

// Load reads the config file; a missing file is empty. It refuses a file that others may write, because the file names
// the server that receives a password, and a command to run.
func Load() (*File, error) {
	path, err := Path()
	if err != nil {
		return nil, err
	}
	text, err := readConfig(path)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return &File{Path: path}, nil
	}
	return parse(path, text)
}

// checkTargets checks the contexts of targets, which may follow them in the file.
func (p *parser) checkTargets(f *File, n *yaml.Node) {
	list := valueOf(n, "targets")
	for i, t := range f.Exporter.Targets {
		if _, err := f.Find(t.Context); err != nil && t.Context != "" {
			p.at(valueOf(list.Content[i], "context"), "%w", err)
		}
	}
}

package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/inventory"
)

// parser walks the tree that YAML makes of the file and collects every mistake with its place; YAML's own strict mode
// knows lines only, and its messages can quote what must not be shown.
type parser struct {
	file     string
	problems []error
}

func parse(path string, text []byte) (*File, error) {
	p := &parser{file: path}
	f := &File{Path: path}
	if f.doc = p.document(text); f.doc != nil {
		p.root(f)
	}
	return f, errors.Join(p.problems...)
}

func (p *parser) at(n *yaml.Node, format string, args ...any) {
	p.problems = append(p.problems, fmt.Errorf("%s: %w", p.place(n), fmt.Errorf(format, args...)))
}

func (p *parser) place(n *yaml.Node) string {
	return p.file + ":" + strconv.Itoa(n.Line) + ":" + strconv.Itoa(n.Column)
}

func (p *parser) document(text []byte) *yaml.Node {
	d := yaml.NewDecoder(bytes.NewReader(text))
	doc, second := new(yaml.Node), new(yaml.Node)
	switch err := d.Decode(doc); {
	case errors.Is(err, io.EOF):
		return &yaml.Node{Kind: yaml.DocumentNode, HeadComment: strings.TrimSpace(string(text))}
	case err != nil:
		p.syntax(err)
		return nil
	}
	if err := d.Decode(second); err == nil {
		p.at(second, "a second document begins here: keep all in one")
	} else if !errors.Is(err, io.EOF) {
		p.syntax(err)
	}
	return doc
}

var (
	yamlLine    = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	yamlUnknown = regexp.MustCompile(`unknown anchor .*`)
)

// syntax gives YAML's complaint a place; the library knows no column. An alias is named by text that could have been
// meant as a value, so it is not repeated.
func (p *parser) syntax(err error) {
	text := err.Error()
	line := 1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
		text = text[len(m[0]):]
	}
	text = yamlUnknown.ReplaceAllString(text, "a value that begins with * has to be in quotes")
	p.problems = append(p.problems, fmt.Errorf("%s:%d:1: this is not YAML: %s", p.file, line, text))
}

// fields hands every value of a mapping to the reader of its key.
func (p *parser) fields(n *yaml.Node, what string, known map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		p.at(n, "%s is not a list of KEY: VALUE lines: it has %s", what, keyList(known))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := known[key.Value]
		switch {
		case key.Value == "password":
			p.at(key, "%w", errPasswordInFile)
		case !ok:
			p.at(key, "%s has no key %q; %s", what, key.Value, suggest(key.Value, known))
		case seen[key.Value]:
			p.at(key, "%s is given twice: keep one", key.Value)
		default:
			read(value)
		}
		seen[key.Value] = true
	}
}

func suggest(key string, known map[string]func(*yaml.Node)) string {
	if near := inventory.Near(key, keys(known)); len(near) > 0 {
		return "did you mean " + near[0] + "?"
	}
	return "it has " + keyList(known)
}

func keys(known map[string]func(*yaml.Node)) []string {
	var all []string
	for k := range known {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

func keyList(known map[string]func(*yaml.Node)) string { return strings.Join(keys(known), ", ") }

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// fileKeys are the keys of the root that are no flags.
var fileKeys = []string{"current", "contexts", "profiles", "protect", "include-vms", exporterSection}

const exporterSection = "exporter"

// fieldsAmong is fields where keys for flags stand among the others. LoadFlags reads and checks those.
func (p *parser) fieldsAmong(n *yaml.Node, what string, known map[string]func(*yaml.Node)) {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if key := n.Content[i].Value; known[key] == nil {
			known[key] = ignore
		}
	}
	p.fields(n, what, known)
}

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
		exporterSection: func(n *yaml.Node) { exporter = n; p.exporter(f, n) },
	})
	if exporter != nil {
		p.checkTargets(f, exporter)
	}
	if current == nil || f.Current == "" {
		return
	}
	if _, err := f.Find(f.Current); err != nil {
		p.at(current, "the current context is %q, which is not among the contexts: they are %s", f.Current, cmp.Or(strings.Join(f.Names(), ", "), "none"))
	}
}

func (p *parser) contexts(f *File, list *yaml.Node) {
	if isNull(list) {
		return
	}
	if list.Kind != yaml.SequenceNode {
		p.at(list, "contexts is not a list: begin each with a line \"- name: NAME\"")
		return
	}
	for _, n := range list.Content {
		c := p.context(n)
		if _, err := f.Find(c.Name); err == nil && c.Name != "" {
			p.at(n, "a context called %s is there already: give each its own name", c.Name)
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
	if len(p.problems) == before { // a context that was not understood would only be complained about twice
		c.check(func(key string, err error) { p.at(valueOf(n, key), "%w", err) })
	}
	return c
}

// valueOf is the node of a key's value, or the mapping itself where the key is missing.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return n
}

func (p *parser) text(to *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		switch {
		case n.Kind != yaml.ScalarNode:
			p.at(n, "want one text here")
		case isNull(n) || n.Value == "":
			p.at(n, "the value is empty: write one or leave the line out")
		default:
			*to = n.Value
		}
	}
}

func (p *parser) yes(to *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Decode(to) != nil {
			p.at(n, "want true or false here")
		}
	}
}

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/inventory"
)

// parser walks the YAML tree of the file and collects every error with its position. YAML's own strict mode reports
// only lines, and its messages can contain secrets.
type parser struct {
	file     string
	problems []error
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
	case errors.Is(err, io.EOF) && !utf8.Valid(text): // its comments could not be written back
		p.problems = append(p.problems, fmt.Errorf("%s:1:1: the file is not in UTF-8: save it as UTF-8", p.file))
		return nil
	case errors.Is(err, io.EOF):
		comments := strings.TrimPrefix(string(text), "\ufeff")
		return &yaml.Node{Kind: yaml.DocumentNode, HeadComment: strings.TrimSpace(comments)}
	case err != nil:
		p.syntax(err)
		return nil
	}
	if err := d.Decode(second); err == nil {
		p.at(second, "a second YAML document begins here: use one document")
	} else if !errors.Is(err, io.EOF) {
		p.syntax(err)
	}
	return doc
}

var (
	yamlLine    = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	yamlUnknown = regexp.MustCompile(`unknown anchor .*`)
)

// syntax adds a position to YAML's syntax error; the library reports no column. The text of an alias may be a secret,
// so it is not repeated.
func (p *parser) syntax(err error) {
	text := err.Error()
	line := 1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
		text = text[len(m[0]):]
	}
	text = yamlUnknown.ReplaceAllString(text, "a value that begins with * needs quotes")
	p.problems = append(p.problems, fmt.Errorf("%s:%d:1: this is not valid YAML: %s", p.file, line, text))
}

// fields calls the reader of each key with its value.
func (p *parser) fields(n *yaml.Node, what string, known map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		p.at(n, "%s must consist of KEY: VALUE lines: its keys are %s", what, keyList(known))
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
			p.at(key, "%s is duplicated: keep one", key.Value)
		default:
			read(value)
		}
		seen[key.Value] = true
	}
}

// fieldsAmong is fields for mappings that also contain keys for flags. LoadFlags reads and checks those.
func (p *parser) fieldsAmong(n *yaml.Node, what string, known map[string]func(*yaml.Node)) {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if key := n.Content[i].Value; known[key] == nil {
			known[key] = ignore
		}
	}
	p.fields(n, what, known)
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

// valueOf returns the node of a key's value, or the mapping itself if the key is missing.
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
			p.at(n, "write one text here")
		case isNull(n) || n.Value == "":
			p.at(n, "the value is empty: write one or remove the line")
		default:
			*to = n.Value
		}
	}
}

func (p *parser) yes(to *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Decode(to) != nil {
			p.at(n, "write true or false here")
		}
	}
}

// texts reads a list of texts. A single text is a list of one.
func (p *parser) texts(to *[]string) func(*yaml.Node) {
	var words []Word
	read := p.words(&words)
	return func(n *yaml.Node) {
		read(n)
		*to = make([]string, 0, len(words))
		for _, w := range words {
			*to = append(*to, w.Text)
		}
	}
}

func (p *parser) words(to *[]Word) func(*yaml.Node) {
	return func(n *yaml.Node) {
		*to = []Word{}
		for _, item := range listOf(n) {
			w := Word{At: p.place(item)}
			if p.text(&w.Text)(item); w.Text != "" {
				*to = append(*to, w)
			}
		}
	}
}

func (p *parser) count(to *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if v, err := strconv.Atoi(n.Value); n.Kind == yaml.ScalarNode && err == nil && v > 0 {
			*to = v
			return
		}
		p.at(n, "write a whole number above 0 here, without separators, such as 300000")
	}
}

func (p *parser) duration(to *time.Duration, least, most time.Duration) func(*yaml.Node) {
	return func(n *yaml.Node) {
		d, err := time.ParseDuration(n.Value)
		switch {
		case n.Kind != yaml.ScalarNode, err != nil:
			p.at(n, "write a duration here, such as 5m or 90s")
		case d < least, d > most:
			p.at(n, "%s is out of range: from %s to %s", n.Value, iostreams.Brief(least), iostreams.Brief(most))
		default:
			*to = d
		}
	}
}

// list returns the elements of a list; none if it is empty. otherwise is the error for another kind of node.
func (p *parser) list(n *yaml.Node, otherwise string) []*yaml.Node {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		p.at(n, "%s", otherwise)
		return nil
	}
	return n.Content
}

// listOf returns the elements of a list; another kind of node is a list of itself.
func listOf(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

func ignore(*yaml.Node) {}

// beside makes paths relative to the config file, like those of contexts, because the working directory of a daemon has
// no meaning.
func (p *parser) beside(paths []Word) {
	for i := range paths {
		paths[i].Text = beside(p.file, paths[i].Text)
	}
}

// Word is a text of the file with its position, for errors about its meaning.
type Word struct{ Text, At string }

package view

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Chain returns the evidence for a recommendation in this order: the symptoms, the measurements and then the settings that prove
// the cause, and the findings of other rules there. A counter that both a symptom and a cause show appears once.
func Chain(r *advice.Recommendation) []Piece {
	c := chain{
		seen: map[linkKey]bool{}, listed: map[valueKey]bool{}, words: map[string]int32{}, objects: map[inventory.Ref]int32{},
		sources: map[*advice.Rule][]*evidenceSource{},
	}
	for _, s := range symptoms(r) {
		c.add(s, nil, LinkSymptom, LinkSymptom)
	}
	for _, d := range r.Diagnoses {
		c.add(d.Finding, &d.Cause, LinkCause, LinkConfiguration)
	}
	for _, f := range r.Findings {
		c.add(f, nil, LinkFinding, LinkFinding)
	}
	return slices.Concat(c.pieces[:]...)
}

// Piece is one piece of evidence in a chain, without its texts: a large estate has hundreds of thousands.
type Piece struct {
	finding *advice.Finding
	object  *inventory.Ref
	source  *evidenceSource
	item    int32 // of the finding's evidence; noItem: the finding has none
	place   int8
}

const noItem = -1

// Kind returns the kind of the link.
func (p Piece) Kind() LinkKind { return linkKinds[p.place] }

// Object returns the object that was read or measured.
func (p Piece) Object() inventory.Ref { return *p.object }

// Named reports whether the piece has a value, and not only the verdict of its rule.
func (p Piece) Named() bool { return p.item != noItem }

// Link returns the piece of evidence with its texts.
func (p Piece) Link() Link {
	l := Link{Kind: linkKinds[p.place], Rule: p.finding.Rule, Object: *p.object}
	if p.item == noItem {
		return l
	}
	m := p.finding.Evidence[p.item]
	l.Name, l.Value = m.Name, m.Value
	if p.source.counted {
		l.Unit, l.Stat = p.source.unit, p.source.stat
	}
	return l
}

var linkKinds = [...]LinkKind{LinkSymptom, LinkCause, LinkConfiguration, LinkFinding}

func place(k LinkKind) int8 { return int8(slices.Index(linkKinds[:], k)) }

// symptoms returns the findings that the diagnoses of a recommendation explain, each once.
func symptoms(r *advice.Recommendation) []*advice.Finding {
	var all []*advice.Finding
	seen := map[*advice.Finding]bool{}
	for _, d := range r.Diagnoses {
		for _, s := range d.Symptoms {
			if !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
		}
	}
	return all
}

// chain is a chain of evidence under construction. A large one has hundreds of thousands of links, so its keys are numbers.
type chain struct {
	pieces  [len(linkKinds)][]Piece
	seen    map[linkKey]bool
	listed  map[valueKey]bool // true: a setting that proves a cause
	words   map[string]int32  // numbers of texts
	objects map[inventory.Ref]int32
	sources map[*advice.Rule][]*evidenceSource
}

// linkKey identifies a link: two diagnoses of one host show the same counter of it.
type linkKey struct{ kind, rule, name, object int32 }

// valueKey identifies a value of an object by the expression that reads it.
type valueKey struct{ object, source int32 }

// evidenceSource is what the expression of a piece of evidence says about its value.
type evidenceSource struct {
	name       string
	text       string // "": the rule has no such evidence
	own        bool   // it reads parameters, which differ between rules
	counted    bool   // it reads a counter
	unit, stat string
	reads      []inventory.Scope // the kinds of the objects that it names
}

// owner is an object whose facts an expression reads.
var owner = regexp.MustCompile(`\b([a-z]+)\.`)

// source returns the source of a rule's evidence.
func (c *chain) source(r *advice.Rule, name string) *evidenceSource {
	for _, s := range c.sources[r] {
		if s.name == name {
			return s
		}
	}
	s := &evidenceSource{name: name, text: sourceOf(r, name)}
	s.own, s.counted = strings.Contains(s.text, "params."), isCounted(s.text)
	s.unit, s.stat = unitOf(s.text)
	s.reads = readBy(s.text)
	c.sources[r] = append(c.sources[r], s)
	return s
}

// add adds the evidence of a finding: counters get the kind measured, other values the kind set. Every finding without evidence,
// and every finding with a fix, has its link.
func (c *chain) add(f *advice.Finding, cause *inventory.Ref, measured, set LinkKind) {
	if len(f.Evidence) == 0 {
		c.link(Piece{finding: f, object: &f.Object, source: new(evidenceSource), item: noItem, place: place(set)}, "")
	}
	for i, m := range f.Evidence {
		s := c.source(f.Rule, m.Name)
		p := Piece{finding: f, object: &f.Object, source: s, item: int32(i), place: place(set)}
		if set == LinkConfiguration { // of a diagnosis: its evidence may belong to its host
			p.object = objectOf(s.reads, f, cause)
		}
		if s.counted {
			p.place = place(measured)
		}
		c.link(p, m.Name)
	}
}

// link adds a piece unless it is a duplicate, a counter that a symptom already shows, or a setting that another cause shows.
func (c *chain) link(p Piece, name string) {
	kind, object := linkKinds[p.place], number(c.objects, *p.object)
	key := linkKey{int32(p.place), number(c.words, p.finding.Rule.ID), number(c.words, name), object}
	what := valueKey{object, number(c.words, p.source.text)}
	set, listed := c.listed[what]
	if c.seen[key] || kind == LinkCause && listed || kind == LinkConfiguration && set {
		return
	}
	c.seen[key] = true
	if p.source.text != "" && !p.source.own {
		c.listed[what] = set || kind == LinkConfiguration
	}
	c.pieces[p.place] = append(c.pieces[p.place], p)
}

// number returns the number of a key. A new key gets the next one.
func number[K comparable](of map[K]int32, key K) int32 {
	n, has := of[key]
	if !has {
		n = int32(len(of))
		of[key] = n
	}
	return n
}

// readBy returns the kinds of the objects whose facts an expression reads.
func readBy(expr string) (kinds []inventory.Scope) {
	for _, m := range owner.FindAllStringSubmatch(expr, -1) {
		kinds = append(kinds, inventory.Scope(m[1]))
	}
	return kinds
}

// objectOf returns the object that an expression reads: the finding's object, or else the cause or host that the expression names.
func objectOf(reads []inventory.Scope, f *advice.Finding, cause *inventory.Ref) *inventory.Ref {
	switch {
	case slices.Contains(reads, f.Object.Kind):
	case slices.Contains(reads, cause.Kind):
		return cause
	case slices.Contains(reads, inventory.ScopeHost) && f.Host != inventory.Ref{}:
		return &f.Host
	}
	return &f.Object
}

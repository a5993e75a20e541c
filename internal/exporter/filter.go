package exporter

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vperf/vperf/internal/source"
)

// filter is a Filter made ready. Case does not matter, as it does not in vSphere.
//
// A VM's path is its own, or that of the host it runs on: /dc1/host/general/** means a cluster with all that runs there.
//
// Tags are known after the first survey. Until then, and for newer objects, it is unknown whether a pattern with a tag
// matches, and an object for which this decides is not exported: an include does not keep it, an exclude excludes it.
type filter struct {
	include, exclude []pattern
}

// pattern is a compiled Pattern. Empty parts match all.
type pattern struct {
	name          string
	path          []string
	category, tag string
}

// filterObject is the object that a filter checks.
type filterObject struct {
	name   string
	paths  []string
	tags   []string // CATEGORY/NAME
	tagged bool     // the tags are known
}

func newFilter(f Filter) (filter, error) {
	var ready filter
	for _, side := range []struct {
		from []Pattern
		to   *[]pattern
	}{{f.Include, &ready.include}, {f.Exclude, &ready.exclude}} {
		for _, p := range side.from {
			made, err := newPattern(p)
			if err != nil {
				return filter{}, err
			}
			*side.to = append(*side.to, made)
		}
	}
	return ready, nil
}

func newPattern(p Pattern) (pattern, error) {
	made := pattern{name: strings.ToLower(p.Name)}
	switch {
	case p == Pattern{}:
		return made, errors.New("a pattern is empty: give it a name, a path or a tag")
	case p.Path != "" && !strings.HasPrefix(p.Path, "/"):
		return made, fmt.Errorf("path %q does not begin with /: write it as in the inventory, such as /dc1/host/general/**", p.Path)
	}
	if p.Path != "" {
		made.path = strings.Split(strings.ToLower(strings.Trim(p.Path, "/")), "/")
	}
	if p.Tag == "" {
		return made, nil
	}
	category, tag, ok := strings.Cut(strings.ToLower(p.Tag), ":")
	if !ok || category == "" || tag == "" {
		return made, fmt.Errorf("tag %q has no category: write it as CATEGORY:NAME, such as tier:gold", p.Tag)
	}
	made.category, made.tag = category, tag
	return made, nil
}

// all reports a filter that keeps everything.
func (f filter) all() bool { return len(f.include)+len(f.exclude) == 0 }

// asksTags reports whether it takes tags to decide.
func (f filter) asksTags() bool {
	for _, p := range append(append([]pattern(nil), f.include...), f.exclude...) {
		if p.category != "" {
			return true
		}
	}
	return false
}

// host decides about a host.
func (f filter) host(h *source.Host, tags tagsOf) bool {
	if f.all() {
		return true
	}
	on, known := tags.of(h.MoID)
	return f.keeps(filterObject{h.Name, []string{h.Path}, on, known})
}

// vm decides about a VM on a host.
func (f filter) vm(vm *source.VM, on *source.Host, tags tagsOf) bool {
	if f.all() {
		return true
	}
	paths := []string{vm.Path}
	if on.Path != "" {
		paths = append(paths, on.Path+"/"+vm.Name)
	}
	has, known := tags.of(vm.MoID)
	return f.keeps(filterObject{vm.Name, paths, has, known})
}

func (f filter) keeps(t filterObject) bool {
	kept := len(f.include) == 0
	for _, p := range f.include {
		kept = kept || p.matches(t, false)
	}
	for _, p := range f.exclude {
		kept = kept && !p.matches(t, true)
	}
	return kept
}

// matches says doubt where it takes tags that are not known.
func (p pattern) matches(t filterObject, doubt bool) bool {
	if p.name != "" && !glob(p.name, strings.ToLower(t.name)) || p.path != nil && !p.onPath(t.paths) {
		return false
	}
	switch {
	case p.category == "":
		return true
	case !t.tagged:
		return doubt
	}
	for _, tag := range t.tags {
		category, name, _ := strings.Cut(strings.ToLower(tag), "/")
		if glob(p.category, category) && glob(p.tag, name) {
			return true
		}
	}
	return false
}

func (p pattern) onPath(paths []string) bool {
	for _, path := range paths {
		if path != "" && below(p.path, strings.Split(strings.ToLower(strings.Trim(path, "/")), "/")) {
			return true
		}
	}
	return false
}

// below matches a path folder by folder. ** is one folder or more.
func below(pattern, path []string) bool {
	for i, want := range pattern {
		if want == "**" {
			for n := i + 1; n <= len(path); n++ {
				if below(pattern[i+1:], path[n:]) {
					return true
				}
			}
			return false
		}
		if i >= len(path) || !glob(want, path[i]) {
			return false
		}
	}
	return len(pattern) == len(path)
}

// glob matches text, where * is any text.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(text, first) || !strings.HasSuffix(text[len(first):], last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

// tagsOf are the tags of objects by id, as the last survey read them.
type tagsOf map[string][]string

func (t tagsOf) of(moid string) (tags []string, known bool) {
	tags, known = t[moid]
	return tags, known
}

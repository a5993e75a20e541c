package exporter

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exporter/shard"
	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// filter is a Filter made ready. Case does not matter, as it does not in vSphere.
//
// A VM's path is its own, or that of the host it runs on: /dc1/host/general/** means a cluster with all that runs there.
//
// Tags are known after the first survey. Until then, and for newer objects, it is unknown whether a pattern with a tag
// matches, and an object for which this decides is not exported: an include does not keep it, an exclude excludes it.
type filter struct {
	include, exclude []pattern
	shard            shard.Shard
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
func (f filter) all() bool { return f.everything() && f.shard.Whole() }

// everything reports a filter without patterns.
func (f filter) everything() bool { return len(f.include)+len(f.exclude) == 0 }

// names returns the filter without the shard. It selects the hosts that all shards export together.
func (f filter) names() filter { return filter{include: f.include, exclude: f.exclude} }

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
	if !f.shard.Owns(h.MoID) {
		return false
	}
	on, known := tags.of(h.MoID)
	return f.keeps(filterObject{h.Name, []string{h.Path}, on, known})
}

// vm decides about a VM on a host.
func (f filter) vm(vm *source.VM, on *source.Host, tags tagsOf) bool {
	if f.all() {
		return true
	}
	if !f.shard.Owns(on.MoID) {
		return false
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

// metricFilter selects metrics by name. It removes others from frames, so that they are no series, and the server is not
// asked for counters that no exported metric needs.
type metricFilter struct {
	include, exclude []string
	figures          *esxtop.MetricSet // to read; nil: all
	without          [esxtop.NumObjects][]*esxtop.Metric
	noVMs            bool // no metric of VMs is exported
}

func newMetricFilter(include, exclude []string) (f metricFilter, err error) {
	f.include, f.exclude = include, exclude
	if f.all() {
		return f, nil
	}
	names := module.MetricNames()
	for key, patterns := range map[string][]string{"include-metrics": include, "exclude-metrics": exclude} {
		for _, p := range patterns {
			err = errors.Join(err, checkPattern(key, p, names))
		}
	}
	if err == nil && !slices.ContainsFunc(names, f.keeps) {
		err = errors.New("include-metrics and exclude-metrics leave no metric: exclude fewer")
	}
	return f, err
}

func (f *metricFilter) all() bool { return len(f.include)+len(f.exclude) == 0 }

// keeps reports whether a metric is exported.
func (f *metricFilter) keeps(name string) bool {
	matches := func(pattern string) bool {
		is, _ := path.Match(pattern, name)
		return is
	}
	return !strings.HasPrefix(name, module.ServerPrefix) ||
		(len(f.include) == 0 || slices.ContainsFunc(f.include, matches)) && !slices.ContainsFunc(f.exclude, matches)
}

// choose returns the objects of which any metric is exported, and decides which figures are read. Each host and each VM keeps one
// figure that proves that its samples came.
func (f *metricFilter) choose(objects esxtop.Objects, pools bool) (chosen esxtop.Objects) {
	if f.all() {
		return objects
	}
	f.figures, f.noVMs = new(esxtop.MetricSet), true
	for o := range esxtop.NumObjects {
		if !objects.Has(o) {
			continue
		}
		for _, m := range esxtop.MetricsOf(o) {
			name := m.PrometheusName(o)
			needed := pools && o == esxtop.Group && name == module.ReadyName && f.keeps(module.PoolReadyName)
			switch {
			case name == "":
			case f.keeps(name) || needed:
				chosen |= esxtop.ObjectsOf(o)
				f.figures.AddInputs(o, m)
				f.noVMs = f.noVMs && !objectsOfVMs.Has(o)
			default:
				f.without[o] = append(f.without[o], m)
			}
		}
	}
	if chosen == 0 {
		return 0
	}
	if objects.Has(esxtop.Host) {
		chosen |= esxtop.ObjectsOf(esxtop.Host)
		f.figures.AddInputs(esxtop.Host, esxtop.Lookup("host.cpuUsage"))
	}
	if objects.Has(esxtop.Group) && !f.noVMs {
		chosen |= esxtop.ObjectsOf(esxtop.Group)
		f.figures.AddInputs(esxtop.Group, esxtop.Lookup("cpu.ready"))
	}
	return chosen
}

// objectsOfVMs are VMs and their parts; ports belong to hosts as well.
var objectsOfVMs = esxtop.ObjectsOf(esxtop.Group, esxtop.GroupNode, esxtop.World, esxtop.DiskVM, esxtop.VDisk, esxtop.Port)

// strip removes the figures of metrics that are not exported.
func (f *metricFilter) strip(r *esxtop.Round) {
	if f.all() {
		return
	}
	for _, frame := range r.Frames {
		for o, list := range f.without {
			rows := frame.Rows(esxtop.Object(o))
			for i := range rows {
				for _, m := range list {
					rows[i].Set(m, math.NaN())
				}
			}
		}
	}
}

// strippedSource is a source without the figures that are not exported.
type strippedSource struct {
	esxtop.Source

	filter *metricFilter
}

// Next implements esxtop.Source.
func (s strippedSource) Next(ctx context.Context) (*esxtop.Round, error) {
	r, err := s.Source.Next(ctx)
	if err == nil {
		s.filter.strip(r)
	}
	return r, err
}

// members are the hosts and VMs that should have samples. VMs have none if no metric of them is collected.
func (t *Target) members(p *present) ([]ledger.Host, []ledger.VM) {
	hosts, vms := p.members()
	if t.metrics.noVMs || t.objects&objectsOfVMs == 0 {
		vms = nil
	}
	return hosts, vms
}

// checkPattern refuses a pattern that matches none of the names: it is misspelt, and would silently do nothing.
func checkPattern(key, pattern string, names []string) error {
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("%s: %q is not a pattern: use * for any text, ? for a character, [ab] for one of some", key, pattern)
	}
	for _, name := range names {
		if is, _ := path.Match(pattern, name); is {
			return nil
		}
	}
	if strings.HasPrefix(pattern, "vperf_") {
		return fmt.Errorf("%s: %q matches no metric of hosts and VMs: metrics vperf_* are always exported; those of rules belong to the module audit", key, pattern)
	}
	words := ""
	if near := nearMetrics(pattern, names); len(near) > 0 {
		words = " (did you mean " + strings.Join(near, " or ") + "?)"
	}
	return fmt.Errorf("%s: %q matches no metric%s", key, pattern, words)
}

// nearMetrics lists names with a beginning, or an end, that is similar to the text of a pattern.
func nearMetrics(pattern string, names []string) (near []string) {
	text := strings.NewReplacer("*", "", "?", "", "[", "", "]", "").Replace(pattern)
	byPart, parts := map[string][]string{}, []string{}
	for _, name := range names {
		for more := -1; more <= 1; more++ {
			n := min(max(len(text)+more, 0), len(name))
			part := name[:n]
			if strings.HasPrefix(pattern, "*") {
				part = name[len(name)-n:]
			}
			byPart[part] = append(byPart[part], name)
			parts = append(parts, part)
		}
	}
	for _, part := range inventory.Near(text, parts) {
		for _, name := range byPart[part] {
			if len(near) < 3 && !slices.Contains(near, name) {
				near = append(near, name)
			}
		}
	}
	return near
}

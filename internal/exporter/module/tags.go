package module

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// tagsModule reads tags. They are exported on the info series of hosts and VMs, without series of their own.
func tagsModule() Surveyed {
	return Surveyed{
		Name:  Tags,
		Needs: needsOf("Host.tags", "VM.tags"),
		Write: func(*exposition.Writer, *inventory.VCenter) {},
		Coverage: func(v *inventory.VCenter) (int, int, string) {
			objects := make([]inventory.Object, 0, len(v.Hosts)+len(v.VMs))
			for _, h := range v.Hosts {
				objects = append(objects, h)
			}
			for _, vm := range v.VMs {
				objects = append(objects, vm)
			}
			return covered(v.Unread, objects, func(o inventory.Object) []inventory.Reader {
				if h, is := o.(*inventory.Host); is {
					return []inventory.Reader{&h.Tags}
				}
				return []inventory.Reader{&o.(*inventory.VM).Tags}
			})
		},
	}
}

// TagLabels returns labels of hosts and VMs for the tags of some categories: by the id of the object, names and values.
// Several tags of a category are one label, sorted and separated by commas.
func TagLabels(v *inventory.VCenter, categories []string) map[string]map[string]string {
	names := tagNames(categories)
	all := map[string]map[string]string{}
	add := func(e *inventory.Entity) {
		if own := namedTags(e, names); len(own) > 0 {
			all[e.ID] = own
		}
	}
	for _, h := range v.Hosts {
		add(&h.Entity)
	}
	for _, vm := range v.VMs {
		add(&vm.Entity)
	}
	return all
}

func namedTags(e *inventory.Entity, names map[string]string) map[string]string {
	tags, _ := e.Tags.Value()
	values := map[string][]string{}
	for _, t := range tags {
		if label, tag, ok := tagOf(t, names); ok {
			values[label] = append(values[label], tag)
		}
	}
	own := make(map[string]string, len(values))
	for label, list := range values {
		slices.Sort(list)
		own[label] = strings.Join(slices.Compact(list), ",")
	}
	return own
}

// tagOf splits CATEGORY/NAME. A category's name may have a slash in it, too: the longest that fits is meant.
func tagOf(t string, names map[string]string) (label, tag string, ok bool) {
	for i := len(t) - 1; i >= 0; i-- {
		if t[i] != '/' {
			continue
		}
		if label, ok := names[strings.ToLower(t[:i])]; ok {
			return label, t[i+1:], true
		}
	}
	return "", "", false
}

// tagNames maps categories, in lower case because vSphere ignores case, to label names. If two categories have the same
// label name, the later ones in alphabetical order get a number.
func tagNames(categories []string) map[string]string {
	var sorted []string
	for _, c := range categories {
		if c != "" {
			sorted = append(sorted, strings.ToLower(c))
		}
	}
	slices.Sort(sorted)
	names, taken := map[string]string{}, map[string]bool{}
	for _, c := range slices.Compact(sorted) {
		base := "tag_" + strings.Map(labelRune, c)
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		names[c], taken[name] = name, true
	}
	return names
}

// labelRune returns the character for r in a label name.
func labelRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}

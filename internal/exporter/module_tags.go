package exporter

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// tagsModule reads tags. They are exported on the info series of hosts and VMs, without series of their own.
func tagsModule() surveyed {
	return surveyed{
		module: Tags,
		needs:  needsOf("Host.tags", "VM.tags"),
		write:  func(*exposition.Writer, *inventory.VCenter) {},
		coverage: func(v *inventory.VCenter) (int, int, string) {
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

// tagLabels returns labels of hosts and VMs for the tags of some categories: by the id of the object, names and values.
// Several tags of a category are one label, sorted and separated by commas.
func tagLabels(v *inventory.VCenter, categories []string) map[string]map[string]string {
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

// maxAttributes limits the labels of an info series.
const maxAttributes = 20

// attributesModule exports the named custom attributes of hosts and VMs as info series. Objects without any of them have none.
func attributesModule(names []string) surveyed {
	labels, _ := attributeLabels(names) // newTarget has checked them
	needs := needsOf("Host.attributes", "VM.attributes", "VM.template")
	needs.AddAttribute(names...)
	return surveyed{
		module: Attribute,
		needs:  needs,
		write: func(w *exposition.Writer, v *inventory.VCenter) {
			writeInfo(w, "esxi_host_custom_attributes_info", "Chosen custom attributes of the host as labels attribute_NAME (customValue).",
				withAttribute(v.Hosts, hostAttributes, names), func(h *inventory.Host) exposition.Labels {
					return withTags([]string{"host", h.Name, "moid", h.ID}, attributesOf(h.Attributes, labels))
				})
			writeInfo(w, "esxi_vm_custom_attributes_info", "Chosen custom attributes of the VM as labels attribute_NAME (customValue).",
				withAttribute(realVMs(v.VMs), vmAttributes, names), func(vm *inventory.VM) exposition.Labels {
					return withTags([]string{"vm", vm.Name, "moid", vm.ID}, attributesOf(vm.Attributes, labels))
				})
		},
		coverage: func(v *inventory.VCenter) (int, int, string) {
			expected, collected, trouble := covered(v.Unread, v.Hosts, func(h *inventory.Host) []inventory.Reader { return []inventory.Reader{&h.Attributes} })
			vms, ofVMs, ofVMsTrouble := covered(trouble, realVMs(v.VMs), func(vm *inventory.VM) []inventory.Reader { return []inventory.Reader{&vm.Attributes} })
			return expected + vms, collected + ofVMs, ofVMsTrouble
		},
	}
}

func hostAttributes(h *inventory.Host) inventory.Fact[map[string]string] { return h.Attributes }
func vmAttributes(vm *inventory.VM) inventory.Fact[map[string]string]    { return vm.Attributes }

// withAttribute are the objects that have a value of one of the attributes.
func withAttribute[O any](all []O, of func(O) inventory.Fact[map[string]string], names []string) (list []O) {
	for _, o := range all {
		values, _ := of(o).Value()
		if slices.ContainsFunc(names, func(name string) bool { return values[name] != "" }) {
			list = append(list, o)
		}
	}
	return list
}

// attributesOf returns values by the names of their labels.
func attributesOf(f inventory.Fact[map[string]string], labels map[string]string) map[string]string {
	values, _ := f.Value()
	own := map[string]string{}
	for name, label := range labels {
		own[label] = values[name]
	}
	return own
}

// attributeLabels maps attributes to label names. Two attributes with one label are an error, because one would hide the other.
func attributeLabels(names []string) (map[string]string, error) {
	if len(names) > maxAttributes {
		return nil, fmt.Errorf("custom-attributes has %d names: at most %d become labels", len(names), maxAttributes)
	}
	labels, owner := map[string]string{}, map[string]string{}
	for _, name := range names {
		if name == "" {
			return nil, errors.New("custom-attributes has an empty name: write names as vCenter shows them, such as owner")
		}
		label := "attribute_" + strings.Map(labelRune, strings.ToLower(name))
		if other, taken := owner[label]; taken {
			return nil, fmt.Errorf("custom-attributes: %q and %q would both be the label %s: remove one", other, name, label)
		}
		labels[name], owner[label] = label, name
	}
	return labels, nil
}

// withAttributes adds the module where attributes are named. The module without names would export nothing.
func withAttributes(modules []Module, names []string) ([]Module, error) {
	switch listed := slices.Contains(modules, Attribute); {
	case listed && len(names) == 0:
		return nil, fmt.Errorf("module %s exports the attributes that custom-attributes names: add for example custom-attributes: [owner]", Attribute)
	case listed || len(names) == 0:
		return modules, nil
	}
	return append(slices.Clone(modules), Attribute), nil
}

// reportMissingAttributes logs attributes of which no object has a value, once: a misspelt name looks like that.
func (t *Target) reportMissingAttributes(v *inventory.VCenter) {
	var missing []string
	for _, name := range t.config.CustomAttributes {
		if len(withAttribute(v.Hosts, hostAttributes, []string{name})) == 0 && len(withAttribute(v.VMs, vmAttributes, []string{name})) == 0 {
			missing = append(missing, strconv.Quote(name))
		}
	}
	if words := strings.Join(missing, ", "); words != t.missingAttributes {
		if t.missingAttributes = words; words != "" {
			t.trace.warn("survey: no host and no VM has a value of the custom attribute %s: the names in custom-attributes must match exactly", words)
		}
	}
}

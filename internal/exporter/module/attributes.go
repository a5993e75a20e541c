package module

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// maxAttributes limits the labels of an info series.
const maxAttributes = 20

// attributesModule exports the named custom attributes of hosts and VMs as info series. Objects without any of them have none.
func attributesModule(names []string) Surveyed {
	labels, _ := attributeLabels(names) // WithAttributes has checked them
	needs := needsOf("Host.attributes", "VM.attributes", "VM.template")
	needs.AddAttribute(names...)
	return Surveyed{
		Name:  Attribute,
		Needs: needs,
		Write: func(w *exposition.Writer, v *inventory.VCenter) {
			writeInfo(w, "esxi_host_custom_attributes_info", "Chosen custom attributes of the host as labels attribute_NAME (customValue).",
				withAttribute(v.Hosts, hostAttributes, names), func(h *inventory.Host) exposition.Labels {
					return withTags([]string{"host", h.Name, "moid", h.ID}, attributesOf(h.Attributes, labels))
				})
			writeInfo(w, "esxi_vm_custom_attributes_info", "Chosen custom attributes of the VM as labels attribute_NAME (customValue).",
				withAttribute(realVMs(v.VMs), vmAttributes, names), func(vm *inventory.VM) exposition.Labels {
					return withTags([]string{"vm", vm.Name, "moid", vm.ID}, attributesOf(vm.Attributes, labels))
				})
		},
		Coverage: func(v *inventory.VCenter) (int, int, string) {
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

// WithAttributes checks the names of custom attributes, and adds the module where there are any. The module without names
// would export nothing.
func WithAttributes(modules []Name, names []string) ([]Name, error) {
	if _, err := attributeLabels(names); err != nil {
		return nil, err
	}
	switch listed := slices.Contains(modules, Attribute); {
	case listed && len(names) == 0:
		return nil, fmt.Errorf("module %s exports the attributes that custom-attributes names: add for example custom-attributes: [owner]", Attribute)
	case listed || len(names) == 0:
		return modules, nil
	}
	return append(slices.Clone(modules), Attribute), nil
}

// MissingAttributes are the names of attributes of which no object has a value.
func MissingAttributes(v *inventory.VCenter, names []string) (missing []string) {
	for _, name := range names {
		if len(withAttribute(v.Hosts, hostAttributes, []string{name})) == 0 && len(withAttribute(v.VMs, vmAttributes, []string{name})) == 0 {
			missing = append(missing, name)
		}
	}
	return missing
}

package vspheretest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// Gaps lists the unread facts of a vCenter's objects with their reasons, as "kind.Field: reason", each once. It skips facts that
// the simulator and the recorded vCenter do not have.
func Gaps(vc *inventory.VCenter) []string {
	g := new(gaps)
	g.add("vcenter", vc)
	addAll(g, "cluster", vc.Clusters)
	addAll(g, "pool", vc.Pools)
	addAll(g, "datastore", vc.Datastores)
	for _, h := range vc.Hosts {
		g.host(h)
	}
	for _, s := range vc.Switches {
		g.add("switch", s)
		addKnown(g, "portgroup", s.Portgroups)
		addKnown(g, "traffic", s.TrafficClasses)
	}
	for _, v := range vc.VMs {
		g.add("vm", v)
		addKnown(g, "vnic", v.VNICs)
		addKnown(g, "vdisk", v.Disks)
	}
	slices.Sort(g.texts)
	return slices.DeleteFunc(slices.Compact(g.texts), expected)
}

// expected reports a gap that every test server has.
func expected(gap string) bool {
	return strings.HasSuffix(gap, ": "+inventory.PerHost) || strings.Contains(gap, "Tags: over REST ") ||
		strings.HasSuffix(gap, ": the server has no information on VMware Tools, for example because the virtual machine has never run") ||
		gap == "pnic.NUMANode: the host lists no PCI devices by NUMA node"
}

// gaps collects the texts.
type gaps struct{ texts []string }

func (g *gaps) host(h *inventory.Host) {
	g.add("host", h)
	addKnown(g, "pnic", h.PNICs)
	addKnown(g, "vmknic", h.VMKNICs)
	addKnown(g, "numanode", h.NUMANodes)
	addKnown(g, "lun", h.LUNs)
	addKnown(g, "hba", h.HBAs)
	addKnown(g, "vswitch", h.VSwitches)
	switches, _ := h.VSwitches.Value()
	for _, s := range switches {
		addKnown(g, "portgroup", s.Portgroups)
	}
}

// addKnown adds the objects of a list; if the list is unread, the gap belongs to its owner.
func addKnown[O any](g *gaps, kind string, list inventory.Fact[[]O]) {
	objects, _ := list.Value()
	addAll(g, kind, objects)
}

func addAll[O any](g *gaps, kind string, objects []O) {
	for _, o := range objects {
		g.add(kind, o)
	}
}

// add adds the unread facts in an object's fields.
func (g *gaps) add(kind string, object any) {
	v := reflect.ValueOf(object).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() || field.Tag.Get("json") == "-" || field.Tag.Get("cel") == "-" { // as in factsOf
			continue
		}
		if e, is := reflect.TypeAssert[inventory.Entity](v.Field(i)); is {
			g.fact(kind, "Tags", &e.Tags)
			g.fact(kind, "Attributes", &e.Attributes)
		}
		if f, is := reflect.TypeAssert[inventory.Reader](v.Field(i).Addr()); is {
			g.fact(kind, field.Name, f)
		}
	}
}

func (g *gaps) fact(kind, name string, f inventory.Reader) {
	if _, state, reason := f.Raw(); state == inventory.StateUnread {
		g.texts = append(g.texts, fmt.Sprintf("%s.%s: %s", kind, name, reason))
	}
}

package vspheretest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Given is what a server said of an object that has config and hardware.
func Given(values map[string]any) *property.Props {
	p := &property.Props{Values: map[string]any{tree.PathVersion: "8.0.2", "hardware.cpuInfo.numCpuCores": int16(8), tree.PathTemplate: false}, Unknown: KnowsAll, Needs: inventory.Everything()}
	maps.Copy(p.Values, values)
	return p
}

// ReasonOf returns the state of a fact as text: known, absent, or unread with the reason.
func ReasonOf(f inventory.Reader) string {
	_, state, reason := f.Raw()
	return [...]string{"unread: " + reason, "known", "absent"}[state]
}

// Gaps lists the unread facts of a tree with their reasons, but for those that are known to be.
func Gaps(vc *inventory.VCenter) []string {
	var all []string
	add := func(kind string, o any) {
		v := reflect.ValueOf(o).Elem()
		for i := range v.NumField() {
			if f := v.Type().Field(i); !f.IsExported() || f.Tag.Get("json") == "-" || f.Tag.Get("cel") == "-" { // as in factsOf
				continue
			}
			f, ok := reflect.TypeAssert[inventory.Reader](v.Field(i).Addr())
			if e, whose := reflect.TypeAssert[inventory.Entity](v.Field(i)); whose {
				for name, f := range map[string]inventory.Reader{"Tags": &e.Tags, "Attributes": &e.Attributes} {
					if _, state, reason := f.Raw(); state == inventory.StateUnread {
						all = append(all, fmt.Sprintf("%s.%s: %s", kind, name, reason))
					}
				}
			}
			if !ok {
				continue
			}
			if _, state, reason := f.Raw(); state == inventory.StateUnread {
				all = append(all, fmt.Sprintf("%s.%s: %s", kind, v.Type().Field(i).Name, reason))
			}
		}
	}
	add("vcenter", vc)
	for _, c := range vc.Clusters {
		add("cluster", c)
	}
	for _, p := range vc.Pools {
		add("pool", p)
	}
	for _, d := range vc.Datastores {
		add("datastore", d)
	}
	for _, h := range vc.Hosts {
		add("host", h)
		nics, _ := h.PNICs.Value()
		for _, n := range nics {
			add("pnic", n)
		}
		vmks, _ := h.VMKNICs.Value()
		for _, n := range vmks {
			add("vmknic", n)
		}
		nodes, _ := h.NUMANodes.Value()
		for _, n := range nodes {
			add("numanode", n)
		}
		luns, _ := h.LUNs.Value()
		for _, l := range luns {
			add("lun", l)
		}
		hbas, _ := h.HBAs.Value()
		for _, b := range hbas {
			add("hba", b)
		}
		switches, _ := h.VSwitches.Value()
		for _, s := range switches {
			add("vswitch", s)
			groups, _ := s.Portgroups.Value()
			for _, g := range groups {
				add("portgroup", g)
			}
		}
	}
	for _, s := range vc.Switches {
		add("switch", s)
		groups, _ := s.Portgroups.Value()
		for _, g := range groups {
			add("portgroup", g)
		}
		classes, _ := s.TrafficClasses.Value()
		for _, c := range classes {
			add("traffic", c)
		}
	}
	for _, v := range vc.VMs {
		add("vm", v)
		nics, _ := v.VNICs.Value()
		for _, n := range nics {
			add("vnic", n)
		}
		disks, _ := v.Disks.Value()
		for _, d := range disks {
			add("vdisk", d)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(s string) bool {
		return strings.HasSuffix(s, ": "+inventory.PerHost) || strings.Contains(s, "Tags: over REST ") || strings.HasSuffix(s, ": "+"the server knows of no VMware Tools, as of a virtual machine that has never run") || s == "pnic.NUMANode: the host lists no PCI devices by NUMA node"
	})
}

// KnowsAll is a server whose API has every property.
func KnowsAll(string) bool { return false }

// Said returns the properties of an object of a vSphere 8.0 server that returned these values and no others. Every fact is needed.
func Said(values map[string]any) *property.Props {
	return &property.Props{Values: values, Unknown: KnowsAll, Needs: inventory.Everything(), Server: inventory.Version{Major: 8}}
}

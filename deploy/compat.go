package deploy

import (
	"fmt"
	"strings"
)

// A dashboard for vmware_exporter asks for its names, units and labels. Each of its metrics is made of ours here, or is said
// not to be: a number that means something else is worse than none.
type old struct {
	name string
	unit string // theirs
	expr string // of ours, in their unit; empty: there is none
	note string // what is different, or why there is none
	kind oldKind
}

// oldKind is which labels theirs has.
type oldKind int

const (
	oldVM oldKind = iota
	oldHost
	oldDatastore
)

const compatAbout = `
The names, units and labels of vmware_exporter, made of vperf's, so that dashboards and alerts go on while you move:
docs/moving-from-vmware-exporter.md. Where vperf does not know what an old metric means there is none, never something like it.
Rates look back over two minutes: scrape at least once a minute.
A series keeps vperf's moid beside the old labels: two VMs of one name were one series there, and are two here.`

// The labels of theirs, by moid. What vperf does not know is n/a, as it was there.
const (
	vmNames   = "vmware:vm_labels"
	hostNames = "vmware:host_labels"
	dsNames   = "vmware:datastore_labels"
)

// Compat are recording rules with the names of vmware_exporter.
func Compat() ([]byte, error) {
	groups := []group{{Name: "vmware-labels", Rules: []rule{
		record(vmNames, relabelled("esxi_vm_info", "(job, instance, moid, vm_name, host_name, dc_name, cluster_name, ds_name)",
			"vm_name", "vm", "host_name", "host", "dc_name", "vsphere_datacenter", "cluster_name", "vsphere_cluster", "ds_name", "")),
		record(hostNames, relabelled("esxi_host_info", "(job, instance, moid, host_name, dc_name, cluster_name)",
			"host_name", "host", "dc_name", "vsphere_datacenter", "cluster_name", "vsphere_cluster")),
		record(dsNames, relabelled("esxi_datastore_info", "(job, instance, moid, ds_name, dc_name, ds_cluster)",
			"ds_name", "datastore", "dc_name", "", "ds_cluster", "")),
	}}}
	for kind, name := range []string{"vmware-vm", "vmware-host", "vmware-datastore"} {
		g := group{Name: name}
		for _, o := range olds() {
			if int(o.kind) == kind && o.expr != "" {
				g.Rules = append(g.Rules, record(o.name, o.labelled()))
			}
		}
		groups = append(groups, g)
	}
	return ruleFile(compatAbout, groups)
}

// relabelled copies labels of an info series to other names, in pairs of new and old; what is empty is n/a.
func relabelled(info, keep string, pairs ...string) string {
	expr := info
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			expr = fmt.Sprintf(`label_replace(%s, "%s", "$1", "%s", "(.+)")`, expr, pairs[i], pairs[i+1])
		}
		expr = fmt.Sprintf(`label_replace(%s, "%s", "n/a", "%s", "")`, expr, pairs[i], pairs[i])
	}
	return lay("max by "+keep+" (", "  "+expr, ")")
}

// labelled gives the expression the labels of theirs. Those of ours go, but for moid.
func (o old) labelled() string {
	names, labels, drop := vmNames, "vm_name, host_name, dc_name, cluster_name, ds_name", "vm"
	switch o.kind {
	case oldHost:
		names, labels, drop = hostNames, "host_name, dc_name, cluster_name", "host, host_moid"
	case oldDatastore:
		names, labels, drop = dsNames, "ds_name, dc_name, ds_cluster", "datastore"
	}
	return lay(
		fmt.Sprintf("sum without (%s) (", drop),
		"  ("+o.expr+")",
		fmt.Sprintf("  * on (job, instance, moid) group_left (%s) %s", labels, names),
		")")
}

// CompatTable is the table of the page about moving.
func CompatTable() string {
	var b strings.Builder
	b.WriteString("| vmware_exporter | its unit | vperf | what is different |\n|---|---|---|---|\n")
	for _, o := range olds() {
		expr := "none"
		if o.expr != "" {
			expr = "`" + strings.Join(strings.Fields(o.expr), " ") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", o.name, o.unit, strings.ReplaceAll(expr, "|", `\|`), o.note)
	}
	return b.String()
}

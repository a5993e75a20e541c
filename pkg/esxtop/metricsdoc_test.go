package esxtop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
)

// chapter of docs/metrics.md: all metrics whose ids have a prefix, for an object or for any.
type chapter struct {
	title, text string
	prefixes    string
	of          []Object
}

var docChapters = []chapter{
	{"The host", "The header lines above esxtop's tables.", "host mem pcpu power disk net vsan", []Object{Host}},
	{"Logical CPUs, NUMA nodes and power states", "One row for each logical CPU (`pcpu`), NUMA node, and power state of a logical CPU.", "pcpu numa power", []Object{PCPU, Node, CState, PState, TState}},
	{"CPU of VMs and worlds", "Panel `c`. A `group` is a VM, a process of the host or a part of the VMkernel. Its value is the sum over its `world`s: a VM with 4 vCPUs can be ready for 400 % of the time. " +
		"Metrics with /V are divided by the number of vCPUs. Thresholds are compared with these values per vCPU.", "cpu vm", []Object{Group, World}},
	{"Memory of VMs", "Panel `m`.", "mem", []Object{Group}},
	{"NUMA of VMs", "Also panel `m`. Hosts with one NUMA node do not have these metrics.", "numa", []Object{Group, GroupNode}},
	{"Disks", "Panels `d` and `u`. The value of an adapter is the sum over its paths. Latency is absent if there are no commands.", "disk", []Object{Adapter, Device, DeviceWorld}},
	{"VAAI offload", "Panel `u`. Counts are since the host started.", "vaai", []Object{Device}},
	{"NFS volumes", "One row for each NFS volume. esxtop has counters for these, but no panel.", "nfs", []Object{NFS}},
	{"Virtual disks", "Panel `v`. A `vm-disk` is the total of all virtual disks of a VM.", "vdisk", []Object{DiskVM, VDisk}},
	{"Network", "Panel `n`. The values of a physical NIC are those of its uplink port.", "net", []Object{Port}},
	{"Interrupts", "Panel `i`.", "int", []Object{Vector, VectorCPU}},
	{"Graphics devices", "One row for each GPU that the driver of its vendor reports. esxtop has no counters of GPUs. The PerformanceManager has them for hosts, not for VMs. " +
		"Power of GPUs, counters of vGPUs, and the PCI address of the device of a counter have no documented names in vSphere; vperf has none of them.", "gpu", []Object{GPU}},
	{"vSAN", "Panel `x`: the roles of the vSAN object manager (DOM) on this host.", "dom", []Object{Dom}},
}

func (c chapter) has(m *Metric) bool {
	prefix, _, _ := strings.Cut(m.ID, ".")
	return slices.Contains(strings.Fields(c.prefixes), prefix) && slices.Contains(c.of, m.Objects[0])
}

func TestMetricsDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<!-- Generated from the catalogue by: go test ./pkg/esxtop -run TestMetricsDoc -update. Do not edit. -->

# Metrics

All metrics of hosts, VMs, disks and ports: what they mean, where esxtop shows them, how they are computed, and their names in other tools.
`)
	fmt.Fprintf(&b, "There are %d metrics. Rules, flags and the batch mode use the name in the column *Metric*.\n", len(Catalogue()))
	b.WriteString(`
How to read the tables:

- **Column** is the column on esxtop's screen. Below it, in *italics*, is the counter in esxtop's batch CSV.
- **Computed** is the formula from the raw counters of the host's Esxtop service. Δ is the difference between two samples; Δt is the time between them on the host's clock. Below it is the counter of vCenter's PerformanceManager.
  vperf reads that counter if it cannot use the Esxtop service; its interval is 20 s. A value that a source does not provide is absent: ` + "`-`" + ` on screens, empty in CSV, never 0.
- **Prometheus** names are in base units: seconds, bytes, ratios from 0 to 1. Counters end in ` + "`_total`" + `: use ` + "`rate()`" + `.
- A megabyte is 2²⁰ bytes and a megabit 2²⁰ bits, as in esxtop. Only link speed uses units of 10⁶.
- Thresholds are rules of thumb, with their sources. They apply to VMs, not to worlds of the host itself: idle system worlds are ready all the time. Latency thresholds apply from 10 commands per second.

`)
	for _, c := range docChapters {
		fmt.Fprintf(&b, "- [%s](#%s)\n", c.title, anchor(c.title))
	}
	present := map[string]bool{}
	for _, c := range docChapters {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| Metric | What it means | Column | Unit | Computed | Prometheus |\n|---|---|---|---|---|---|\n", c.title, c.text)
		for _, m := range Catalogue() {
			if c.has(m) {
				require.False(t, present[m.ID], "%s is in two docChapters", m.ID)
				present[m.ID] = true
				b.WriteString(metricRow(m))
			}
		}
	}
	for _, m := range Catalogue() {
		require.True(t, present[m.ID], "%s is in no chapter", m.ID)
	}
	golden.Equal(t, "../../docs/metrics.md", []byte(b.String()))
}

// anchor returns GitHub's anchor of a heading.
func anchor(title string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(title), ",", ""), " ", "-")
}

func metricRow(m *Metric) string {
	var objects []string
	for _, o := range m.Objects {
		objects = append(objects, o.String())
	}
	return cells(
		lineBreaks("`"+m.ID+"`", strings.Join(objects, ", ")),
		lineBreaks(m.About, thresholdText(m.Threshold)),
		lineBreaks(m.Column, around("*", m.Counter)),
		string(m.Unit),
		lineBreaks(m.Formula.String(), perfText(m)),
		prometheusText(m),
	)
}

func cells(texts ...string) string {
	for i, s := range texts {
		texts[i] = strings.ReplaceAll(s, "|", `\|`)
	}
	return "| " + strings.Join(texts, " | ") + " |\n"
}

// lineBreaks joins the non-empty texts as lines of one cell.
func lineBreaks(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	if len(texts) == 0 {
		return "-"
	}
	return strings.Join(texts, "<br>")
}

func around(mark, s string) string {
	if s == "" {
		return ""
	}
	return mark + s + mark
}

func thresholdText(t *Threshold) string {
	if t == nil {
		return ""
	}
	side := "Above "
	if t.Below {
		side = "Below "
	}
	s := "**" + side + number(t.Warn) + ": " + t.Word + "**"
	if t.Critical != 0 {
		s = "**" + side + number(t.Warn) + ", critical " + strings.ToLower(side) + number(t.Critical) + ": " + t.Word + "**"
	}
	if t.PerVCPU {
		s += " (per vCPU)"
	}
	return s + ". " + t.Action + " *" + t.Source + "*"
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// inDocs maps conversions to the text after a counter.
var inDocs = map[Conversion]string{
	asIs: "", hundredths: " / 100", msOfInterval: " / interval", perInterval: " / interval", kb: " / 1024", kbpsToMBps: " / 1024",
	kbpsToMbps: " / 1024 × 8", hundredthsOfOne: " / 10,000",
}

func perfText(m *Metric) string {
	var texts []string
	for _, p := range m.Perf {
		texts = append(texts, "`"+p.Counter+"`"+inDocs[p.As])
	}
	return strings.Join(slices.Compact(texts), "<br>")
}

// prometheusText groups the objects whose names differ only in the object.
func prometheusText(m *Metric) string {
	var names, objects []string
	for _, o := range m.Objects {
		name := m.PrometheusName(o)
		if object, ok := strings.CutSuffix(name, "_"+m.Prometheus.Name); ok && name != "" {
			objects = append(objects, strings.TrimPrefix(object, "esxi_"))
		} else if name != "" {
			names = append(names, "`"+name+"`")
		}
	}
	switch len(objects) {
	case 0:
	case 1:
		names = append([]string{"`esxi_" + objects[0] + "_" + m.Prometheus.Name + "`"}, names...)
	default:
		names = append([]string{"`esxi_{" + strings.Join(objects, ",") + "}_" + m.Prometheus.Name + "`"}, names...)
	}
	return lineBreaks(names...)
}

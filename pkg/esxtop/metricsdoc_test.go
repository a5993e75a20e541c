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
	{"The host", "What stands above esxtop's tables.", "host mem pcpu power disk net vsan", []Object{Host}},
	{"Logical CPUs, NUMA nodes and power states", "One row for each logical CPU (`pcpu`), NUMA node, and state of a logical CPU.", "pcpu numa power", []Object{PCPU, Node, CState, PState, TState}},
	{"CPU of VMs and worlds", "Panel `c`. A `group` is a VM, a process of the host or a part of the VMkernel, and has the sum over its `world`s: a VM with 4 vCPUs can be ready for 400 % of the time. " +
		"The figures with /V are divided by the VM's vCPUs, and so are those that thresholds are held against.", "cpu vm", []Object{Group, World}},
	{"Memory of VMs", "Panel `m`.", "mem", []Object{Group}},
	{"NUMA of VMs", "Panel `m` too. Hosts with one NUMA node have none of it.", "numa", []Object{Group, GroupNode}},
	{"Disks", "Panels `d` and `u`. An adapter has the sum over its paths. Without commands there is no latency.", "disk", []Object{Adapter, Device, DeviceWorld}},
	{"What arrays do by themselves", "Panel `u`: VAAI. Counts are since the host started.", "vaai", []Object{Device}},
	{"NFS volumes", "One row for each NFS volume, where esxtop has no panel but counters.", "nfs", []Object{NFS}},
	{"Virtual disks", "Panel `v`. A `vm-disk` is all virtual disks of a VM together.", "vdisk", []Object{DiskVM, VDisk}},
	{"Network", "Panel `n`. What a physical NIC has stands on the port that it is the uplink of.", "net", []Object{Port}},
	{"Interrupts", "Panel `i`.", "int", []Object{Vector, VectorCPU}},
	{"vSAN", "Panel `x`: the roles of vSAN's object manager on this host.", "dom", []Object{Dom}},
}

func (c chapter) has(m *Metric) bool {
	prefix, _, _ := strings.Cut(m.ID, ".")
	return slices.Contains(strings.Fields(c.prefixes), prefix) && slices.Contains(c.of, m.Objects[0])
}

func TestMetricsDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<!-- Made from the catalogue by: go test ./pkg/esxtop -run TestMetricsDoc -update. Do not edit. -->

# Metrics

Every figure that vperf knows of a host, of its VMs, disks and ports: what it means, where esxtop shows it, how it is computed and where else it is found.
`)
	fmt.Fprintf(&b, "There are %d of them. The *id* is what rules, flags and the batch mode call it.\n", len(Catalogue()))
	b.WriteString(`
How to read the tables:

- **Column** is esxtop's, on the screen; below it in *italics* the counter in its batch CSV.
- **Computed** is the formula from the raw counters of the host's Esxtop service: Δ is the difference between two samples, Δt the host's own time between them. Below it is the counter of vCenter's PerformanceManager, which is read where the
  service may not be; its interval is 20 s. A figure that a source does not have is absent: ` + "`-`" + ` on screens, empty in CSV, never 0.
- **Prometheus** names are in base units: seconds, bytes, ratios from 0 to 1. What grows ends in ` + "`_total`" + `: take its ` + "`rate()`" + `.
- A megabyte is 2²⁰ bytes and a megabit 2²⁰ bits, as in esxtop. Only the speed of a link is in units of 10⁶.
- Thresholds are rules of thumb, with who says so. They are held against VMs, never against what the host does for itself: the idle worlds of the system are ready all the time. A latency counts from 10 commands a second on.

`)
	for _, c := range docChapters {
		fmt.Fprintf(&b, "- [%s](#%s)\n", c.title, anchor(c.title))
	}
	told := map[string]bool{}
	for _, c := range docChapters {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| Metric | What it means | Column | Unit | Computed | Prometheus |\n|---|---|---|---|---|---|\n", c.title, c.text)
		for _, m := range Catalogue() {
			if c.has(m) {
				require.False(t, told[m.ID], "%s is in two docChapters", m.ID)
				told[m.ID] = true
				b.WriteString(metricRow(m))
			}
		}
	}
	for _, m := range Catalogue() {
		require.True(t, told[m.ID], "%s is in no chapter", m.ID)
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
		s = "**" + side + number(t.Warn) + ", badly " + strings.ToLower(side) + number(t.Critical) + ": " + t.Word + "**"
	}
	if t.PerVCPU {
		s += " (by vCPU)"
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

package exporter

import (
	"fmt"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Module is a part of a target's metrics. A target selects what is collected, a scrape what is shown.
type Module string

// Modules.
const (
	Basic     Module = "basic"      // hosts and VMs as wholes
	Disk      Module = "disk"       // adapters, paths, devices, NFS volumes, virtual disks
	Net       Module = "net"        // physical NICs and ports
	VCPU      Module = "vcpu"       // logical CPUs of hosts, vCPUs of VMs
	NUMA      Module = "numa"       // nodes, and VMs on nodes
	GPU       Module = "gpu"        // graphics devices of hosts, vGPUs of VMs
	Datastore Module = "datastore"  // capacity and free space
	Cluster   Module = "cluster"    // DRS settings, numbers of hosts and VMs
	Pool      Module = "pool"       // resource pools: usage, limits, ready time
	Snapshot  Module = "snapshot"   // of VMs: how many, how old, how large
	Hardware  Module = "hardware"   // sensors, links, drivers and firmware
	VSAN      Module = "vsan"       // where there is one
	Tags      Module = "tags"       // of chosen categories, on the info series
	Attribute Module = "attributes" // chosen custom attributes
	Esxtop    Module = "esxtop"     // metrics that only the Esxtop service of selected hosts has
	Audit     Module = "audit"      // how many findings there are of each rule
	Findings  Module = "findings"   // each finding with its object; shown on request only
)

// Modules are all modules, in the order of pages.
var Modules = []Module{Basic, Disk, Net, VCPU, NUMA, GPU, Datastore, Cluster, Pool, Snapshot, Hardware, VSAN, Tags, Attribute, Esxtop, Audit, Findings}

// DefaultModules are those of a target that names none.
var DefaultModules = []Module{Basic, Datastore, Cluster, Snapshot, Hardware, VSAN, Audit}

// measured are the objects of the modules that are measured.
var measured = map[Module]esxtop.Objects{
	Basic: esxtop.ObjectsOf(esxtop.Host, esxtop.Group),
	Disk:  esxtop.ObjectsOf(esxtop.Adapter, esxtop.Path, esxtop.Device, esxtop.NFS, esxtop.DiskVM, esxtop.VDisk),
	Net:   esxtop.ObjectsOf(esxtop.Port),
	VCPU:  esxtop.ObjectsOf(esxtop.PCPU, esxtop.World),
	NUMA:  esxtop.ObjectsOf(esxtop.Node, esxtop.GroupNode),
	GPU:   esxtop.ObjectsOf(esxtop.GPU),
}

// surveyed is a module whose figures come from configuration.
type surveyed struct {
	module Module
	// needs are the facts that it exports.
	needs inventory.Needs
	// write writes the metrics of v.
	write func(w *exposition.Writer, v *inventory.VCenter)
	// coverage returns the number of objects to export, how many were read completely, and a text about missing data;
	// "" if there is none.
	coverage func(v *inventory.VCenter) (expected, collected int, trouble string)
}

// status is how the module came out of a survey.
func (m surveyed) status(v *inventory.VCenter, ran time.Time, took time.Duration) CollectorStatus {
	c := CollectorStatus{Name: string(m.module), Ran: ran, Took: took}
	c.Expected, c.Collected, c.Err = m.coverage(v)
	c.Success = c.Err == "" && c.Collected >= c.Expected
	return c
}

// needsOf are the needs of facts.
func needsOf(facts ...string) (n inventory.Needs) {
	n.AddFact(facts...)
	return n
}

// column is a family with one series an object.
type column[O any] struct {
	name, help string
	value      func(O) (float64, bool) // false: the object has no value
}

// writeColumns writes families one after the other. An object's labels are the same in all of them.
func writeColumns[O any](w *exposition.Writer, objects []O, labels func(O) exposition.Labels, columns []column[O]) {
	of := make([]exposition.Labels, len(objects))
	for i, o := range objects {
		of[i] = labels(o)
	}
	for _, c := range columns {
		w.Family(exposition.Family{Name: c.name, Help: c.help})
		for i, o := range objects {
			if v, exists := c.value(o); exists {
				w.Sample(of[i], v)
			}
		}
	}
}

// writeInfo writes a family that carries texts: 1 for each object.
func writeInfo[O any](w *exposition.Writer, name, help string, objects []O, labels func(O) exposition.Labels) {
	w.Family(exposition.Family{Name: name, Help: help})
	for _, o := range objects {
		w.Sample(labels(o), 1)
	}
}

// The ways in which facts become numbers. One that is not known has none.

func number[N int64 | float64](f inventory.Fact[N], times float64) (float64, bool) {
	n, known := f.Value()
	return float64(n) * times, known
}

const (
	mib = 1 << 20
	// megabit a second in bytes a second
	mbit = 1e6 / 8
)

func yes(f inventory.Fact[bool]) (float64, bool) {
	b, known := f.Value()
	return oneIf(b), known
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func length[T any](f inventory.Fact[[]T]) (float64, bool) {
	list, known := f.Value()
	return float64(len(list)), known
}

// text is a fact as the value of a label: "", which is no label, where it is not known.
func text(f inventory.Fact[string]) string {
	s, _ := f.Value()
	return s
}

// covered counts the objects of which all the facts were read or are absent. beside describes other missing data, or is
// "".
func covered[O inventory.Object](otherTrouble string, objects []O, facts func(O) []inventory.Reader) (expected, collected int, trouble string) {
	for _, o := range objects {
		reason := unread(o, facts(o))
		if reason == "" {
			collected++
		} else if trouble == "" {
			trouble = o.Ref().Name + ": " + reason
		}
	}
	expected = len(objects)
	if n := expected - collected; n > 1 {
		trouble = fmt.Sprintf("%s (and %d more)", trouble, n-1)
	}
	if trouble == "" || otherTrouble == "" {
		return expected, collected, trouble + otherTrouble
	}
	return expected, collected, otherTrouble + "; " + trouble
}

// unread is why one of an object's facts could not be read, or "".
func unread(o inventory.Object, facts []inventory.Reader) string {
	for _, f := range facts {
		_, state, reason := f.Raw()
		if state == inventory.StateUnread {
			if reason == "" {
				reason = o.Gap()
			}
			return reason
		}
	}
	return ""
}

func listed(modules []Module) string {
	words := make([]string, len(modules))
	for i, m := range modules {
		words[i] = string(m)
	}
	return strings.Join(words, ", ")
}

// esxtopOnly are the objects that no other module measures.
func esxtopOnly() esxtop.Objects {
	objects := esxtop.AllObjects
	for _, of := range measured {
		objects &^= of
	}
	return objects
}

// moduleWords are modules as people write them.
func moduleWords(modules []Module) []string {
	out := make([]string, len(modules))
	for i, m := range modules {
		out[i] = string(m)
	}
	return out
}

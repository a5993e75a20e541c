package module

import (
	"fmt"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// Surveyed is a module whose figures come from configuration.
type Surveyed struct {
	Name Name
	// Needs are the facts that it exports.
	Needs inventory.Needs
	// PerHost means that its facts take calls to each host, in addition to those that read them all.
	PerHost bool
	// Write writes the metrics of v.
	Write func(w *exposition.Writer, v *inventory.VCenter)
	// Coverage returns the number of objects to export, how many were read completely, and a text about missing data;
	// "" if there is none.
	Coverage func(v *inventory.VCenter) (expected, collected int, trouble string)
}

// OfHosts are the modules of surveys whose series with a host's moid are readings of that host.
var OfHosts = []Name{GPU, Hardware, Firmware, VSAN}

// Survey returns a module of surveys; false for modules of measurements and of rules. attributes are the names of the
// custom attributes to export.
func Survey(n Name, attributes []string) (Surveyed, bool) {
	switch n {
	case GPU:
		return gpuModule(), true
	case Datastore:
		return datastoreModule(), true
	case Cluster:
		return clusterModule(), true
	case Pool:
		return poolModule(), true
	case Snapshot:
		return snapshotModule(), true
	case Hardware:
		return hardwareModule(), true
	case Firmware:
		return firmwareModule(), true
	case VSAN:
		return vsanModule(), true
	case Tags:
		return tagsModule(), true
	case Attribute:
		return attributesModule(attributes), true
	}
	return Surveyed{}, false
}

// needsOf are the needs of facts.
func needsOf(facts ...string) (n inventory.Needs) {
	n.AddFact(facts...)
	return n
}

// covered counts the objects of which all the facts were read or are absent. Objects that are absent as planned are not expected.
// otherTrouble describes other missing data, or is "".
func covered[O inventory.Object](otherTrouble string, objects []O, facts func(O) []inventory.Reader) (expected, collected int, trouble string) {
	for _, o := range objects {
		reason := unread(o, facts(o))
		if _, planned := inventory.PlannedAbsence(reason); planned {
			continue
		}
		expected++
		if reason == "" {
			collected++
		} else if trouble == "" {
			trouble = o.Ref().Name + ": " + reason
		}
	}
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

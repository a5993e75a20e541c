package trial

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// guardScope is a kind of object that a user's guard names.
type guardScope struct {
	name    string
	only    Only
	objects []esxtop.Object // that may have the metric, the first that has it counts
}

var guardScopes = []guardScope{
	{"host", EveryRow, []esxtop.Object{esxtop.Host}},
	{"vm", VMRows, []esxtop.Object{esxtop.Group, esxtop.DiskVM}},
	{"lun", EveryRow, []esxtop.Object{esxtop.Device}},
	{"nic", Uplinks, []esxtop.Object{esxtop.Port}},
	{"vnic", VMRows, []esxtop.Object{esxtop.Port}},
	{"vdisk", EveryRow, []esxtop.Object{esxtop.VDisk}},
	{"nfs", EveryRow, []esxtop.Object{esxtop.NFS}},
	{"pcpu", EveryRow, []esxtop.Object{esxtop.PCPU}},
}

var guardText = regexp.MustCompile(`^\s*([a-z]+)\.([A-Za-z0-9.]+)\s*(<|>)\s*([0-9.]+)\s*(\S*)\s*$`)

// ParseGuard reads a guard as a user types it: SCOPE.METRIC<VALUE or SCOPE.METRIC>VALUE, as vm.cpu.ready<5%. The
// condition is what has to stay true of each object: the worst one counts. Scopes are host, vm, lun, nic, vnic, vdisk,
// nfs and pcpu; metrics are those of the catalogue. Figures whose threshold is per vCPU, as cpu.ready, are divided by
// the VM's vCPUs. Latencies count from 10 commands a second on.
func ParseGuard(text string) (Guard, error) {
	m := guardText.FindStringSubmatch(text)
	if m == nil {
		return Guard{}, fmt.Errorf("guard %q: want SCOPE.METRIC<VALUE, as vm.cpu.ready<5%%", text)
	}
	limit, err := strconv.ParseFloat(m[4], 64)
	if err != nil {
		return Guard{}, fmt.Errorf("guard %q: %q is not a number", text, m[4])
	}
	term, metric, err := guardTerm(m[1], m[2])
	if err != nil {
		return Guard{}, fmt.Errorf("guard %q: %w", text, err)
	}
	if m[5] != "" && m[5] != string(metric.Unit) {
		return Guard{}, fmt.Errorf("guard %q: %s is in %s, not %s", text, metric.ID, metric.Unit, m[5])
	}
	if m[3] == ">" { // the least of several objects cannot be watched by their largest
		term.Fold = Min
	}
	id := strings.ReplaceAll(text, " ", "")
	return Guard{ID: id, Title: m[1] + "." + m[2], Unit: string(metric.Unit), Term: term, Limit: &limit, Below: m[3] == ">", Text: text}, nil
}

func guardTerm(scope, id string) (Term, *esxtop.Metric, error) {
	at := slices.IndexFunc(guardScopes, func(s guardScope) bool { return s.name == scope })
	if at < 0 {
		names := make([]string, len(guardScopes))
		for i, s := range guardScopes {
			names[i] = s.name
		}
		return Term{}, nil, fmt.Errorf("no scope %q%s; there are %s", scope, inventory.DidYouMean(scope, names), strings.Join(names, ", "))
	}
	s := guardScopes[at]
	metric := esxtop.Lookup(id)
	if metric == nil || metric.Kind == esxtop.Text {
		return Term{}, nil, fmt.Errorf("the catalogue of counters has no figure %q%s", id, inventory.DidYouMean(id, metricIDs(s)))
	}
	object := slices.IndexFunc(s.objects, func(o esxtop.Object) bool { return metric.Slot(o) >= 0 })
	if object < 0 {
		return Term{}, nil, fmt.Errorf("a %s has no %s%s", scope, id, inventory.DidYouMean(id, metricIDs(s)))
	}
	t := Term{Object: s.objects[object].String(), Metric: id, Only: s.only, Fold: Max}
	t.PerVCPU = s.objects[object] == esxtop.Group && metric.Threshold != nil && metric.Threshold.PerVCPU
	if metric.Kind == esxtop.Mean && metric.Unit == esxtop.Millisec && esxtop.Lookup("disk.commands").Slot(s.objects[object]) >= 0 {
		t.Needs, t.AtLeast = "disk.commands", busyDisk
	}
	return t, metric, nil
}

// busyDisk is how many commands a second make a latency meaningful.
const busyDisk = 10

func metricIDs(s guardScope) (ids []string) {
	for _, o := range s.objects {
		for _, m := range esxtop.MetricsOf(o) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

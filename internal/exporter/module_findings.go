package exporter

import (
	"strings"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/advice"
)

// writeFindings writes each fail that is neither waived nor in the baseline, with its object: a device by its host's or
// VM's name and its own, and by the id of the host or VM.
func writeFindings(w *exposition.Writer, r *advice.Result) {
	w.Family(exposition.Family{
		Name: "vperf_finding",
		Help: "1 for each object that fails a rule of the audit and is neither waived nor in the baseline (vperf audit).",
	})
	seen := map[exposition.Labels]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Outcome != advice.Fail || f.Known() {
			continue
		}
		moid, _, _ := strings.Cut(f.Object.ID, "/")
		l := exposition.NewLabels("rule", f.Rule.ID, "severity", string(f.Severity), "object", f.Object.Name,
			"kind", string(f.Object.Kind), "moid", moid)
		if !seen[l] { // two devices of a host can have one name
			seen[l] = true
			w.Sample(l, 1)
		}
	}
}

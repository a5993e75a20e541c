package advice

import (
	"fmt"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/inventory"
)

// doubt turns a fail into an unknown where the rule may rest on the default of an older release: the host is newer than the
// option table, and an option is at a default of its own that the table does not know.
func (r *compiled) doubt(f *Finding, a *activation) {
	h, ok := a.vars[inventory.ScopeHost].(*inventory.Host)
	if f.Outcome != Fail || !ok {
		return
	}
	version, known := h.Version.Value()
	if !known || !version.NewerThanTables() {
		return
	}
	options, _ := h.Options.Value()
	for _, key := range r.options {
		o, ok := options[key]
		if !ok || o.Default == nil || o.Value.Text != o.Default.Text {
			continue
		}
		doc, _ := inventory.LookupOption(key)
		if era, ok := doc.At(inventory.NewestRelease()); ok && !era.Absent && era.Default.Text == o.Default.Text {
			continue
		}
		*f = Finding{Rule: f.Rule, Object: f.Object, Host: f.Host, object: f.object, Profile: f.Profile, ProfileWhy: f.ProfileWhy, Severity: f.Severity}
		f.unknown(expr.Unread(h, key, fmt.Sprintf("release %s is newer than vperf's option table, which ends at %s, and has another default (%s)",
			version, inventory.NewestRelease(), o.Default)))
		return
	}
}

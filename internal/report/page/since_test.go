package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// A report without --since has no such section; with it, the section is the first, and foreign text cannot become markup.
func TestSince(t *testing.T) {
	v := sampleReport(1, 1)
	require.NotContains(t, written(t, v), `id="since"`)
	vm := inventory.Ref{Kind: inventory.ScopeVM, ID: "vm-1", Name: "<script>alert(1)</script>", VCenter: "vc"}
	v.Since = &diff.Diff{
		Old: diff.Side{TakenAt: noon}, Came: []diff.Object{{Ref: vm}}, Renamed: []diff.Renamed{{Object: vm, From: "a", To: "<b>"}},
		Findings:   diff.Findings{New: []diff.Finding{{Rule: "a-rule", Title: "A title", Severity: advice.High, Object: vm, Was: diff.NotThere, Is: "fail"}}},
		Counters:   []diff.Counter{{Object: vm, Metric: "cpu.ready", Unit: "percent of one vCPU's time", Old: 1, New: 2}},
		Uncompared: []diff.Uncompared{{Object: vm, Facts: []string{"VM.vcpus"}, Side: diff.OldSide, Reason: "no answer"}},
	}
	html := written(t, v)
	require.Contains(t, html, "What changed since 2026-05-04 12:00 UTC")
	require.Contains(t, html, "&lt;script&gt;alert(1)&lt;/script&gt;")
	require.NotContains(t, html, "<script>alert")
	for _, text := range []string{"renamed from a", "A title", "the object is new", "not a proof", "VM.vcpus (old side: no answer)", `<a href="#since">`} {
		require.Contains(t, html, text)
	}
	require.Less(t, strings.Index(html, `id="since"`), strings.Index(html, `id="summary"`))
}

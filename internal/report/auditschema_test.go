package report_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// auditOf returns an audit with one finding as JSON.
func auditOf(t *testing.T, o inventory.Ref, f advice.Finding) []byte {
	t.Helper()
	a := audit(t, false)
	f.Evaluated = &advice.Evaluated{Object: o}
	f.Rule, f.Profile, f.ProfileWhy, f.Severity, f.Outcome = &advice.Rule{ID: "r", Title: "R", Category: f.Rule.Category}, advice.ProfileGeneral, "as asked for", advice.Low, advice.Fail
	a.Result.Findings = []*advice.Finding{&f}
	var b bytes.Buffer
	require.NoError(t, report.JSON(&b, a))
	return b.Bytes()
}

// TestAuditSchemaKnowsEveryKindAndCategory checks the schema: an unknown kind or category would make the whole audit invalid.
func TestAuditSchemaKnowsEveryKindAndCategory(t *testing.T) {
	for _, kind := range advice.Scopes() {
		validate(t, auditOf(t, inventory.Ref{Kind: kind, Name: "n", ID: "i"}, advice.Finding{Rule: &advice.Rule{Category: "cpu"}}))
	}
	for _, category := range advice.Categories() {
		validate(t, auditOf(t, esx01, advice.Finding{Rule: &advice.Rule{Category: category}}))
	}
	for _, kind := range []inventory.Scope{
		inventory.ScopeVCenter, inventory.ScopeLUN, inventory.ScopeDatastore, inventory.ScopeVMKNIC, inventory.ScopeHBA, inventory.ScopeSwitch,
	} {
		require.Contains(t, advice.Scopes(), kind)
	}
}

func TestAuditJSONOfWhatIsNoNumber(t *testing.T) {
	b := auditOf(t, esx01, advice.Finding{Rule: &advice.Rule{Category: "cpu"}, Evidence: []advice.Measured{
		measured("part", math.NaN()), measured("most", math.Inf(1)), measured("parts", []any{1.5, math.NaN()}), measured("ok", 2.5),
	}})
	validate(t, b)
	for _, want := range []string{
		`"part":{"unread":"the computed value is not a number (NaN)"}`, `"most":{"unread":"the computed value is not a number (+Inf)"}`,
		`"parts":{"unread":"the computed value is not a number (NaN)"}`, `"ok":2.5`,
	} {
		require.Contains(t, string(b), want)
	}
}

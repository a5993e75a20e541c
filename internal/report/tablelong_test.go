package report_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// many is an audit in which one rule has the same result for many objects.
func many(t *testing.T, n int, o advice.Outcome) report.Audit {
	t.Helper()
	a := audit(t, false)
	rule := a.Result.Findings[0].Rule
	a.Result = &advice.Result{Counts: map[advice.Outcome]int{o: n}}
	for i := range n {
		a.Result.Findings = append(a.Result.Findings, &advice.Finding{
			Rule: rule, Outcome: o, Severity: advice.Low,
			Evaluated: &advice.Evaluated{Object: inventory.Ref{Kind: inventory.ScopeVM, Name: fmt.Sprintf("vm-%03d", i), ID: strconv.Itoa(i)}},
		})
	}
	return a
}

func TestLongListsAreFolded(t *testing.T) {
	for _, c := range []struct {
		n, listed int
		outcome   advice.Outcome
	}{
		{8, 8, advice.Fail}, {9, 0, advice.Fail}, {3, 3, advice.Manual}, {200, 0, advice.Manual},
	} {
		a := many(t, c.n, c.outcome)
		for _, whole := range []bool{false, true} {
			a.Whole = whole
			listed := c.listed
			if whole {
				listed = c.n
			}
			var b bytes.Buffer
			require.NoError(t, report.Terminal{}.Show(&b, report.Details(a)))
			require.Equal(t, listed, strings.Count(b.String(), "\n  vm-"))
			rest := fmt.Sprintf("\n  %d VMs: vm-000, vm-001, vm-002 and %d more (--all, JSON and CSV list them)", c.n, c.n-3)
			require.Equal(t, listed < c.n, strings.Contains(b.String(), rest), b.String())
		}
	}
}

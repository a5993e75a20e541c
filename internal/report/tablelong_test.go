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

// many is an audit in which one rule says the same of many objects.
func many(t *testing.T, n int, o advice.Outcome) report.Audit {
	t.Helper()
	a := audit(t, false)
	rule := a.Result.Findings[0].Rule
	a.Result = &advice.Result{Counts: map[advice.Outcome]int{o: n}}
	for i := range n {
		a.Result.Findings = append(a.Result.Findings, advice.Finding{
			Rule: rule, Outcome: o, Severity: advice.Low, Object: inventory.Ref{Kind: inventory.ScopeVM, Name: fmt.Sprintf("vm-%03d", i), ID: strconv.Itoa(i)},
		})
	}
	return a
}

func TestLongListsAreCutShort(t *testing.T) {
	for _, c := range []struct {
		n, listed int
		outcome   advice.Outcome
	}{
		{13, 13, advice.Fail}, {14, 12, advice.Fail}, {4, 4, advice.Manual}, {200, 3, advice.Manual},
	} {
		a := many(t, c.n, c.outcome)
		for _, whole := range []bool{false, true} {
			a.Whole = whole
			listed := c.listed
			if whole {
				listed = c.n
			}
			var b bytes.Buffer
			require.NoError(t, report.Table(&b, a, report.Terminal{}))
			require.Equal(t, listed, strings.Count(b.String(), "\n  vm-"))
			rest := fmt.Sprintf("… and %d more; --all lists them", c.n-listed)
			require.Equal(t, listed < c.n, strings.Contains(b.String(), rest), b.String())
		}
	}
}

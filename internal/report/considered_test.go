package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestAdviceOfSeveralObjects checks that a recommendation for several objects names each with its loss; the table shows the
// most affected.
func TestAdviceOfSeveralObjects(t *testing.T) {
	at := func(o inventory.Ref, lost float64) *advice.Recommendation {
		r := limited(t)
		r.Object, r.Impact.Lost = o, inventory.Known(lost)
		return r
	}
	r := limited(t)
	r.Object, r.Parts = inventory.Ref{}, []*advice.Recommendation{at(db02, 2.9), at(db01, 1)}
	r.Impact = advice.Impact{Objects: 2, VMs: 2, Lost: inventory.Known(3.9)}
	a := adviceOf(&advice.Advice{Recommendations: []*advice.Recommendation{r}}, held(1))
	text := adviceTable(t, a, 0)
	require.Contains(t, text, "1 thing to do; first: A limit holds the vCPUs back (VMs db-02, db-01)")
	require.Contains(t, text, "VMs db-02, db-01; affects VM db-02; VMs lose 3.9 vCPU-seconds per second (db-02 2.9, db-01 1)")
	require.Contains(t, text, "    because: db-02: limited 3.5 % of a vCPU, limit 1,000 MHz\n")
	require.NotContains(t, text, "Possible")
	r.Possible = true
	require.Contains(t, adviceTable(t, a, 0), "  Possible: A limit holds the vCPUs back\n")
}

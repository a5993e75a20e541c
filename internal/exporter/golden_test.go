package exporter

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/exposition/expositiontest"
	"github.com/vperf/vperf/internal/golden"
)

// live is the value of a series that is another one at another time.
var live = regexp.MustCompile(`(?m)^((?:esxi_|vperf_(?:sample_|collector_duration|collector_last|audit_|samples_collected)|vperf_series )[^#\n]*) \S+$`)

// TestWholePage compares a page of a host and its VMs. Measured values are omitted; series, labels, types and help are
// not.
func TestWholePage(t *testing.T) {
	// Other tests move the time, on which labels depend.
	s := onOwnStage(t)
	shown := slices.DeleteFunc(slices.Clone(module.All), func(m module.Name) bool { return m == module.VCPU }) // a hundred series of each family
	target := s.target(t, TargetConfig{
		Modules: shown, Audit: judged(t), TagCategories: []string{"vperf.profile"}, CustomAttributes: []string{"cost-centre"},
		Filter: Filter{Include: []Pattern{{Name: "host05.*"}, {Name: "hpc-cfd-01"}}},
	})
	st := s.drive(t, target)
	st.survey()
	require.NoError(t, st.round(t.Context(), st.source))
	page := textOf(t, target, shown...)
	expositiontest.Lint(t, []byte(textOf(t, target, module.Basic, module.Disk, module.Net, module.NUMA, module.Tags)))
	golden.Equal(t, "testdata/page.prom", []byte(live.ReplaceAllString(page, "$1 …")))

	open, err := target.Page(t.Context(), nil, exposition.OpenMetrics, true)
	require.NoError(t, err)
	require.True(t, open.Gzip)
	require.True(t, strings.HasPrefix(open.ContentType, "application/openmetrics-text"))
}

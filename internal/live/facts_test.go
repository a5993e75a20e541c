package live

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestFactsOfTheCatalogue: an entry of the catalogue is enough for a live counter of rules.
func TestFactsOfTheCatalogue(t *testing.T) {
	m := *esxtop.Lookup("cpu.ready")
	m.Facts = []esxtop.Fact{
		{Scope: "vm", Name: "cpu.madeUp"},
		{Scope: "vm", Name: "cpu.madeUpPerVCPU", As: esxtop.FactPerVCPU},
		{Scope: "vm", Name: "cpu.madeUpInKB", As: esxtop.FactInKB},
		{Scope: "vm", Name: "cpu.madeUpElse", Else: esxtop.Lookup("cpu.run")},
	}
	vm := esxtop.NewRow(esxtop.Group, "1", "web01")
	vm.VM, vm.VCPUs = true, 4
	vm.Set(&m, 24)
	s := &subject{frame: &esxtop.Frame{}, row: &vm}
	measures := ofCatalogue([]*esxtop.Metric{&m})
	require.Len(t, measures, 4)
	for i, want := range []float64{24, 6, 24 * 1024, 24} {
		require.Equal(t, inventory.ScopeVM, measures[i].scope)
		require.Equal(t, m.Facts[i].Name, measures[i].name)
		v, present := measures[i].read(s)
		require.Equal(t, figure, present)
		require.InDelta(t, want, v, 0)
	}
	other := esxtop.NewRow(esxtop.Group, "1", "web01")
	other.Set(esxtop.Lookup("cpu.run"), 7)
	v, present := measures[3].read(&subject{frame: &esxtop.Frame{}, row: &other})
	require.Equal(t, figure, present)
	require.InDelta(t, 7, v, 0)
	for _, one := range measures[:3] {
		_, present := one.read(&subject{frame: &esxtop.Frame{}, row: &other})
		require.Equal(t, notReported, present)
	}
}

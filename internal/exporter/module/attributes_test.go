package module

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func TestAttributeLabels(t *testing.T) {
	labels, err := attributeLabels([]string{"Owner", "cost-centre", "Größe"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"Owner": "attribute_owner", "cost-centre": "attribute_cost_centre", "Größe": "attribute_gr__e"}, labels)
	for names, want := range map[string]string{
		"cost-centre,Cost Centre": `"cost-centre" and "Cost Centre" would both be the label attribute_cost_centre`,
		"owner,owner":             `both be the label attribute_owner`,
		"owner,":                  "empty name",
		strings.Repeat("a,", 20):  "at most 20",
	} {
		_, err := attributeLabels(strings.Split(names, ","))
		require.ErrorContains(t, err, want, names)
	}
}

// TestAttributesSelectTheirModule: names are enough.
func TestAttributesSelectTheirModule(t *testing.T) {
	modules, err := WithAttributes([]Name{Basic}, []string{"owner"})
	require.NoError(t, err)
	require.Equal(t, []Name{Basic, Attribute}, modules)
	modules, err = WithAttributes([]Name{Basic}, nil)
	require.NoError(t, err)
	require.Equal(t, []Name{Basic}, modules)
}

// TestAttributesAreNamedInNeeds: the reader drops attributes that the config does not name.
func TestAttributesAreNamedInNeeds(t *testing.T) {
	needs := attributesModule([]string{"owner"}).Needs
	var all inventory.Needs
	all.Add(needs)
	require.True(t, all.Attribute("owner"))
	require.True(t, all.Attribute("vperf.waive"))
	require.False(t, all.Attribute("Owner"))
	require.False(t, inventory.Everything().Attribute("owner"))
}

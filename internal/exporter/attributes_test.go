package exporter

import (
	"strings"
	"testing"
	"time"

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

// TestAttributesSelectTheirModule, and the module needs names.
func TestAttributesSelectTheirModule(t *testing.T) {
	modules, err := withAttributes([]Module{Basic}, []string{"owner"})
	require.NoError(t, err)
	require.Equal(t, []Module{Basic, Attribute}, modules)
	modules, err = withAttributes([]Module{Basic}, nil)
	require.NoError(t, err)
	require.Equal(t, []Module{Basic}, modules)
	_, err = newTarget(TargetConfig{Name: "a", Dial: (&stage{}).dial, Modules: []Module{Attribute}}, New(Options{}).log)
	require.ErrorContains(t, err, "add for example custom-attributes: [owner]")
	_, err = newTarget(TargetConfig{Name: "a", Dial: (&stage{}).dial, CustomAttributes: []string{"a-b", "a_b"}}, New(Options{}).log)
	require.ErrorContains(t, err, `target a: custom-attributes: "a-b" and "a_b"`)
}

// TestNamedAttributesAlone are exported: others are not even read.
func TestNamedAttributesAlone(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []Module{Basic}, CustomAttributes: []string{"cost-centre", "ownr"}})
	st := s.drive(t, target)
	st.survey()
	page := textOf(t, target, Attribute)
	require.Contains(t, page, `esxi_vm_custom_attributes_info{attribute_cost_centre="4711 databases",moid="`)
	require.Contains(t, page, `esxi_host_custom_attributes_info{attribute_cost_centre="4720 research",host="host`)
	require.NotContains(t, page, "SECRET")
	require.NotContains(t, page, "attribute_ownr", "no object has it")
	require.Contains(t, strings.Join(target.Trace(time.Hour), "\n"), `no host and no VM has a value of the custom attribute "ownr"`)
	st.survey()
	require.Equal(t, 1, strings.Count(strings.Join(target.Trace(time.Hour), "\n"), `"ownr"`), "it is reported once")
	require.True(t, collector(target, "attributes").Success)
}

// TestAttributesAreNamedInNeeds: what nobody named is dropped where it is read.
func TestAttributesAreNamedInNeeds(t *testing.T) {
	needs := attributesModule([]string{"owner"}).needs
	var all inventory.Needs
	all.Add(needs)
	require.True(t, all.Attribute("owner"))
	require.True(t, all.Attribute("vperf.waive"))
	require.False(t, all.Attribute("Owner"))
	require.False(t, inventory.Everything().Attribute("owner"))
}

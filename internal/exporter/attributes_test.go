package exporter

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
)

// TestAttributesNeedNames: the module without names is refused.
func TestAttributesNeedNames(t *testing.T) {
	_, err := newTarget(TargetConfig{Name: "a", Dial: (&stage{}).dial, Modules: []module.Name{module.Attribute}}, New(Options{}).log)
	require.ErrorContains(t, err, "add for example custom-attributes: [owner]")
	_, err = newTarget(TargetConfig{Name: "a", Dial: (&stage{}).dial, CustomAttributes: []string{"a-b", "a_b"}}, New(Options{}).log)
	require.ErrorContains(t, err, `target a: custom-attributes: "a-b" and "a_b"`)
}

// TestNamedAttributesAlone are exported: others are not even read.
func TestNamedAttributesAlone(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, CustomAttributes: []string{"cost-centre", "ownr"}})
	st := s.drive(t, target)
	st.survey()
	page := textOf(t, target, module.Attribute)
	require.Contains(t, page, `esxi_vm_custom_attributes_info{attribute_cost_centre="4711 databases",moid="`)
	require.Contains(t, page, `esxi_host_custom_attributes_info{attribute_cost_centre="4720 research",host="host`)
	require.NotContains(t, page, "SECRET")
	require.NotContains(t, page, "attribute_ownr", "no object has it")
	require.Contains(t, strings.Join(target.Trace(time.Hour), "\n"), `no host and no VM has a value of the custom attribute "ownr"`)
	st.survey()
	require.Equal(t, 1, strings.Count(strings.Join(target.Trace(time.Hour), "\n"), `"ownr"`), "it is reported once")
	require.True(t, collector(target, "attributes").Success)
}

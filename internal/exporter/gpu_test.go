package exporter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
)

// TestGPUs: each device of the host has its figures, which change with the load of VMs with vGPUs.
func TestGPUs(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.GPU}})
	st := s.drive(t, target)
	seen := map[float64]bool{}
	for range 8 {
		require.NoError(t, st.round(t.Context(), st.source))
		figures := map[string]int{}
		for name, v := range series(t, textOf(t, target)) {
			family, labels, _ := strings.Cut(name, "{")
			if !strings.HasPrefix(family, "esxi_") {
				continue
			}
			figures[family]++
			require.Contains(t, labels, `host="host08.demo.local"`)
			switch {
			case strings.HasSuffix(family, "_ratio"):
				require.LessOrEqual(t, v, 1.0, name)
			case family == "esxi_gpu_temperature_celsius":
				require.True(t, v > 20 && v < 100, name)
			}
			if family == "esxi_gpu_utilization_ratio" && strings.Contains(labels, `gpu="gpu-0000:3b:00.0"`) {
				seen[v] = true
			}
		}
		require.Equal(t, map[string]int{
			"esxi_gpu_utilization_ratio": 2, "esxi_gpu_memory_used_bytes": 2, "esxi_gpu_memory_usage_ratio": 2, "esxi_gpu_temperature_celsius": 2,
		}, figures)
	}
	require.Greater(t, len(seen), 1, "%v", seen)
	require.True(t, collector(target, "performance").Success, collector(target, "performance").Err)
}

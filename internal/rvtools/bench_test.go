package rvtools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/rvtools"
	"github.com/vperf/vperf/internal/rvtools/rvtoolstest"
)

// BenchmarkLoad reads a workbook of 30,000 VMs: vInfo with all of its 93 columns, and the other sheets. The budget is 3 s of CPU time and
// 300 MiB for the process.
func BenchmarkLoad(b *testing.B) {
	path := filepath.Join(b.TempDir(), "rvtools.xlsx")
	if kept := os.Getenv("RVTOOLS_BENCH_FILE"); kept != "" { // to measure a process of vperf with it
		path = kept
	}
	file, err := os.Create(path)
	require.NoError(b, err)
	require.NoError(b, rvtoolstest.WriteWorkbook(file, rvtoolstest.Wide(rvtoolstest.Of(rvtoolstest.Large(30_000))), rvtoolstest.Form{}))
	require.NoError(b, file.Close())
	b.ReportAllocs()
	for b.Loop() {
		s, err := rvtools.Load(b.Context(), path)
		require.NoError(b, err)
		require.Len(b, s.VCenters[0].VMs, 30_000)
	}
}

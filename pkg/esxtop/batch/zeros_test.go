package batch

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// rewritten reads a capture and writes it again, like vperf top -R FILE -b.
func rewritten(t *testing.T, capture string) [][]string {
	t.Helper()
	r, err := NewReader(strings.NewReader(capture), esxtop.AllObjects)
	require.NoError(t, err)
	var b bytes.Buffer
	w := NewWriter(&b, Options{})
	for _, round := range readAll(t, r) {
		require.NoError(t, w.Write(round))
	}
	rows, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	return rows
}

// TestZerosOfACaptureStay: values that are missing in a capture are missing in its copy.
func TestZerosOfACaptureStay(t *testing.T) {
	const adapter = `\\esx01\Physical Disk Adapter(vmhba0)\`
	original := `"(PDH-CSV 4.0) (UTC)(0)","` + adapter + `Commands/sec","` + adapter + `Average Driver MilliSec/Command","` +
		adapter + `Average Kernel MilliSec/Command","\\esx01\Power\Power Usage Now Watts"` + "\n" +
		`"04/24/2018 10:49:12","0.00","0.00","0.00","0"` + "\n" + // the first sample is 0 for all disks
		`"04/24/2018 10:49:17","0.00","0.00","","0"` + "\n" + // no commands have no latency, and there is no sensor
		`"04/24/2018 10:49:22","20.00","1.50","0.00",""` + "\n"
	copied := rewritten(t, original)
	column := func(name string) (values []string) {
		for i, n := range copied[0] {
			for row := 1; row < len(copied) && strings.HasSuffix(n, name); row++ {
				values = append(values, copied[row][i])
			}
		}
		return values
	}
	require.Equal(t, []string{"0.00", "0.00", "20.00"}, column("Commands/sec"))
	require.Equal(t, []string{"0.00", "0.00", "1.50"}, column("Average Driver MilliSec/Command"))
	require.Equal(t, []string{"0.00", "", "0.00"}, column("Average Kernel MilliSec/Command"))
	require.Equal(t, []string{"0", "0", ""}, column("Power Usage Now Watts"))

	r, err := NewReader(strings.NewReader(original), esxtop.AllObjects)
	require.NoError(t, err)
	for _, round := range readAll(t, r)[:2] {
		_, has := round.Frames[0].Rows(esxtop.Adapter)[0].Value(esxtop.Lookup("disk.deviceLatency"))
		require.False(t, has)
	}
}

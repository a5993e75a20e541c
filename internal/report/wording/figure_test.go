package wording

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumber(t *testing.T) {
	for want, x := range map[string]float64{
		"0": 0, "9": 9, "9.33": 9.3333, "9.5": 9.5, "-9.33": -9.3333, "10": 9.999, "12.2": 12.21, "12": 12.04, "96.4": 96.44, "96": 95.96,
		"123": 123.4, "1,234": 1234.4, "12,345": 12345, "-1,234,567": -1234567, "-123": -123, "0.31": 0.311, "0.0012": 0.00123, "0.5": 0.5,
		"NaN": math.NaN(), "+Inf": math.Inf(1), "1e+15": 1e15,
	} {
		require.Equal(t, want, Number(x))
	}
}

func TestFigureOf(t *testing.T) {
	require.Equal(t, "12.2 ms", FigureOf(12.21, "ms"))
	require.Equal(t, "2 (0 high, 1 clear, 2 soft)", FigureOf(2.0, "0 high, 1 clear, 2 soft"))
	require.Equal(t, "75 % of the samples", FigureOf(0.75, UnitPart))
	require.Equal(t, "66.7 % of the samples", FigureOf(2.0/3, UnitPart))
	require.Equal(t, "[vmnic0, vmnic1]", FigureOf([]any{"vmnic0", "vmnic1"}, ""))
	require.Equal(t, "3 W", FigureOf(int64(3), "W"))
}

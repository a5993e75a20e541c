package page

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func TestFigures(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 5: "5", 0.5: "0.5", 0.3058: "0.306", 9.999: "10", 12.34: "12.3", 99.96: "100", 123.4: "123", 12345.6: "12,346", -1234567: "-1,234,567",
		-123: "-123", 0.0004: "0.0004", 1e16: "1e+16", math.Inf(1): "–",
	} {
		require.Equal(t, want, figure(v), v)
	}
	require.Equal(t, "–", figure(math.NaN()))
	require.Equal(t, "12.3\u00a0%", measured(12.3, "percent of one vCPU's time"))
	require.Equal(t, "12.3", measured(12.3, "ratio"))
	require.Equal(t, "12.3\u00a0ms", measured(12.3, "ms"))
}

func TestDurationsAndTimes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 41200 * time.Millisecond: "41.2 s", 2 * time.Minute: "2 min", 90 * time.Second: "1 min 30 s", 3*time.Hour + 5*time.Minute: "3 h 5 min", 50 * time.Hour: "2 d 2 h",
	} {
		require.Equal(t, want, lasted(d))
	}
	require.Equal(t, "–", moment(time.Time{}))
	require.Equal(t, "2026-05-04 12:00:00 to 12:30:00 UTC, 30 min", span(noon, noon.Add(30*time.Minute)))
	require.Equal(t, "2026-05-04 12:00:00 to 2026-05-05 13:00:00 UTC, 25 h", span(noon, noon.Add(25*time.Hour)))
}

func TestThreeStatesStayThree(t *testing.T) {
	require.Equal(t, "0", known(inventory.Known(0.0), figure))
	require.Equal(t, "not there", known(inventory.Absent[float64](), figure))
	require.Equal(t, "not read", known(inventory.Fact[float64]{}, figure))
	require.Equal(t, "not read (no permission)", known(inventory.Unread[float64]("no permission"), figure))
	require.Equal(t, "unset", setting(inventory.Known(inventory.StringValue(""))))
}

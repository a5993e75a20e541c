package exposition

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLabels(t *testing.T) {
	for name, tc := range map[string]struct {
		pairs []string
		want  string
	}{
		"by name":            {[]string{"vm", "db", "moid", "vm-1"}, `{moid="vm-1",vm="db"}`},
		"none":               {nil, ""},
		"without a value":    {[]string{"vm", "", "moid", "vm-1"}, `{moid="vm-1"}`},
		"none has a value":   {[]string{"vm", ""}, ""},
		"words of others":    {[]string{"vm", "a\"b\\c\nd\xff"}, `{vm="a\"b\\c\nd` + "\uFFFD" + `"}`},
		"a name of others":   {[]string{"tag_Cost centre-1", "x", "tag_é", "y"}, `{tag_Cost_centre_1="x",tag__="y"}`},
		"a digit first":      {[]string{"1a1", "x"}, `{_a1="x"}`},
		"names that meet":    {[]string{"tag_a b", "first", "tag_a-b", "second"}, `{tag_a_b="first"}`},
		"the first is empty": {[]string{"tag_a b", "", "tag_a-b", "second"}, `{tag_a_b="second"}`},
		"more than a few":    {[]string{"j", "0", "i", "1", "h", "2", "g", "3", "f", "4", "e", "5", "d", "6", "c", "7", "b", "8", "a", "9"}, `{a="9",b="8",c="7",d="6",e="5",f="4",g="3",h="2",i="1",j="0"}`},
	} {
		require.Equal(t, tc.want, string(NewLabels(tc.pairs...)), name)
	}
}

func TestWriter(t *testing.T) {
	write := func(f Format) string {
		var b bytes.Buffer
		w := NewWriter(&b, f)
		w.Family(Family{Name: "esxi_nobody_ratio", Help: "No series."})
		w.Family(Family{Name: "esxi_vm_cpu_ready_seconds_total", Help: `Ready "time".`, Kind: Counter})
		w.Sample(NewLabels("vm", "a"), 1)
		w.Sample("", 2_500_000)
		w.Family(Family{Name: "esxi_host_power_watts", Help: "Power.\nNow."})
		w.SampleAt(NewLabels("host", "a"), 0.5, time.UnixMilli(1_700_000_000_250))
		require.NoError(t, w.Close())
		return b.String()
	}
	require.Equal(t, `# HELP esxi_vm_cpu_ready_seconds_total Ready "time".
# TYPE esxi_vm_cpu_ready_seconds_total counter
esxi_vm_cpu_ready_seconds_total{vm="a"} 1
esxi_vm_cpu_ready_seconds_total 2.5e+06
# HELP esxi_host_power_watts Power.\nNow.
# TYPE esxi_host_power_watts gauge
esxi_host_power_watts{host="a"} 0.5 1700000000250
`, write(Text))
	require.Equal(t, `# HELP esxi_vm_cpu_ready_seconds Ready \"time\".
# TYPE esxi_vm_cpu_ready_seconds counter
esxi_vm_cpu_ready_seconds_total{vm="a"} 1.0
esxi_vm_cpu_ready_seconds_total 2.5e+06
# HELP esxi_host_power_watts Power.\nNow.
# TYPE esxi_host_power_watts gauge
esxi_host_power_watts{host="a"} 0.5 1.70000000025e+09
# EOF
`, write(OpenMetrics))
}

// TestBegunTwice: readers require all series of a family in one place, and in OpenMetrics a counter is a family without
// _total.
func TestBegunTwice(t *testing.T) {
	for name, tc := range map[string]struct {
		families []Family
		want     string
	}{
		"once":      {[]Family{{Name: "a"}, {Name: "b"}, {Name: "a_total"}}, ""},
		"again":     {[]Family{{Name: "a"}, {Name: "b"}, {Name: "a"}}, "writing metrics: a was begun twice"},
		"the first": {[]Family{{Name: "b"}, {Name: "b"}, {Name: "a"}, {Name: "a"}}, "writing metrics: b was begun twice"},
		"a counter": {[]Family{{Name: "a"}, {Name: "a_total", Kind: Counter}}, "writing metrics: a_total was begun twice"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w := NewWriter(&b, Text)
			for i, f := range tc.families {
				w.Family(f)
				w.Sample("", float64(i))
			}
			err := w.Close()
			require.Equal(t, len(tc.families), strings.Count(b.String(), "# TYPE"), "it is all there")
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.want)
		})
	}
}

// failing accepts a number of bytes.
type failing struct{ room, calls int }

var errFull = errors.New("no room")

func (f *failing) Write(p []byte) (int, error) {
	f.calls++
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestWriterErrorStays: callers need not check the error of each series, and after an error nothing is written.
func TestWriterErrorStays(t *testing.T) {
	to := &failing{room: 100_000}
	w := NewWriter(to, Text)
	w.Family(Family{Name: "a"})
	for range 100_000 {
		w.Sample("", 1)
	}
	w.Family(Family{Name: "a"})
	require.ErrorIs(t, w.Close(), errFull)
	require.Equal(t, 2, to.calls)
	require.ErrorIs(t, small(&failing{room: 3}), errFull)
}

// small writes a page that is smaller than the buffer, and returns its error.
func small(to io.Writer) error {
	w := NewWriter(to, Text)
	w.Family(Family{Name: "a"})
	w.Sample("", 1)
	return w.Close()
}

// TestWriterAllocates: there are no allocations per series.
func TestWriterAllocates(t *testing.T) {
	w := NewWriter(io.Discard, OpenMetrics)
	w.Family(Family{Name: "esxi_vm_memory_granted_bytes", Help: "x"})
	l, at := NewLabels("vm", "a", "moid", "vm-1"), time.UnixMilli(1_700_000_000_250)
	require.Zero(t, testing.AllocsPerRun(5000, func() {
		w.Sample(l, 1234567.25)
		w.SampleAt(l, 123_456_789_000, at)
	}))
}

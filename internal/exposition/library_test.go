package exposition

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"
)

// page is the input of both ways of writing.
type page []family

type family struct {
	Family

	series []series
}

type series struct {
	labels []string // alternating names and values
	value  float64
	at     time.Time
}

// formats maps formats to those of Prometheus's library.
var formats = map[Format]expfmt.Format{Text: expfmt.FmtText, OpenMetrics: expfmt.FmtOpenMetrics_1_0_0}

// ours returns the page as this package writes it.
func (p page) ours(t require.TestingT, format Format) string {
	var b bytes.Buffer
	w := NewWriter(&b, format)
	for _, f := range p {
		w.Family(f.Family)
		for _, s := range f.series {
			w.SampleAt(NewLabels(s.labels...), s.value, s.at)
		}
	}
	require.NoError(t, w.Close())
	return b.String()
}

// library returns the page as Prometheus's own library writes it: const metrics, a registry, an encoder.
func (p page) library(t require.TestingT, format Format) string {
	registry := prometheus.NewRegistry()
	registry.MustRegister(p)
	families, err := registry.Gather()
	require.NoError(t, err)
	var b bytes.Buffer
	encoder := expfmt.NewEncoder(&b, formats[format])
	for _, f := range families {
		slices.SortFunc(f.Metric, func(a, b *dto.Metric) int { return cmp.Compare(place(a), place(b)) }) // it was sorted by labels
		require.NoError(t, encoder.Encode(f))
	}
	require.NoError(t, encoder.(expfmt.Closer).Close())
	return b.String()
}

// place returns the index of a metric's series in its family.
func place(m *dto.Metric) int {
	for _, l := range m.Label {
		if l.GetName() == "moid" {
			n, _ := strconv.Atoi(l.GetValue())
			return n
		}
	}
	return 0
}

// Describe describes nothing: series of a family may differ in their labels.
func (p page) Describe(chan<- *prometheus.Desc) {}

func (p page) Collect(ch chan<- prometheus.Metric) {
	for _, f := range p {
		kind := prometheus.GaugeValue
		if f.Kind == Counter {
			kind = prometheus.CounterValue
		}
		for _, s := range f.series {
			names, values := s.known()
			m := prometheus.MustNewConstMetric(prometheus.NewDesc(f.Name, valid(f.Help), names, nil), kind, s.value, values...)
			if !s.at.IsZero() {
				m = prometheus.NewMetricWithTimestamp(s.at, m)
			}
			ch <- m
		}
	}
}

// known returns the labels that have a value: the library writes the others too, and Prometheus ignores them.
func (s series) known() (names, values []string) {
	for i := 0; i < len(s.labels); i += 2 {
		if s.labels[i+1] != "" {
			names, values = append(names, s.labels[i]), append(values, valid(s.labels[i+1]))
		}
	}
	return names, values
}

// valid replaces invalid UTF-8, which the library refuses.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

var awkward = []string{
	"", "esx01", "a b", `quo"te`, `back\slash`, `both\"`, "two\nlines", "\r", "tab\t", "\u202Egpj.exe", "\u200F", "日本語", "\xff", "\xc3(", "ab\xe2\x82", "\xf0\x9f\x92\xa9", "{", "}", ",", "=", "#", `\n`,
	"{a=\"b\"} 1\nfake 2", "\x00", "\x1b[31m",
}

var values = []float64{
	0, math.Copysign(0, -1), 1, -1, 2, 10, -10, 0.1, 0.5, -0.25, 1e-4, 1e-5, 123456, 999_999, 1_000_000, -1_000_000, 1_000_001, 1_234_567, 12_345_678.5, 1e15, 123_456_789_012_345, 1 << 53, 1<<53 - 1, -(1<<53 - 1),
	1<<53 + 2, 1 << 60, 1e20, 1e21, 1e22, 1e100, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 1_700_000_000, 1_700_000_000.123, 3.0000000000000004, math.MaxInt64, math.MinInt64,
}

// random returns a page of random content without duplicate series.
func random(r *rand.Rand) (p page) {
	pick := func() string {
		return awkward[r.IntN(len(awkward))] + awkward[r.IntN(len(awkward))]
	}
	for i := range 1 + r.IntN(5) {
		f := family{Family: Family{Name: fmt.Sprintf("esxi_thing%d_bytes", i), Help: pick(), Kind: Kind(r.IntN(2))}}
		if f.Kind == Counter && r.IntN(4) > 0 {
			f.Name += "_total"
		}
		for j := range r.IntN(6) {
			s := series{labels: []string{"vm", pick(), "moid", strconv.Itoa(j), "disk", pick(), "Big_1", pick()}, value: values[r.IntN(len(values))]}
			if r.IntN(2) == 0 {
				s.value = math.Float64frombits(r.Uint64())
			}
			if r.IntN(3) == 0 {
				s.value = float64(r.Int64N(1 << (1 + r.IntN(62))))
			}
			if r.IntN(3) == 0 {
				s.at = time.UnixMilli(r.Int64N(3e12) - 1e12)
			}
			f.series = append(f.series, s)
		}
		p = append(p, f)
	}
	return p
}

// TestAsTheLibraryWrites: the output is byte for byte that of Prometheus's own library.
func TestAsTheLibraryWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		p := random(r)
		for f := range formats {
			require.Equal(t, p.library(t, f), p.ours(t, f))
		}
	}
}

// TestValues checks each form of numbers, with both signs, and at each order of magnitude.
func TestValues(t *testing.T) {
	p := page{{Family: Family{Name: "esxi_x_bytes", Help: "x"}}}
	add := func(v float64) {
		p[0].series = append(p[0].series, series{labels: []string{"moid", strconv.Itoa(len(p[0].series))}, value: v})
	}
	for _, v := range values {
		add(v)
	}
	for power, v := 0, 1.0; power < 25; power, v = power+1, v*10 {
		for _, by := range []float64{1, -1, 1.5, 9.99, 12.3} {
			add(v * by)
			add(v*by - 1)
		}
	}
	for f := range formats {
		require.Equal(t, p.library(t, f), p.ours(t, f))
	}
}

func FuzzAsTheLibraryWrites(f *testing.F) {
	for i, s := range awkward {
		f.Add(s, awkward[len(awkward)-1-i], values[i], int64(i)*1e9, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, value, help string, v float64, ms int64, counts bool) {
		one := family{Family: Family{Name: "esxi_x_total", Help: help}, series: []series{{labels: []string{"vm", value, "host", help}, value: v, at: time.UnixMilli(ms)}}}
		if counts {
			one.Kind = Counter
		}
		for f := range formats {
			require.Equal(t, page{one}.library(t, f), page{one}.ours(t, f))
		}
	})
}

func TestContentType(t *testing.T) {
	for f, want := range formats {
		require.Equal(t, string(want), ContentType(f))
	}
}

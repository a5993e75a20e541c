package deploy

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
)

// TestProvePush pushes the demo fleet to a real Prometheus. Its series, and the measured values, must be those of a scrape.
func TestProvePush(t *testing.T) {
	if !proof.Everything(t) {
		t.Skip("skipped: takes half a minute; make prove runs it")
	}
	program := tool(t, "prometheus")
	help, _ := exec.CommandContext(t.Context(), program, "--help").CombinedOutput() // its exit code is not 0
	for name, way := range map[string]struct {
		receiver string // flag of Prometheus
		flag     string
		path     string
	}{
		"remote write": {"web.enable-remote-write-receiver", "--remote-write", "/api/v1/write"},
		"otlp":         {"web.enable-otlp-receiver", "--otlp", "/api/v1/otlp/v1/metrics"},
	} {
		t.Run(name, func(t *testing.T) {
			if !bytes.Contains(help, []byte(way.receiver)) {
				t.Skipf("skipped: this Prometheus has no --%s (version 3 has it)", way.receiver)
			}
			server, exporter := freePort(t), freePort(t)
			start(t, server, exec.CommandContext(t.Context(), program, "--config.file=/dev/null", "--storage.tsdb.path="+t.TempDir(), "--web.listen-address="+server, "--log.level=warn", "--"+way.receiver))
			c := vperf(t, exporter)
			c.Args = append(c.Args, way.flag, "http://"+server+way.path)
			start(t, exporter, c)
			a := api{"http://" + server}
			var scraped, pushed map[string]float64
			waitFor(t, "the same samples in both", func() (err error) {
				scraped, pushed, err = sameSamples(a, "http://"+exporter+"/probe?target=demo")
				return err
			})
			for series, v := range scraped {
				if strings.HasPrefix(series, "esxi_") {
					require.True(t, equal(v, pushed[series]), "%s: %v, pushed %v", series, v, pushed[series])
				}
			}
			require.Greater(t, len(scraped), 30_000)
			list, err := a.query(`count({job="vperf-findings", instance="demo"})`)
			require.NoError(t, err)
			require.Len(t, list, 1)
			list, err = a.query(`vperf_probe_duration_seconds_bucket{job="vperf-exporter", le="+Inf"}`)
			require.NoError(t, err)
			require.Len(t, list, 1)
			list, err = a.query(`sum(increase(vperf_push_dropped_samples_total[10m])) > 0`)
			require.NoError(t, err)
			require.Empty(t, list, "nothing is dropped")
		})
	}
}

// equal also holds for values that are not a number.
func equal(a, b float64) bool { return a == b || a != a && b != b }

func sortedNames(series map[string]float64) []string {
	var names []string
	for s := range series {
		names = append(names, s)
	}
	slices.Sort(names)
	return names
}

// sameSamples returns the series of a page and those that were pushed, if no sampling round or survey ended in between.
func sameSamples(a api, page string) (scraped, pushed map[string]float64, err error) {
	before, err := scrape(page)
	if err != nil {
		return nil, nil, err
	}
	if pushed, err = a.values(`{job="vperf", instance="demo"}`); err != nil {
		return nil, nil, err
	}
	if scraped, err = scrape(page); err != nil {
		return nil, nil, err
	}
	for _, name := range []string{"vperf_sample_timestamp_seconds", "vperf_audit_timestamp_seconds", `vperf_collector_last_run_timestamp_seconds,collector="esxtop"`, "vperf_series"} {
		if v, is := scraped[name]; !is || v != before[name] || v != pushed[name] {
			return nil, nil, fmt.Errorf("%s: %v, %v, pushed %v", name, before[name], v, pushed[name])
		}
	}
	if len(pushed) == 0 || len(before) != len(scraped) {
		return nil, nil, errors.New("the page is not complete yet")
	}
	if names, there := sortedNames(scraped), sortedNames(pushed); !slices.Equal(names, there) { // the ends of series are pushed last
		return nil, nil, fmt.Errorf("the page has %d series, %d are pushed", len(names), len(there))
	}
	return scraped, pushed, nil
}

// scrape returns the series of a page with their values.
func scrape(page string) (map[string]float64, error) {
	text, err := get(page)
	if err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	series := map[string]float64{}
	for name, f := range families {
		for _, m := range f.Metric {
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
			}
			series[key(name, labels)] = valueOf(m)
		}
	}
	return series, nil
}

func valueOf(m *dto.Metric) float64 {
	if c := m.GetCounter(); c != nil {
		return c.GetValue()
	}
	return m.GetGauge().GetValue()
}

func key(name string, labels map[string]string) string {
	var parts []string
	for l, v := range labels {
		if l != "__name__" && l != "job" && l != "instance" {
			parts = append(parts, l+"="+strconv.Quote(v))
		}
	}
	slices.Sort(parts)
	return strings.Join(append([]string{name}, parts...), ",")
}

// values returns the result of an instant query.
func (a api) values(expr string) (map[string]float64, error) {
	var data struct {
		Result []struct {
			Metric map[string]string
			Value  [2]any
		}
	}
	if err := a.ask("/api/v1/query?query="+url.QueryEscape(expr), &data); err != nil {
		return nil, err
	}
	series := map[string]float64{}
	for _, r := range data.Result {
		v, err := strconv.ParseFloat(fmt.Sprint(r.Value[1]), 64)
		if err != nil {
			return nil, err
		}
		series[key(r.Metric["__name__"], r.Metric)] = v
	}
	return series, nil
}

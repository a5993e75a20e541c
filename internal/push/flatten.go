package push

import (
	"math"
	"strconv"

	dto "github.com/prometheus/client_model/go"

	"github.com/vperf/vperf/internal/exposition"
)

// part is a series of a histogram or a summary, as the text format has it.
type part struct {
	suffix string
	labels exposition.Labels
	value  float64
}

// flatten returns the series of a histogram or a summary.
func flatten(s *sample) (parts []part) {
	own := namesAndValues(s.metric)
	with := func(suffix string, v float64, more ...string) {
		parts = append(parts, part{suffix, exposition.NewLabels(append(append([]string(nil), own...), more...)...), v})
	}
	if h := s.metric.GetHistogram(); h != nil {
		last := math.Inf(-1)
		for _, b := range h.GetBucket() {
			last = b.GetUpperBound()
			with("_bucket", float64(b.GetCumulativeCount()), "le", bound(last))
		}
		if !math.IsInf(last, 1) {
			with("_bucket", float64(h.GetSampleCount()), "le", "+Inf")
		}
		with("_sum", h.GetSampleSum())
		with("_count", float64(h.GetSampleCount()))
		return parts
	}
	for _, q := range s.metric.GetSummary().GetQuantile() {
		with("", q.GetValue(), "quantile", bound(q.GetQuantile()))
	}
	with("_sum", s.metric.GetSummary().GetSampleSum())
	with("_count", float64(s.metric.GetSummary().GetSampleCount()))
	return parts
}

// bound formats the value of the label le or quantile as Prometheus stores it after a scrape of the text format.
func bound(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func namesAndValues(m *dto.Metric) (list []string) {
	for _, l := range m.GetLabel() {
		list = append(list, l.GetName(), l.GetValue())
	}
	return list
}

package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	collectormetrics "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	"google.golang.org/protobuf/proto"

	"github.com/vperf/vperf/internal/exposition"
)

// otlp is OpenTelemetry's protocol for metrics: protobuf over HTTP.
type otlp struct {
	to      string
	client  *http.Client
	labels  []pair // of all series
	version string // of vperf
}

// scope names the source of the metrics, as OpenTelemetry's libraries name themselves.
const scope = "github.com/vperf/vperf"

// encode implements protocol. Metrics keep their Prometheus names, so that a receiver can give them the same names again;
// units are part of the names. The resource has only the attributes that identify it: for any other one Prometheus writes a
// sample of target_info with each request, and refuses the whole request if its samples are older than those of the last
// one, as measured samples are that follow others.
func (p *otlp) encode(s Source, list []sample) (request, error) {
	var all []*metrics.Metric
	var last *exposition.Family
	for i := range list {
		if list[i].family != last {
			last = list[i].family
			all = append(all, newMetric(&list[i]))
		}
		p.addPoint(all[len(all)-1], &list[i])
	}
	message := &collectormetrics.ExportMetricsServiceRequest{ResourceMetrics: []*metrics.ResourceMetrics{{
		Resource: &resource.Resource{Attributes: []*common.KeyValue{
			attribute("service.name", s.Job), attribute("service.instance.id", s.Instance),
		}},
		ScopeMetrics: []*metrics.ScopeMetrics{{Scope: &common.InstrumentationScope{Name: scope, Version: p.version}, Metrics: all}},
	}}}
	plain, err := proto.Marshal(message)
	if err != nil {
		return request{}, fmt.Errorf("encoding samples for OTLP: %w", err)
	}
	body, err := pack(plain)
	return request{body: body, samples: len(list)}, err
}

// newMetric returns a metric without data points, of the kind of a sample.
func newMetric(s *sample) *metrics.Metric {
	m := &metrics.Metric{Name: s.family.Name, Description: s.family.Help}
	switch {
	case s.metric.GetHistogram() != nil:
		m.Data = &metrics.Metric_Histogram{Histogram: &metrics.Histogram{AggregationTemporality: cumulative}}
	case s.metric.GetSummary() != nil:
		m.Data = &metrics.Metric_Summary{Summary: new(metrics.Summary)}
	case s.family.Kind == exposition.Counter:
		m.Data = &metrics.Metric_Sum{Sum: &metrics.Sum{AggregationTemporality: cumulative, IsMonotonic: true}}
	default:
		m.Data = &metrics.Metric_Gauge{Gauge: new(metrics.Gauge)}
	}
	return m
}

const cumulative = metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE

// addPoint adds a sample to its metric.
func (p *otlp) addPoint(m *metrics.Metric, s *sample) {
	switch data := m.Data.(type) {
	case *metrics.Metric_Gauge:
		data.Gauge.DataPoints = append(data.Gauge.DataPoints, p.number(s))
	case *metrics.Metric_Sum:
		data.Sum.DataPoints = append(data.Sum.DataPoints, p.number(s))
	case *metrics.Metric_Histogram:
		data.Histogram.DataPoints = append(data.Histogram.DataPoints, p.histogram(s))
	case *metrics.Metric_Summary:
		data.Summary.DataPoints = append(data.Summary.DataPoints, p.summary(s))
	}
}

func (p *otlp) number(s *sample) *metrics.NumberDataPoint {
	point := &metrics.NumberDataPoint{Attributes: p.attributes(s), TimeUnixNano: nanos(s.at), StartTimeUnixNano: nanos(s.start)}
	if s.ended {
		point.Flags = uint32(metrics.DataPointFlags_DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK)
		return point
	}
	point.Value = &metrics.NumberDataPoint_AsDouble{AsDouble: s.value}
	return point
}

func (p *otlp) histogram(s *sample) *metrics.HistogramDataPoint {
	h := s.metric.GetHistogram()
	sum := h.GetSampleSum()
	point := &metrics.HistogramDataPoint{
		Attributes: p.attributes(s), TimeUnixNano: nanos(s.at), StartTimeUnixNano: nanos(s.start), Count: h.GetSampleCount(), Sum: &sum,
	}
	var below uint64
	for _, b := range h.GetBucket() {
		point.ExplicitBounds = append(point.ExplicitBounds, b.GetUpperBound())
		point.BucketCounts = append(point.BucketCounts, b.GetCumulativeCount()-below)
		below = b.GetCumulativeCount()
	}
	point.BucketCounts = append(point.BucketCounts, h.GetSampleCount()-below)
	return point
}

func (p *otlp) summary(s *sample) *metrics.SummaryDataPoint {
	from := s.metric.GetSummary()
	point := &metrics.SummaryDataPoint{
		Attributes: p.attributes(s), TimeUnixNano: nanos(s.at), StartTimeUnixNano: nanos(s.start), Count: from.GetSampleCount(), Sum: from.GetSampleSum(),
	}
	for _, q := range from.GetQuantile() {
		point.QuantileValues = append(point.QuantileValues, &metrics.SummaryDataPoint_ValueAtQuantile{Quantile: q.GetQuantile(), Value: q.GetValue()})
	}
	return point
}

func (p *otlp) attributes(s *sample) []*common.KeyValue {
	list := pairs(nil, p.labels, s.labels)
	all := make([]*common.KeyValue, len(list))
	for i, l := range list {
		all[i] = attribute(l.name, l.value)
	}
	return all
}

func attribute(name, value string) *common.KeyValue {
	return &common.KeyValue{Key: name, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

// nanos returns a time as OTLP has it. 0 is an unknown time.
func nanos(ms int64) uint64 { return uint64(max(0, ms)) * uint64(time.Millisecond) }

// send implements protocol.
func (p *otlp) send(ctx context.Context, body []byte) outcome {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.to, bytes.NewReader(body))
	if err != nil {
		return outcome{verdict: refused, err: err}
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("Content-Encoding", "gzip")
	res, err := p.client.Do(req)
	if err != nil {
		return outcome{verdict: failed, err: err}
	}
	defer func() { _ = res.Body.Close() }()
	answer, _ := io.ReadAll(res.Body) // the transport has read it
	o := outcome{verdict: verdictOf(res.StatusCode)}
	if o.verdict != accepted {
		o.after = retryAfter(res.Header.Get("Retry-After"))
		o.err = fmt.Errorf("the receiver answered %s: %s", res.Status, answer)
		return o
	}
	return partly(o, answer)
}

// partly reads how many samples of an accepted request the receiver refused. Receivers may answer with something else
// than the protocol demands: that is accepted.
func partly(o outcome, answer []byte) outcome {
	var response collectormetrics.ExportMetricsServiceResponse
	if proto.Unmarshal(answer, &response) != nil {
		return o
	}
	if n := response.GetPartialSuccess().GetRejectedDataPoints(); n > 0 {
		o.refused = int(n)
		o.err = errors.New("the receiver refused some samples: " + response.GetPartialSuccess().GetErrorMessage())
	}
	return o
}

// newOTLP returns the protocol for a receiver.
func newOTLP(to *url.URL, client *http.Client, labels []pair, version string) *otlp {
	return &otlp{to: to.String(), client: client, labels: labels, version: version}
}

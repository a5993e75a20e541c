package push

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/snappy"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"github.com/stretchr/testify/require"
	collectormetrics "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// point is a sample as a receiver has it.
type point struct {
	at    int64 // ms
	value float64
	start int64 // ms
	ended bool
}

// store is a receiver: remote write 1.0 and 2.0, and OTLP. It fails a test that breaks their rules.
type store struct {
	t *testing.T

	mu       sync.Mutex
	series   map[string][]point
	types    map[string]string // by metric
	requests []*http.Request
	// answers are given before anything is stored, one for each request; nil: the request is stored.
	answer func(w http.ResponseWriter, r *http.Request) (answered bool)
	// after runs when a request was stored; it may spoil the answer.
	after func() error
}

func newStore(t *testing.T) *store {
	return &store{t: t, series: map[string][]point{}, types: map[string]string{}}
}

// RoundTrip answers without a network, so that tests can have a clock of their own.
func (s *store) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if s.answer == nil || !s.answer(w, r) {
		s.take(w, r)
		if s.after != nil {
			if err := s.after(); err != nil {
				return nil, err
			}
		}
	}
	return w.Result(), nil
}

// client follows no redirects, like the client of a receiver.
func (s *store) client() *http.Client {
	return &http.Client{Transport: &transport{s}, CheckRedirect: stay}
}

func (s *store) take(w *httptest.ResponseRecorder, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	require.NoError(s.t, err)
	switch {
	case r.Header.Get("Content-Encoding") == "gzip":
		s.takeOTLP(w, body)
	case strings.Contains(r.Header.Get("Content-Type"), "io.prometheus.write.v2.Request"):
		require.Equal(s.t, "2.0.0", r.Header.Get("X-Prometheus-Remote-Write-Version"))
		s.takeV2(w, body)
	default:
		require.Equal(s.t, "application/x-protobuf", r.Header.Get("Content-Type"))
		require.Equal(s.t, "0.1.0", r.Header.Get("X-Prometheus-Remote-Write-Version"))
		s.takeV1(body)
		w.WriteHeader(http.StatusNoContent)
	}
}

// add stores a point. Prometheus refuses one that is not newer than the last.
func (s *store) add(series string, p point) {
	old := s.series[series]
	if n := len(old); n > 0 {
		last := old[n-1]
		if last.at == p.at && math.Float64bits(last.value) == math.Float64bits(p.value) {
			return // Prometheus accepts a sample again
		}
		require.Greater(s.t, p.at, last.at, "%s is out of order", series)
	}
	s.series[series] = append(old, p)
}

func (s *store) takeV2(w http.ResponseWriter, body []byte) {
	plain, err := snappy.Decode(nil, body)
	require.NoError(s.t, err)
	var r writev2.Request
	require.NoError(s.t, r.UnmarshalVT(plain))
	require.Empty(s.t, r.Symbols[0])
	for _, t := range r.Timeseries {
		labels := writev2.DesymbolizeLabels(t.LabelsRefs, r.Symbols, nil)
		name := s.key(labels)
		s.types[labels[1]] = t.Metadata.Type.String() + " " + r.Symbols[t.Metadata.HelpRef]
		require.Len(s.t, t.Samples, 1)
		v := t.Samples[0].Value
		s.add(name, point{t.Samples[0].Timestamp, v, t.CreatedTimestamp, math.Float64bits(v) == math.Float64bits(staleNaN)})
	}
	w.Header().Set("X-Prometheus-Remote-Write-Samples-Written", strconv.Itoa(len(r.Timeseries)))
	w.WriteHeader(http.StatusNoContent)
}

// key returns labels as Prometheus writes them, and checks that they are sorted and begin with the name.
func (s *store) key(labels []string) string {
	require.Equal(s.t, "__name__", labels[0], "our labels have small letters")
	var names []string
	var b strings.Builder
	b.WriteString(labels[1])
	for i := 0; i < len(labels); i += 2 {
		require.NotEmpty(s.t, labels[i+1])
		if names = append(names, labels[i]); i > 0 {
			fmt.Fprintf(&b, ",%s=%q", labels[i], labels[i+1])
		}
	}
	require.True(s.t, slices.IsSorted(names), names)
	require.Len(s.t, slices.Compact(names), len(labels)/2)
	return b.String()
}

// fields returns the fields of a message.
func (s *store) fields(b []byte) (list map[protowire.Number][]any) {
	list = map[protowire.Number][]any{}
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		require.Positive(s.t, n)
		b = b[n:]
		var v any
		switch kind {
		case protowire.BytesType:
			v, n = protowire.ConsumeBytes(b)
		case protowire.Fixed64Type:
			var bits uint64
			bits, n = protowire.ConsumeFixed64(b)
			v = math.Float64frombits(bits)
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		default:
			require.Fail(s.t, "there is no such field in 1.0")
		}
		require.Positive(s.t, n)
		b = b[n:]
		list[field] = append(list[field], v)
	}
	return list
}

// takeV1 reads the message as the specification of 1.0 numbers its fields.
func (s *store) takeV1(body []byte) {
	plain, err := snappy.Decode(nil, body)
	require.NoError(s.t, err)
	for _, t := range s.fields(plain)[1] {
		series := s.fields(t.([]byte))
		var labels []string
		for _, l := range series[1] {
			label := s.fields(l.([]byte))
			labels = append(labels, string(label[1][0].([]byte)), string(label[2][0].([]byte)))
		}
		sample := s.fields(series[2][0].([]byte))
		v := sample[1][0].(float64)
		s.add(s.key(labels), point{at: int64(sample[2][0].(uint64)), value: v, ended: math.Float64bits(v) == math.Float64bits(staleNaN)})
	}
}

func (s *store) takeOTLP(w http.ResponseWriter, body []byte) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	require.NoError(s.t, err)
	plain, err := io.ReadAll(z)
	require.NoError(s.t, err)
	var r collectormetrics.ExportMetricsServiceRequest
	require.NoError(s.t, proto.Unmarshal(plain, &r))
	for _, rm := range r.ResourceMetrics {
		require.Len(s.t, rm.Resource.Attributes, 2, "others would make Prometheus refuse requests")
		require.Equal(s.t, "1.2.3", rm.ScopeMetrics[0].Scope.Version)
		of := map[string]string{}
		for _, a := range rm.Resource.Attributes {
			of[a.Key] = a.Value.GetStringValue()
		}
		for _, m := range rm.ScopeMetrics[0].Metrics {
			s.takeMetric(m, of)
		}
	}
	answer, err := proto.Marshal(&collectormetrics.ExportMetricsServiceResponse{})
	require.NoError(s.t, err)
	_, _ = w.Write(answer)
}

func (s *store) takeMetric(m *metrics.Metric, of map[string]string) {
	name := func(attributes []*common.KeyValue) string {
		labels := []pair{{"job", of["service.name"]}, {"instance", of["service.instance.id"]}}
		for _, a := range attributes {
			labels = append(labels, pair{a.Key, a.Value.GetStringValue()})
		}
		slices.SortFunc(labels, func(a, b pair) int { return strings.Compare(a.name, b.name) })
		var key strings.Builder
		key.WriteString(m.Name)
		for _, l := range labels {
			fmt.Fprintf(&key, ",%s=%q", l.name, l.value)
		}
		return key.String()
	}
	ms := func(nanos uint64) int64 { return int64(nanos / 1e6) }
	numbers := append(m.GetGauge().GetDataPoints(), m.GetSum().GetDataPoints()...)
	for _, p := range numbers {
		s.add(name(p.Attributes), point{ms(p.TimeUnixNano), p.GetAsDouble(), ms(p.StartTimeUnixNano), p.Flags == 1})
	}
	for _, p := range m.GetHistogram().GetDataPoints() {
		s.add(name(p.Attributes)+fmt.Sprint(p.ExplicitBounds, p.BucketCounts, *p.Sum), point{ms(p.TimeUnixNano), float64(p.Count), ms(p.StartTimeUnixNano), false})
	}
	for _, p := range m.GetSummary().GetDataPoints() {
		s.add(name(p.Attributes)+fmt.Sprint(p.QuantileValues, p.Sum), point{ms(p.TimeUnixNano), float64(p.Count), ms(p.StartTimeUnixNano), false})
	}
	s.types[m.Name] = strings.TrimPrefix(fmt.Sprintf("%T", m.Data), "*v1.Metric_") + " " + m.Description
	if sum := m.GetSum(); sum != nil {
		require.True(s.t, sum.IsMonotonic)
		require.Equal(s.t, cumulative, sum.AggregationTemporality)
	}
}

// samples returns the number of stored samples, including ends.
func (s *store) samples() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range s.series {
		n += len(list)
	}
	return n
}

// pusherTo returns a pusher to one receiver.
func pusherTo(t *testing.T, p protocol, limit int64) (*Pusher, *destination) {
	t.Helper()
	d := newDestination("it", p, limit, slog.New(slog.DiscardHandler))
	return &Pusher{destinations: []*destination{d}, books: map[sourceKey]*book{}}, d
}

// protocols returns the protocols to a store.
func protocols(t *testing.T, s *store, labels ...pair) map[string]protocol {
	t.Helper()
	write, err := newRemoteWrite(mustURL(t, "http://it/api/v1/write"), s.client(), labels, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	old, err := newRemoteWrite(mustURL(t, "http://it/api/v1/write"), s.client(), labels, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	old.old.Store(true)
	return map[string]protocol{
		"remote write 2.0": write, "remote write 1.0": old,
		"otlp": newOTLP(mustURL(t, "http://it/v1/metrics"), s.client(), labels, "1.2.3"),
	}
}

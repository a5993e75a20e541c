package push

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"

	"github.com/vperf/vperf/internal/exposition"
)

// remoteWrite is Prometheus remote write 2.0. For a receiver that supports only 1.0, requests are converted when they
// are sent. The queue has them with gzip, which takes half the memory of the protocol's own compression.
type remoteWrite struct {
	api    *remote.API
	labels []pair // of all series
	log    *slog.Logger
	old    atomic.Bool // the receiver supports only 1.0
}

func newRemoteWrite(to *url.URL, client *http.Client, labels []pair, log *slog.Logger) (*remoteWrite, error) {
	api, err := remote.NewAPI(to.String(), remote.WithAPIPath(""), remote.WithAPIHTTPClient(client),
		remote.WithAPIBackoff(remote.BackoffConfig{MaxRetries: -1})) // a request is repeated by its queue
	if err != nil {
		return nil, errors.New("it is not a URL")
	}
	return &remoteWrite{api: api, labels: labels, log: log}, nil
}

// staleNaN is the value that ends a series for Prometheus.
var staleNaN = math.Float64frombits(0x7ff0000000000002)

// encode implements protocol.
func (p *remoteWrite) encode(s Source, list []sample) (request, error) {
	e := v2Encoder{symbols: writev2.NewSymbolTable(), source: append([]pair{{"job", s.Job}, {"instance", s.Instance}}, p.labels...)}
	for i := range list {
		e.add(&list[i])
	}
	plain, err := (&writev2.Request{Symbols: e.symbols.Symbols(), Timeseries: e.series}).MarshalVT()
	if err != nil {
		return request{}, fmt.Errorf("encoding samples for remote write: %w", err)
	}
	body, err := pack(plain)
	return request{body: body, samples: len(e.series)}, err
}

// v2Encoder collects series of a request.
type v2Encoder struct {
	symbols writev2.SymbolsTable
	source  []pair
	series  []*writev2.TimeSeries
	pairs   []pair
}

func (e *v2Encoder) add(s *sample) {
	if s.metric != nil {
		for _, part := range flatten(s) {
			e.series = append(e.series, e.one(s, part.suffix, part.labels, part.value))
		}
		return
	}
	v := s.value
	if s.ended {
		v = staleNaN
	}
	e.series = append(e.series, e.one(s, "", s.labels, v))
}

// one returns a series with one sample.
func (e *v2Encoder) one(s *sample, suffix string, labels exposition.Labels, v float64) *writev2.TimeSeries {
	e.pairs = pairs(e.pairs, append(e.source, pair{"__name__", s.family.Name + suffix}), labels)
	refs := make([]uint32, 0, 2*len(e.pairs))
	for _, p := range e.pairs {
		refs = append(refs, e.symbols.Symbolize(p.name), e.symbols.Symbolize(p.value))
	}
	return &writev2.TimeSeries{
		LabelsRefs: refs, Samples: []*writev2.Sample{{Value: v, Timestamp: s.at}}, CreatedTimestamp: s.start,
		Metadata: &writev2.Metadata{Type: metadataType(s), HelpRef: e.symbols.Symbolize(s.family.Help)},
	}
}

func metadataType(s *sample) writev2.Metadata_MetricType {
	switch {
	case s.metric.GetHistogram() != nil:
		return writev2.Metadata_METRIC_TYPE_HISTOGRAM
	case s.metric.GetSummary() != nil:
		return writev2.Metadata_METRIC_TYPE_SUMMARY
	case s.family.Kind == exposition.Counter:
		return writev2.Metadata_METRIC_TYPE_COUNTER
	}
	return writev2.Metadata_METRIC_TYPE_GAUGE
}

// send implements protocol.
func (p *remoteWrite) send(ctx context.Context, body []byte) outcome {
	plain, err := unpack(body)
	if err != nil {
		return outcome{verdict: refused, err: fmt.Errorf("reading a stored request: %w", err)}
	}
	if !p.old.Load() {
		o, unsupported := p.attempt(ctx, remote.WriteV2MessageType, plain)
		if !unsupported {
			return o
		}
		p.old.Store(true)
		p.log.Info("the receiver does not support remote write 2.0: pushing with 1.0")
	}
	if plain, err = asV1(plain); err != nil {
		return outcome{verdict: refused, err: fmt.Errorf("converting a request to remote write 1.0: %w", err)}
	}
	o, _ := p.attempt(ctx, remote.WriteV1MessageType, plain)
	return o
}

// attempt sends a request once. It reports whether the receiver does not support the message: by 415, as the
// specification demands, or by accepting it without any of the headers that 2.0 demands, as receivers of 1.0 do that read
// an empty request.
func (p *remoteWrite) attempt(ctx context.Context, kind remote.WriteMessageType, plain []byte) (_ outcome, unsupported bool) {
	var code int
	stats, err := p.api.Write(withStatus(ctx, &code), kind, encoded(plain))
	var repeat interface{ RetryAfter() time.Duration }
	switch {
	case err == nil:
		return outcome{verdict: accepted}, false
	case errors.As(err, &repeat):
		return outcome{verdict: failed, after: repeat.RetryAfter(), err: err}, false
	case code == 0: // the response could not be read
		return outcome{verdict: failed, err: err}, false
	case kind == remote.WriteV2MessageType && (code == http.StatusUnsupportedMediaType || verdictOf(code) == accepted):
		return outcome{}, true
	case verdictOf(code) == doubtful:
		return outcome{verdict: doubtful, err: err}, false
	}
	return outcome{verdict: refused, written: stats.AllSamples(), err: err}, false
}

// encoded is a marshalled message, which the library sends as it is.
type encoded []byte

// SizeVT returns the size of the message.
func (e encoded) SizeVT() int { return len(e) }

// MarshalToSizedBufferVT copies the message to the end of a buffer.
func (e encoded) MarshalToSizedBufferVT(to []byte) (int, error) {
	return copy(to[len(to)-len(e):], e), nil
}

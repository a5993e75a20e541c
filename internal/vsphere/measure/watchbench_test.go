package measure

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/session"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// playback repeats recorded answers.
type playback struct {
	answers [][]byte
	next    int
}

func (p *playback) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	b := p.answers[p.next%len(p.answers)]
	p.next++
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/xml"}}, Body: io.NopCloser(bytes.NewReader(b)), ContentLength: int64(len(b)), Request: req}, nil
}

// recording keeps all answers.
type recording struct {
	next    http.RoundTripper
	answers [][]byte
}

func (r *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(b))
	r.answers = append(r.answers, b)
	return res, err
}

// BenchmarkRoster measures the client's cost of a roster of 64 hosts and 2,000 VMs, with recorded answers.
func BenchmarkRoster(b *testing.B) {
	f, err := simfleet.Start(simfleet.Config{Hosts: 64, VMs: 2000})
	require.NoError(b, err)
	defer f.Close()
	s, err := session.Dial(b.Context(), session.Endpoint{
		URL: f.URL(), User: f.User(), Password: session.Secret(f.Password()), CertificatePEM: f.CertificatePEM(), CallTimeout: time.Minute,
	})
	require.NoError(b, err)
	defer func() { _ = s.Close(b.Context()) }()
	line := s.Client().Transport
	record := func(work func() error) *playback {
		r := &recording{next: line}
		s.Client().Transport = r
		require.NoError(b, work())
		s.Client().Transport = line
		return &playback{answers: r.answers}
	}
	var r *Roster
	plain := record(func() error { _, err := ReadRoster(b.Context(), s); return err })
	cold := record(func() error { r, err = WatchRoster(b.Context(), s); return err })
	steady := record(func() error { return r.Refresh(b.Context()) })
	defer func() { s.Client().Transport = line }()
	b.Run("read again", func(b *testing.B) {
		s.Client().Transport = plain
		b.ReportAllocs()
		b.ReportMetric(float64(len(plain.answers)), "calls")
		for b.Loop() {
			_, err := ReadRoster(b.Context(), s)
			require.NoError(b, err)
		}
	})
	b.Run("watched, first", func(b *testing.B) {
		s.Client().Transport = cold
		b.ReportAllocs()
		b.ReportMetric(float64(len(cold.answers)), "calls")
		for b.Loop() {
			_, err := WatchRoster(b.Context(), s)
			require.NoError(b, err)
		}
	})
	b.Run("watched, nothing new", func(b *testing.B) {
		s.Client().Transport = steady
		b.ReportAllocs()
		b.ReportMetric(float64(len(steady.answers)), "calls")
		for b.Loop() {
			require.NoError(b, r.Refresh(b.Context()))
		}
	})
	for name, decode := range map[string]func([]byte) error{
		"decoding here":         func(p []byte) error { return soapwire.Page(p, new(methods.WaitForUpdatesExBody)) },
		"decoding with govmomi": func(p []byte) error { _, err := decodeReflectively(p); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range cold.answers {
					if bytes.Contains(p, []byte("<WaitForUpdatesExResponse")) {
						require.NoError(b, decode(p))
					}
				}
			}
		})
	}
}

package session

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Cost is the accumulated cost of calls of one kind, for the server and the connection.
type Cost struct {
	Calls, Failures int
	Sent, Received  int64 // bytes of bodies, as transferred
	Took            time.Duration
}

// meter accumulates the cost of calls of one method.
type meter struct {
	calls, failures, sent, received, took atomic.Int64
}

// spendingKey finds what a request costs in its context.
type spendingKey struct{}

// spendingOf counts what a request costs; nil where nobody counts.
func spendingOf(ctx context.Context) *spending {
	s, _ := ctx.Value(spendingKey{}).(*spending)
	return s
}

func (m *meter) begin() time.Time {
	m.calls.Add(1)
	return time.Now()
}

func (m *meter) end(took time.Duration, err error) {
	m.took.Add(int64(took))
	if err != nil {
		m.failures.Add(1)
	}
}

func (m *meter) cost() Cost {
	return Cost{
		Calls: int(m.calls.Load()), Failures: int(m.failures.Load()), Sent: m.sent.Load(), Received: m.received.Load(),
		Took: time.Duration(m.took.Load()),
	}
}

// countingTransport counts the transferred bytes of bodies. To count compressed answers it decompresses them itself.
type countingTransport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l *countingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	cost := spendingOf(req.Context())
	if cost == nil {
		return l.next.RoundTrip(req)
	}
	out := *req
	if req.Body != nil && req.Body != http.NoBody {
		out.Body = &countingReader{req.Body, cost.addSent}
	}
	packed := req.Header.Get("Accept-Encoding") == ""
	if packed {
		out.Header = req.Header.Clone()
		out.Header.Set("Accept-Encoding", "gzip")
	}
	res, err := l.next.RoundTrip(&out)
	if err != nil {
		return nil, err
	}
	res.Body = &countingReader{res.Body, cost.addReceived}
	if packed && res.Header.Get("Content-Encoding") == "gzip" {
		unpack(res)
	}
	return res, nil
}

// unpack decompresses an answer and adjusts its headers, as net/http does.
func unpack(res *http.Response) {
	res.Body = &unpacked{from: res.Body}
	res.Header.Del("Content-Encoding")
	res.Header.Del("Content-Length")
	res.ContentLength, res.Uncompressed = -1, true
}

// countingReader counts the bytes read from a body.
type countingReader struct {
	io.ReadCloser
	add func(bytes int64)
}

// Read implements io.Reader.
func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.add(int64(n))
	return n, err
}

// unpacked is a decompressed body. It starts reading with the first Read.
type unpacked struct {
	from io.ReadCloser
	zip  *gzip.Reader
	err  error
}

// Read implements io.Reader.
func (u *unpacked) Read(b []byte) (int, error) {
	if u.zip == nil && u.err == nil {
		u.zip, u.err = gzip.NewReader(u.from)
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.zip.Read(b)
}

// Close implements io.Closer.
func (u *unpacked) Close() error { return u.from.Close() }

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

// meterKey finds the meter of a request in its context.
type meterKey struct{}

// meterOf returns the meter of a request, or nil if it is not counted.
func meterOf(ctx context.Context) *meter {
	m, _ := ctx.Value(meterKey{}).(*meter)
	return m
}

func (m *meter) begin() time.Time {
	m.calls.Add(1)
	return time.Now()
}

func (m *meter) end(began time.Time, err error) {
	m.took.Add(int64(time.Since(began)))
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

// line counts the transferred bytes of bodies. To count compressed answers it decompresses them itself.
type line struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l *line) RoundTrip(req *http.Request) (*http.Response, error) {
	m := meterOf(req.Context())
	if m == nil {
		return l.next.RoundTrip(req)
	}
	out := *req
	if req.Body != nil && req.Body != http.NoBody {
		out.Body = &counted{req.Body, &m.sent}
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
	res.Body = &counted{res.Body, &m.received}
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

// counted counts the bytes read from a body.
type counted struct {
	io.ReadCloser
	bytes *atomic.Int64
}

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.bytes.Add(int64(n))
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

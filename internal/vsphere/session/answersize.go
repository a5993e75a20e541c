package session

import (
	"fmt"
	"io"
	"net/http"
)

// maxAnswer is the limit of an answer after decompression, in bytes. The largest answers to vperf, pages of properties and counter
// samples, have about 5 MB; without a limit, a compressed answer of a few megabytes takes all memory.
var maxAnswer int64 = 64 << 20 // a variable for tests, which do not decode 64 MiB

// AnswerSizeError reports an answer above the limit.
type AnswerSizeError struct{ Limit int64 } // bytes

func (e *AnswerSizeError) Error() string {
	return fmt.Sprintf("its answer is larger than %d MiB, the limit", e.Limit>>20)
}

// boundedTransport refuses the part of an answer above the limit. It sees answers decompressed.
type boundedTransport struct {
	next  http.RoundTripper
	limit int64 // bytes
}

// RoundTrip implements http.RoundTripper.
func (b *boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.ContentLength > b.limit {
		_ = res.Body.Close()
		return nil, &AnswerSizeError{Limit: b.limit}
	}
	res.Body = &boundedBody{ReadCloser: res.Body, left: b.limit, limit: b.limit}
	return res, nil
}

// answers counts and limits the answers that a transport brings.
func answers(t http.RoundTripper) http.RoundTripper {
	return &boundedTransport{next: &countingTransport{next: t}, limit: maxAnswer}
}

// boundedBody is a body whose end or error comes at the limit, at the latest.
type boundedBody struct {
	io.ReadCloser
	left, limit int64 // bytes
}

// Read implements io.Reader. It reads one byte more than the limit to distinguish an answer of exactly that size.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, &AnswerSizeError{Limit: b.limit}
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, &AnswerSizeError{Limit: b.limit}
	}
	return n, err
}

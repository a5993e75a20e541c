package push

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// protocol encodes samples, and sends what it has encoded.
type protocol interface {
	// encode returns a compressed request, and the number of samples that it has for the receiver.
	encode(s Source, list []sample) (request, error)
	// send sends an encoded request once.
	send(ctx context.Context, body []byte) outcome
}

// outcome is the result of one attempt to send a request.
type outcome struct {
	verdict verdict
	refused int           // samples of an accepted request that the receiver refused
	written int           // samples of a refused request that the receiver took nevertheless
	after   time.Duration // the least time until the next attempt that the receiver asks for
	err     error         // why it was not accepted
}

// verdict is what happens to a request after an attempt.
type verdict string

const (
	accepted verdict = "accepted"
	refused  verdict = "refused"  // it would be refused again
	failed   verdict = "failed"   // it is repeated
	doubtful verdict = "doubtful" // it is repeated for some minutes, and refused then
)

// verdictOf returns the verdict on an HTTP status code. A request is refused at once only by a code that is about its samples:
// 400, 413 and 422, and 409, by which Thanos refuses samples that are out of order. The others are as likely to come from a proxy,
// or from a receiver that is being started or configured.
func verdictOf(code int) verdict {
	switch code {
	case http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return refused
	case http.StatusTooManyRequests:
		return failed
	}
	switch code / 100 {
	case 2:
		return accepted
	case 5:
		return failed
	}
	return doubtful
}

// retryAfter returns the time in a Retry-After header: seconds, or a date.
func retryAfter(text string) time.Duration {
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return time.Duration(min(n, int(longestPause.Seconds()))) * time.Second
	}
	return 0
}

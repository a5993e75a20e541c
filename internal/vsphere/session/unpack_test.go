package session

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnswerThatIsNoGzip: an invalid or truncated gzip answer is an error.
func TestAnswerThatIsNoGzip(t *testing.T) {
	whole := zipped([]byte("<a>" + strings.Repeat("b", 1000) + "</a>"))
	for name, body := range map[string][]byte{"other bytes": []byte("<a></a>"), "cut off": whole[:len(whole)-9]} {
		t.Run(name, func(t *testing.T) {
			u := &unpacked{from: io.NopCloser(bytes.NewReader(body))}
			_, err := io.ReadAll(u)
			require.Error(t, err)
			_, again := u.Read(make([]byte, 1))
			require.Error(t, again)
			require.NoError(t, u.Close())
		})
	}
	b, err := io.ReadAll(&unpacked{from: io.NopCloser(bytes.NewReader(whole))})
	require.NoError(t, err)
	require.Len(t, b, 1007)
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

// TestLimitOfAnswers: an answer of exactly the limit is whole, one byte more is an error, whatever the sizes of the reads.
func TestLimitOfAnswers(t *testing.T) {
	for _, size := range []int{0, 9, 10, 11, 1000} {
		for _, step := range []int{1, 3, 64} {
			b := &boundedBody{ReadCloser: io.NopCloser(strings.NewReader(strings.Repeat("x", size))), left: 10, limit: 10}
			n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{b}, make([]byte, step))
			require.EqualValues(t, min(size, 10), n, "%d by %d", size, step)
			if size <= 10 {
				require.NoError(t, err, "%d by %d", size, step)
				continue
			}
			require.Equal(t, &AnswerSizeError{Limit: 10}, err)
			_, again := b.Read(make([]byte, 1))
			require.Equal(t, &AnswerSizeError{Limit: 10}, again)
		}
	}
}

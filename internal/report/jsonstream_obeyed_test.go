package report

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJSONObeysNothing checks that characters that control a terminal are escaped and keep their meaning.
func TestJSONObeysNothing(t *testing.T) {
	const name = "a\u202eb\u009b31m\x7f\x1b[2J\u2028ä€\U0001f600"
	text := newJSONStream(nil).encode([]string{name}, "")
	require.NotContains(t, string(text), "\u202e")
	require.Contains(t, string(text), `"a\u202eb\u009b31m\u007f\u001b[2J\u2028ä€😀"`)
	var back []string
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, []string{name}, back)
}

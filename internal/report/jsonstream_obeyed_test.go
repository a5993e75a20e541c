package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJSONObeysNothing checks that characters that control a terminal are escaped and keep their meaning.
func TestJSONObeysNothing(t *testing.T) {
	const name = "a\u202eb\u009b31m\x7f\x1b[2J\u2028ä€\U0001f600"
	var text bytes.Buffer
	j := newJSONStream(&text)
	j.field("Names", []string{name})
	require.NoError(t, j.end())
	require.NotContains(t, text.String(), "\u202e")
	require.Contains(t, text.String(), `"a\u202eb\u009b31m\u007f\u001b[2J\u2028ä€😀"`)
	var back struct{ Names []string }
	require.NoError(t, json.Unmarshal(text.Bytes(), &back))
	require.Equal(t, []string{name}, back.Names)
}

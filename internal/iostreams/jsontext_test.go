package iostreams

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// However a document is cut into writes, letters that drive a terminal are escaped, and it means the same.
func TestJSONWriter(t *testing.T) {
	want := []string{"a\u202eb", "\u009b2J", "\u0085\u2028\u2066", "plain ü €𝄞", "tab\tand\nline"}
	for size := 1; size < 9; size++ {
		var document, got bytes.Buffer
		e := json.NewEncoder(&document)
		e.SetIndent("", " ")
		require.NoError(t, e.Encode(want))
		w := JSONWriter(&got)
		for b := document.Bytes(); len(b) > 0; b = b[min(size, len(b)):] {
			n, err := w.Write(b[:min(size, len(b))])
			require.NoError(t, err)
			require.Equal(t, min(size, len(b)), n)
		}
		for _, r := range got.String() {
			require.False(t, ControlsText(r), "%q", r)
		}
		var read []string
		require.NoError(t, json.Unmarshal(got.Bytes(), &read))
		require.Equal(t, want, read)
	}
}

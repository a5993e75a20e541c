package report

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIndented compares with the standard library.
func TestIndented(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	texts := []string{"", `"`, `\`, `\"`, `\\`, "{", "[1,2]", "a: b, c", "é", "\u2028", "\n"}
	var value func(depth int) any
	value = func(depth int) any {
		switch n := random.IntN(7); {
		case depth == 0 || n < 3:
			return []any{nil, true, 1.5e300, -3, texts[random.IntN(len(texts))] + texts[random.IntN(len(texts))]}[random.IntN(5)]
		case n < 5:
			all := make([]any, random.IntN(4))
			for i := range all {
				all[i] = value(depth - 1)
			}
			return all
		}
		all := map[string]any{}
		for range random.IntN(4) {
			all[texts[random.IntN(len(texts))]] = value(depth - 1)
		}
		return all
	}
	nested := 0
	for range 2000 {
		compact, err := json.Marshal(value(4))
		require.NoError(t, err)
		var want bytes.Buffer
		require.NoError(t, json.Indent(&want, compact, "   ", "  "))
		got, err := appendIndented(nil, compact, "   ")
		require.NoError(t, err)
		require.Equal(t, want.String(), string(got))
		nested += strings.Count(want.String(), "\n")
	}
	require.Greater(t, nested, 2000)
}

func BenchmarkIndented(b *testing.B) {
	text, err := json.Marshal(strings.Split(strings.Repeat(`{"a": "text of some length"},`, 1000), ","))
	require.NoError(b, err)
	var out []byte
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		out, err = appendIndented(out[:0], text, "    ")
	}
	require.NoError(b, err)
}

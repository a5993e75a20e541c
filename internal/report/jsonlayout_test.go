package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLayout compares with the standard library.
func TestLayout(t *testing.T) {
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
		require.NoError(t, json.Indent(&want, compact, "  ", "  "))
		require.Equal(t, want.String(), laidOut(compact, 1, 99))
		require.Equal(t, string(compact), laidOut(compact, 1, 0))
		var back bytes.Buffer
		require.NoError(t, json.Compact(&back, []byte(laidOut(compact, 1, 2))))
		require.Equal(t, string(compact), back.String())
		nested += strings.Count(want.String(), "\n")
	}
	require.Greater(t, nested, 2000)
}

func laidOut(compact []byte, depth, levels int) string {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	layout(w, compact, depth, levels)
	_ = w.Flush() // writing to a buffer cannot fail
	return out.String()
}

func TestRowsOfListsAreLines(t *testing.T) {
	lines := func(compact string, levels int) []string {
		return strings.Split(laidOut([]byte(compact), 0, levels), "\n")
	}
	require.Equal(t, []string{"{", `  "a": [`, `    {"b":[1,2]},`, `    {}`, `  ],`, `  "c": []`, "}"}, lines(`{"a":[{"b":[1,2]},{}],"c":[]}`, 2))
	require.Equal(t, []string{"[", `  {"object":{"id":"x"},"b":[1]},`, "  {", `    "b": 1`, "  }", "]"}, lines(`[{"object":{"id":"x"},"b":[1]},{"b":1}]`, 9))
}

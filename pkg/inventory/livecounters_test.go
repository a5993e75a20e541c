package inventory

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func threeCounters() map[string]Series {
	at := time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)
	return map[string]Series{
		"mem.swapped": {Samples: 3, Median: 1e-9, P95: 1e21, Worst: 5153, Mean: 0.1, WorstAt: at},
		"cpu.ready":   {}, "<made> & \"up\"": {Worst: 7, Samples: 1},
	}
}

// TestLiveText: counters are written as a map of their series would be, and read back.
func TestLiveText(t *testing.T) {
	for _, html := range []bool{false, true} {
		text := func(v any) string {
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(html)
			require.NoError(t, e.Encode(v))
			return b.String()
		}
		want := text(threeCounters())
		require.Equal(t, want, text(NewLive(threeCounters())))
		var read Live
		require.NoError(t, json.Unmarshal([]byte(want), &read))
		require.Equal(t, NewLive(threeCounters()), read)
	}
	for text, mistake := range map[string]string{
		"null": "", "{}": "", "5": "have number, want an object", `{"cpu.ready":{"median":"x"}}`: "/cpu.ready/median: have string, want a number",
		`{"cpu.ready":{"low":1}}`: `unknown field "low"`, `{"a":{},"a":{}}`: "duplicate",
	} {
		var read Live
		err := read.UnmarshalJSON([]byte(text))
		if mistake == "" {
			require.NoError(t, err)
			require.Empty(t, read)
			continue
		}
		require.ErrorContains(t, err, mistake)
	}
}

func TestLiveSet(t *testing.T) {
	l := NewLive(threeCounters())
	shared := l.Lookup("cpu.ready")
	l.Set("cpu.ready", Series{Samples: 5})
	l.Set("net.rx", Series{Samples: 6})
	l.Set("a", Series{Samples: 7})
	require.Equal(t, []int64{5, 6, 7}, []int64{l.Of("cpu.ready").Samples, l.Of("net.rx").Samples, l.Of("a").Samples})
	require.Zero(t, shared.Samples, "others may share the series that was replaced")
	require.Len(t, l, 5)
	_, there := l.Get("net.tx")
	require.False(t, there)
	require.Zero(t, l.Of("net.tx"))
	require.Nil(t, Live(nil).Lookup("a"))
}

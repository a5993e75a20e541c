package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// FuzzSet parses arbitrary text as a value of --set. Parsing loses no part of it, and no value gives a parameter a type
// other than that of its rule.
func FuzzSet(f *testing.F) {
	for _, s := range []string{
		"numa-io.threshold=40", "rss.options=4,4", "tcpip-heap.heapMaxMB=2048", "a.b=c=d", "a.b.c=", "=", ".=", "a=b.c", "numa-io.threshold=NaN", "numa-io.threshold=1e9",
		"numa-io.threshold= 4", "numa-io.threshold=0x10", "numa-io.threshold=99999999999999999999", "numa-io.x=1",
	} {
		f.Add(s)
	}
	library, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, s string) {
		name, value, err := splitParam(s)
		if err != nil {
			require.ErrorContains(t, err, "write RULE.PARAM=VALUE")
			return
		}
		require.Equal(t, s, name[0]+"."+name[1]+"="+value)
		require.NotContains(t, name[0], ".")
		require.NotContains(t, strings.Join(name[:], ""), "=")
		own := *library
		before := params(&own, name[0])
		if err := own.Set(name[0], name[1], value); err != nil {
			require.NotEmpty(t, err.Error())
			require.Equal(t, before, params(&own, name[0]), "what is refused changes nothing")
			return
		}
		after := params(&own, name[0])[name[1]]
		require.True(t, after.Given)
		require.IsType(t, before[name[1]].Value, after.Value)
		require.False(t, params(library, name[0])[name[1]].Given, "the library of others is as it was")
	})
}

func params(l *advice.Library, id string) map[string]advice.Param {
	for _, r := range l.Rules() {
		if r.ID == id {
			return r.Params
		}
	}
	return nil
}

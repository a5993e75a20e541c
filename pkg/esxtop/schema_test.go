package esxtop

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseSchema(t *testing.T) {
	s := exampleSchema(t)
	require.Len(t, s.groups, 40)
	group := s.byName["SchedGroup"]
	require.Len(t, group.Fields, 32)
	require.Equal(t, 25, group.Field("LocalityPct"))
	require.Equal(t, -1, group.Field("Unheard"))
	require.Equal(t, "CSTR", group.Fields[group.Field("CPUAllocUnitsStr")].Type)

	theirs, err := ParseSchema(shared(t, "api-counterinfo.dsv"))
	require.NoError(t, err)
	require.Len(t, theirs.groups, 40)
	for name, g := range s.byName {
		require.Equal(t, theirs.byName[name].Fields, g.Fields, name)
	}
}

func TestParseOddSchema(t *testing.T) {
	for name, tc := range map[string]struct {
		text, complaint string
		groups          int
	}{
		"line ends of Windows": {"|A|x,U32|\r\n|B|y,B|\r\n\x00", "", 2},
		"no last |":            {"|A|x,U32", "", 1},
		"no fields":            {"|A|\n", "", 1},
		"no group":             {"A,x\n|B|y,B|\n", `reading CounterInfo: line 1: "A,x" does not start with |; 1 groups were read`, 1},
		"no name":              {"||x,U32|\n|B|y,B|\n", "line 1: a group without a name", 1},
		"no type":              {"|A|x|\n|B|y,B|\n", `line 1: group "A": "x" is no field and its type`, 1},
		"twice":                {"|A|x,U32|\n|A|y,B|\n", `line 2: group "A" is there twice, the first one counts`, 1},
		"no end of fields":     {"|A" + strings.Repeat("|x,B", 2000) + "|\n|B|y,B|\n", `line 1: group "A" has more than 1000 fields`, 1},
		"empty":                {"\n", "reading CounterInfo: no group of counters in it; nothing was read", 0},
		"another text":         {"<html>", `line 1: "<html>" does not start with | (and 1 more of such); nothing was read`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ParseSchema(tc.text)
			if tc.complaint == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.complaint)
			}
			if tc.groups == 0 {
				require.Nil(t, s)
				return
			}
			require.Len(t, s.groups, tc.groups)
		})
	}
}

func FuzzParseSchema(f *testing.F) {
	f.Add(example(f, "counterinfo"))
	f.Add(smallSchema)
	f.Add("|A|x|\n||\n|A|\n|B|y,U|z,S64|\x00")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSchema(text)
		require.True(t, s != nil || err != nil)
		if s == nil {
			return
		}
		for name, g := range s.byName {
			require.Same(t, g, s.groups[g.index])
			for _, f := range g.Fields {
				require.GreaterOrEqual(t, g.Field(f.Name), 0, name)
			}
		}
	})
}

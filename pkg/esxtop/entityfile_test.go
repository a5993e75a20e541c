package esxtop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseEntities(t *testing.T) {
	e, err := ParseEntities("# shortened\nSchedGroup\n7001 web 01 (prod)\n# 7002 db\n28868 erp\n\nDevice\nnaa.60 naa.60\n\nInterruptCookie\n0x21 vmk_timer\n\nNetPort\n")
	require.NoError(t, err)
	require.Equal(t, Entities{
		Group:  {{"7001", "web 01 (prod)"}, {"28868", "erp"}},
		Device: {{"naa.60", "naa.60"}},
		Vector: {{"0x21", "vmk_timer"}},
		Port:   {},
	}, e)
	require.True(t, e.has(Group, "7001"))
	require.False(t, e.has(Group, "7002"))
	require.False(t, e.has(Port, "33554434"), "a section without lines leaves nothing in")
	require.True(t, e.has(Adapter, "vmhba0"), "no section leaves all in")
}

func TestParseOddEntities(t *testing.T) {
	for name, tc := range map[string]struct {
		text, complaint string
		want            Entities
	}{
		"no name":              {"Adapter\nvmhba0\n", "", Entities{Adapter: {{"vmhba0", ""}}}},
		"no line between":      {"Adapter\nvmhba0 x\nDevice\nnaa.1 y\n", "", Entities{Adapter: {{"vmhba0", "x"}}, Device: {{"naa.1", "y"}}}},
		"a section twice":      {"Adapter\na x\n\nAdapter\nb y", "", Entities{Adapter: {{"a", "x"}, {"b", "y"}}}},
		"line ends of Windows": {"Adapter\r\nvmhba0 x\r\n", "", Entities{Adapter: {{"vmhba0", "x"}}}},
		"unknown section":      {"Rdma\n1 x\n\nAdapter\na x\n", `line 1: "Rdma" is no section that is known: SchedGroup, Adapter, Device, NetPort or InterruptCookie; 1 objects were read`, Entities{Adapter: {{"a", "x"}}}},
		"unknown section last": {"Adapter\na x\n\nRdma\n1 y\n", `line 4: "Rdma"`, Entities{Adapter: {{"a", "x"}}}},
		"another text":         {"<html>\n", `reading esxtop's entity file: line 1: "<html>" is no section`, Entities{}},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := ParseEntities(tc.text)
			if tc.complaint == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.complaint)
			}
			require.Equal(t, tc.want, e)
		})
	}
}

func FuzzParseEntities(f *testing.F) {
	f.Add("SchedGroup\n7001 web 01 (prod)\n\nNetPort\n33554434 vmnic2\n\x00")
	f.Add("# \nRdma\n1\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		e, _ := ParseEntities(text)
		for o, list := range e {
			for _, one := range list {
				require.True(t, e.has(o, one.ID))
			}
		}
	})
}

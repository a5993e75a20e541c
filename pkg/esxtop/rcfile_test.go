package esxtop

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rc60 is what esxtop 6.0 writes on a host with mostly default settings.
const rc60 = "ABcDEFghij\naBcDefgHijKLmnOpq\nABCdEfGhijkl\nABcdeFGhIjklmnop\naBCDEFGH\nAbcDEFGHIJKLMNopq\nABCDeF\nABCDe\nABCd\n5c\n"

func TestParseRC(t *testing.T) {
	rc, err := ParseRC(rc60)
	require.NoError(t, err)
	require.Equal(t, 5*time.Second, rc.Delay)
	require.Equal(t, byte('c'), rc.Panel)
	require.Len(t, rc.Fields, 9)
	require.Equal(t, "ABcDEFghij", rc.Fields['c'])
	require.Equal(t, "aBCDEFGH", rc.Fields['v'])
	require.Equal(t, "ABCd", rc.Fields['x'])
	require.Equal(t, rc60, rc.String())
}

func TestParseOddRC(t *testing.T) {
	for name, tc := range map[string]struct {
		text, complaint string
		want            RC
	}{
		"older, without vSAN":    {"AB\nab\n7m\n", "", RC{map[byte]string{'c': "AB", 'm': "ab"}, 7 * time.Second, 'm'}},
		"without a panel":        {"AB\n7\n", "", RC{map[byte]string{'c': "AB"}, 7 * time.Second, 0}},
		"a panel without fields": {"AB\n\nBA\n7u\n", "", RC{map[byte]string{'c': "AB", 'd': "BA"}, 7 * time.Second, 'u'}},
		"line ends of Windows":   {"AB\r\n2c\r\n\r\n", "", RC{map[byte]string{'c': "AB"}, 2 * time.Second, 'c'}},
		"only a delay":           {"7u", "", RC{map[byte]string{}, 7 * time.Second, 'u'}},
		"a letter twice":         {"ABa\nAB\n5c\n", `line 1: the fields of panel c are "ABa": A is there twice; the fields of 1 panels were read`, RC{map[byte]string{'m': "AB"}, 5 * time.Second, 'c'}},
		"no letter":              {"AB\nA-B\n5c\n", `line 2: the fields of panel m are "A-B": '-' is no field's letter`, RC{map[byte]string{'c': "AB"}, 5 * time.Second, 'c'}},
		"no panel":               {"AB\n5z\n", `line 2: "5z" is no delay in seconds with the letter of a panel (cmduvnipx), as in 5c`, RC{Fields: map[byte]string{'c': "AB"}}},
		"two panels":             {"AB\n5cm\n", "no delay", RC{Fields: map[byte]string{'c': "AB"}}},
		"no time":                {"AB\n0c\n", "no delay", RC{Fields: map[byte]string{'c': "AB"}}},
		"a delay without end":    {"AB\n99999999999999999999c\n", "no delay", RC{Fields: map[byte]string{'c': "AB"}}},
		"a panel of the future":  {"A\nA\nA\nA\nA\nA\nA\nA\nA\nAB\n5c\n", `line 10: "AB" comes after the fields of panel x`, RC{map[byte]string{'c': "A", 'm': "A", 'd': "A", 'u': "A", 'v': "A", 'n': "A", 'i': "A", 'p': "A", 'x': "A"}, 5 * time.Second, 'c'}},
		"empty":                  {"", "reading esxtop's configuration: it is empty", RC{Fields: map[byte]string{}}},
	} {
		t.Run(name, func(t *testing.T) {
			rc, err := ParseRC(tc.text)
			if tc.complaint == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.complaint)
			}
			require.Equal(t, &tc.want, rc)
		})
	}
}

func FuzzParseRC(f *testing.F) {
	f.Add(rc60)
	f.Add("AB\n\n7m\n\x00")
	f.Add("ABa\n5z")
	f.Fuzz(func(t *testing.T, text string) {
		rc, err := ParseRC(text)
		if err != nil || rc.Delay == 0 {
			return
		}
		again, err := ParseRC(rc.String())
		require.NoError(t, err)
		require.Equal(t, rc, again)
	})
}

package iostreams

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColorEnabled(t *testing.T) {
	type env = map[string]string
	for _, tc := range []struct {
		name   string
		tty    bool
		env    env
		choice string
		want   bool
	}{
		{"terminal", true, nil, "", true},
		{"pipe", false, nil, "", false},
		{"dumb terminal", true, env{"TERM": "dumb"}, "", false},
		{"NO_COLOR", true, env{"NO_COLOR": "1"}, "", false},
		{"NO_COLOR may say anything", true, env{"NO_COLOR": "0"}, "", false},
		{"empty NO_COLOR", true, env{"NO_COLOR": ""}, "", true},
		{"forced into a pipe", false, env{"CLICOLOR_FORCE": "1"}, "", true},
		{"forced onto a dumb terminal", true, env{"CLICOLOR_FORCE": "1", "TERM": "dumb"}, "", true},
		{"force 0 is no force", false, env{"CLICOLOR_FORCE": "0"}, "", false},
		{"NO_COLOR beats force", true, env{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, "", false},
		{"always beats NO_COLOR and a pipe", false, env{"NO_COLOR": "1"}, "always", true},
		{"never beats force", true, env{"CLICOLOR_FORCE": "1"}, "never", false},
		{"auto chooses nothing", true, env{"NO_COLOR": "1"}, "auto", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _, _ := Test()
			s.SetTTY(false, tc.tty, false)
			s.SetEnv(tc.env)
			if tc.choice != "" {
				require.NoError(t, s.SetColor(tc.choice))
			}
			require.Equal(t, tc.want, s.ColorEnabled())
		})
	}
}

func TestSetColorRefusesOtherWords(t *testing.T) {
	s, _, _ := Test()
	require.NoError(t, s.SetColor("always"))
	require.EqualError(t, s.SetColor("yes"), `colour "yes" is not valid: write auto, always or never`)
	require.True(t, s.ColorEnabled(), "a refused choice changes nothing")
}

func TestStyle(t *testing.T) {
	s, _, _ := Test()
	plain := s.StyleOut()
	require.NoError(t, s.SetColor("always"))
	coloured := s.StyleOut()

	for _, tc := range []struct {
		name  string
		style func(Style, string) string
		want  string
	}{
		{"bold", Style.Bold, "\x1b[1mx\x1b[22m"},
		{"dim", Style.Dim, "\x1b[2mx\x1b[22m"},
		{"red", Style.Red, "\x1b[31mx\x1b[39m"},
		{"green", Style.Green, "\x1b[32mx\x1b[39m"},
		{"yellow", Style.Yellow, "\x1b[33mx\x1b[39m"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, tc.style(coloured, "x"))
			require.Equal(t, "x", tc.style(plain, "x"))
			require.Equal(t, "x", tc.style(Style{}, "x"))
			require.Empty(t, tc.style(coloured, ""))
		})
	}
}

package iostreams

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// A shell reads every shown word as the word itself, in every locale, and a terminal shows all of it.
func TestShellsReadShownWords(t *testing.T) {
	require.Equal(t, "plain.json", Shown("plain.json"))
	require.Equal(t, "'a b'", Shown("a b"))
	words := []string{"", "it's", `back\slash`, "zw\u200bn.json", "two\nlines\n", "\u202eabc", "latin\xe4.json", "\xff\xfe", "it's \x1b[2J \\x41 $HOME `id`!", "ü\u200b0a€"}
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if controlsTerminal(r) {
			words = append(words, string(r), "a'"+string(r)+"0f\\")
		}
	}
	shown := make([]string, len(words))
	for i, w := range words {
		shown[i] = Shown(w)
		require.True(t, isSafe(shown[i]), "%q", shown[i])
	}
	for _, shell := range []string{"bash", "zsh"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("there is no %s", shell)
			continue
		}
		for _, locale := range []string{"C", "C.UTF-8"} {
			cmd := exec.CommandContext(t.Context(), path)
			cmd.Stdin = strings.NewReader(`printf '%s\0' ` + strings.Join(shown, " ") + "\n")
			cmd.Env = []string{"LC_ALL=" + locale}
			out, err := cmd.Output()
			require.NoError(t, err)
			require.Equal(t, words, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), "%s, %s", shell, locale)
		}
	}
}

package cli

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/cli/inforce"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
)

// bindAnew binds the flags of a command with none of them typed.
func bindAnew(t *testing.T, command string) *config.FlagSettings {
	t.Helper()
	root := testRoot()
	file, err := config.LoadFlags(inforce.FlagNames(root))
	require.NoError(t, err)
	c, _, err := root.Find(strings.Fields(command))
	require.NoError(t, err)
	s, err := file.Bind(command, c.LocalNonPersistentFlags())
	require.NoError(t, err)
	return s
}

func testRoot() *cobra.Command {
	streams, _, _ := iostreams.Test()
	return newRoot(NewFactory(streams))
}

// settableWhereThingsChange lists the flags that a variable or the config file may set for commands that change settings or show
// changes. All their other flags select or confirm changes: a flag is added here on purpose.
var settableWhereThingsChange = map[string][]string{
	"apply":          {"full", "include-vms", "on-error", "output", "reason", "ticket", "waivers", "window"},
	"plan":           {"full", "include-vms", "output", "waivers"},
	"rollback":       {"output", "reason", "ticket", "window"},
	"history verify": {"output"},
	"context add":    nil,
	"context remove": nil,
	"context use":    nil,
}

func TestConsentIsTyped(t *testing.T) {
	configured(t)
	for command, want := range settableWhereThingsChange {
		s := bindAnew(t, command)
		var got []string
		for _, flag := range s.Flags {
			got = append(got, flag.Name)
		}
		require.Equal(t, want, got, command)
	}
}

// TestEveryFlagCanBeSet sets each flag of each command, but for those that have to be typed, by its variable and by the config file.
func TestEveryFlagCanBeSet(t *testing.T) {
	proof.NotRaced(t)
	configured(t)
	path := filepath.Join(t.TempDir(), "config.yaml")
	t.Setenv("VPERF_CONFIG", path)
	root := testRoot()
	for _, c := range inforce.Settable(root) {
		command := inforce.CommandName(c)
		s := bindAnew(t, command)
		for _, flag := range s.Flags {
			value := map[string]string{
				"bool": "true", "int": "7", "float64": "7", "duration": "7s", "SECONDS": "7", "FORMAT": "json", "when": "never",
			}[c.Flags().Lookup(flag.Name).Value.Type()]
			if value == "" {
				value = "x"
			}
			variable := flag.Variables[0]
			t.Setenv(variable, value)
			requireFrom(t, command, flag.Name, value, variable)
			t.Setenv(variable, "")
			require.NoError(t, os.WriteFile(path, []byte(command+": {"+flag.Name+": "+value+"}\n"), 0o600))
			if flag.Name == "include-vms" {
				continue // whose words are checked when the file is read
			}
			requireFrom(t, command, flag.Name, value, path+":1:")
			require.NoError(t, os.Remove(path))
		}
	}
}

func requireFrom(t *testing.T, command, name, value, from string) {
	t.Helper()
	s := bindAnew(t, command)
	i := slices.IndexFunc(s.Flags, func(f config.FlagSetting) bool { return f.Name == name })
	require.True(t, strings.HasPrefix(s.Flags[i].Text, value), "%s --%s is %s", command, name, s.Flags[i].Text)
	require.True(t, strings.HasPrefix(s.Flags[i].From, from), "%s --%s is from %s", command, name, s.Flags[i].From)
}

// TestVariablesAreUnambiguous: the variable of a command's flag is not that of another command's, nor of a flag of all.
func TestVariablesAreUnambiguous(t *testing.T) {
	root := testRoot()
	names := inforce.FlagNames(root)
	meaning := map[string]string{"VPERF_CONFIG": "the file", "VPERF_PASSWORD": "the password", "VPERF_USERNAME": "--username"}
	for _, command := range slices.Sorted(maps.Keys(names)) {
		for name, flag := range names[command] {
			variables := config.VariablesOf(command, flag)
			for i, variable := range variables {
				what := "--" + name
				if i == 0 && command != "" {
					what = command + " " + what
				}
				if other := meaning[variable]; other != "" {
					require.Equal(t, other, what, variable)
				}
				meaning[variable] = what
			}
		}
	}
}

func TestCompletingConfigShow(t *testing.T) {
	root := testRoot()
	c, _, err := root.Find([]string{"config", "show"})
	require.NoError(t, err)
	names, _ := completeCommands(c, nil, "")
	require.Contains(t, names, "audit")
	require.Contains(t, names, "rules")
	names, _ = completeCommands(c, []string{"rules"}, "")
	require.Equal(t, []string{"docs", "lint", "list", "new", "schema", "tables", "test"}, names)
}

// TestDocsNameWhatHasToBeTyped: the page lists each flag that a variable or the file may not set.
func TestDocsNameWhatHasToBeTyped(t *testing.T) {
	configured(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "settings.md"))
	require.NoError(t, err)
	_, page, _ := strings.Cut(string(text), "## Flags that must be typed")
	servers := []string{"url", "username", "context", "insecure", "thumbprint", "password-file"}
	for _, command := range []string{"apply", "plan", "rollback", "history verify"} {
		c, _, err := testRoot().Find(strings.Fields(command))
		require.NoError(t, err)
		var settable []string
		for _, flag := range bindAnew(t, command).Flags {
			settable = append(settable, flag.Name)
		}
		for _, name := range config.Names(c.LocalNonPersistentFlags()) {
			if !slices.Contains(settable, name) && !slices.Contains(servers, name) {
				require.Contains(t, page, "`--"+name+"`", command)
			}
		}
	}
}

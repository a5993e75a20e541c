package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStopGivesBackTheShell evaluates the lines of start and stop in each shell of this machine: environment and variables are then
// as they were, whatever they were.
func TestStopGivesBackTheShell(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's $HOME; here")
	record := func(port string) string {
		return ShellLines(Record{KnownHosts: filepath.Join(dir, KnownHostsPrefix+port), Endpoints: []Place{
			{Name: "vcenter", URL: "https://127.0.0.1:" + port + "/sdk", User: "demo@vsphere.local", Password: "sesame"},
			{Name: "esxi-a", URL: "https://127.0.0.1:1/sdk", User: "root", Password: "open"},
		}})
	}
	before := map[string]string{
		"none":         ``,
		"exported":     `export GOVC_URL=https://u@vc.example.com GOVC_PASSWORD=p VPERF_CONTEXT=lab VPERF_URL=https://other`,
		"not exported": `GOVC_URL=vc VPERF_CONTEXT=lab; GOVC_USERNAME=`,
		"empty":        `export GOVC_URL= GOVC_PASSWORD= VPERF_CONTEXT= VPERF_PASSWORD=`,
		"hostile": `export GOVC_PASSWORD='it'\''s "$HOME" \$(id) ` + "`id`" + `  two
lines
' VPERF_PASSWORD='
GOVC_URL=fake
' GOVC_USERNAME='*'; VPERF_USERNAME='-n x'`,
		"known hosts": `export GOVC_TLS_KNOWN_HOSTS=/home/me/known_hosts VPERF_TLS_KNOWN_HOSTS=/home/me/known_hosts`,
	}
	lines := t.TempDir()
	require.Empty(t, RestoreLines(dir), "no variable is a fleet's")
	for _, prefix := range []string{"GOVC", "VPERF"} {
		t.Setenv(prefix+"_TLS_KNOWN_HOSTS", filepath.Join(dir, KnownHostsPrefix+"1001"))
	}
	for name, text := range map[string]string{"start": record("1001"), "again": record("1002"), "stop": RestoreLines(dir)} {
		require.NoError(t, os.WriteFile(filepath.Join(lines, name), []byte(text), 0o600))
	}
	start, again, stop := `eval "$(cat "$LINES/start")"`, `eval "$(cat "$LINES/again")"`, `eval "$(cat "$LINES/stop")"`
	sequences := map[string][]string{
		"start, stop": {start, stop}, "twice": {start, again, stop},
		"again": {start, stop, again, stop}, "in a child": {start, `(` + again + `; ` + stop + `)`, stop},
		"in an own shell": {start, `$SHELL_HERE -c 'eval "$(cat "$LINES/stop")"; ! env | grep 127.0.0.1'`, stop},
	}
	shown := `show() { env -0; for v in GOVC_URL GOVC_USERNAME GOVC_PASSWORD GOVC_TLS_KNOWN_HOSTS VPERF_URL VPERF_USERNAME VPERF_PASSWORD VPERF_TLS_KNOWN_HOSTS VPERF_CONTEXT; ` +
		`do eval "printf '%s=%s,%s|' $v \"\${$v+set}\" \"\${$v-}\""; done; set | grep ^_vperf; }
`
	const end = "\n--end--\n"
	tried := map[string]bool{}
	for _, shell := range []string{"sh", "bash", "dash", "zsh", "ksh"} {
		path, err := exec.LookPath(shell)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil || tried[path] {
			continue
		}
		tried[path] = true
		for state, set := range before {
			for name, steps := range sequences {
				script := set + "\n" + shown + "show >\"$OUT/before\" || :\nset -eu\n" + strings.Join(steps, "\n") + "\nset +eu\nshow; printf '" + strings.ReplaceAll(end, "\n", `\n`) + "'; cat \"$OUT/before\""
				cmd := exec.CommandContext(t.Context(), path, "-c", script)
				cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/home/me", "OUT=" + t.TempDir(), "LINES=" + lines, "SHELL_HERE=" + path}
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s: %s, %s: %s", shell, state, name, out)
				after, was, found := strings.Cut(string(out), end)
				require.True(t, found, string(out))
				require.Equal(t, was, after, "%s: %s, %s", shell, state, name)
			}
		}
	}
	require.NotEmpty(t, tried)
}

// TestLinesKeepSecretsInTheShell holds that the lines of start and stop name the user's variables and never their values.
func TestLinesKeepSecretsInTheShell(t *testing.T) {
	t.Setenv("GOVC_PASSWORD", "hush")
	t.Setenv("VPERF_PASSWORD", "hush")
	t.Setenv("VPERF_TLS_KNOWN_HOSTS", "/x/known_hosts-1")
	require.NotEmpty(t, RestoreLines("/x"))
	require.NotContains(t, ShellLines(Record{KnownHosts: "/x/known_hosts-1", Endpoints: []Place{{}}})+RestoreLines("/x"), "hush")
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
)

// program is vperf, run as people do, against the fleet.
type program struct {
	env   []string
	state string
	path  string // of the executable; "": this test's
}

func newProgram(t *testing.T, e simfleet.Endpoint) *program {
	t.Helper()
	dir := t.TempDir()
	known := filepath.Join(dir, "known_hosts")
	require.NoError(t, os.WriteFile(known, []byte(e.URL.Host+" "+e.Thumbprint+"\n"), 0o600))
	return &program{
		state: dir,
		env: append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir, "GORACE=atexit_sleep_ms=0",
			"GOVC_URL="+e.URL.String(), "GOVC_USERNAME="+e.User, "GOVC_PASSWORD="+e.Password, "GOVC_TLS_KNOWN_HOSTS="+known),
	}
}

func (v *program) command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.CommandContext(context.Background(), cmp.Or(v.path, self), args...)
	cmd.Args[0] = "vperf" // as testscript.Main looks for it
	cmd.Env = slices.Concat(v.env, []string{"XDG_STATE_HOME=" + v.state})
	return cmd
}

func (v *program) run(args ...string) (code int, text string) {
	out, err := v.command(args...).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), string(out)
	} else if err != nil {
		return -1, err.Error()
	}
	return 0, string(out)
}

func (v *program) must(t *testing.T, want int, args ...string) string {
	t.Helper()
	code, text := v.run(args...)
	require.Equal(t, want, code, "vperf %s:\n%s", strings.Join(args, " "), text)
	return text
}

package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/raced"
)

// The test binary is vperf too: scripts and the demo's child start it again under that name, so that no third flavour
// of the program is built.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"vperf": func() { os.Exit(Main(os.Args[1:])) }})
}

// Of the scripts those run under the race detector whose commands do several things at once; all of them run without it.
func TestScripts(t *testing.T) {
	if raced.Enabled {
		runScripts(t, "testdata/script/top.txtar", "testdata/script/exporter.txtar")
		return
	}
	all, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	runScripts(t, all...)
}

func runScripts(t *testing.T, files ...string) {
	testscript.Run(t, testscript.Params{
		Files:         files,
		UpdateScripts: golden.Updating(),
		Setup: func(e *testscript.Env) error {
			home := e.WorkDir + "/home"
			e.Setenv("HOME", home)
			e.Setenv("XDG_CONFIG_HOME", home+"/config")
			e.Setenv("XDG_CACHE_HOME", home+"/cache")
			e.Setenv("XDG_STATE_HOME", home+"/state")
			// The race detector waits a second at every exit unless told not to.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			opens := time.Now().Add(2 * time.Hour)
			e.Setenv("LATER", opens.Format("15:04")+"-"+opens.Add(time.Hour).Format("15:04"))
			return os.Mkdir(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "findings": sameFindings, "shown": showsAllRules, "fleet": startFleet, "option": optionIs,
			"identities": holdsIdentities, "same-figures": hasSameFigures, "measured": findsMeasured,
		},
	})
}

// exits CODE COMMAND ARG… runs a command that has to end with the code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/simfleet/process"
)

// The test binary is vperf too: scripts and the demo's child start it again under that name, so that no third flavour
// of the program is built.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"vperf": func() {
		if hello := os.Getenv(sharedDemo); hello != "" && slices.Equal(os.Args[1:], []string{demoServerCommand}) {
			leadToSharedDemo(hello)
		}
		if at := os.Getenv(steppedDemo); at != "" && len(os.Args) > 1 && os.Args[1] == demoServerCommand {
			leadToSteppedDemo(at)
		}
		if limit := os.Getenv(shortCalls); limit != "" {
			limitCalls(limit)
		}
		if limit := os.Getenv(shortWaits); limit != "" {
			limitWaits(limit)
		}
		os.Exit(Main(os.Args[1:]))
	}})
}

// sharedDemo is the variable that passes the greeting of a running fleet to child processes. Reading the demo fleet does
// not change it, and commands that change it start their own; so the scripts share one.
const sharedDemo = "TEST_DEMO_GREETING"

// leadToSharedDemo is a demo's child that starts no fleet.
func leadToSharedDemo(hello string) {
	fmt.Println(hello)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// startSharedDemo serves a demo fleet until the test ends, and returns its greeting.
func startSharedDemo(t *testing.T) string {
	t.Helper()
	stay, end := io.Pipe()
	hears, says := io.Pipe()
	var fleet sync.WaitGroup
	fleet.Go(func() {
		assert.NoError(t, process.Serve(stay, says, simfleet.Config{Zone: simfleet.MidMorning(time.Now())}))
	})
	t.Cleanup(func() {
		require.NoError(t, end.Close())
		fleet.Wait()
	})
	hello, err := bufio.NewReader(hears).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(hello)
}

// sideBySide are the scripts whose commands do several things at once: those the race detector watches.
var sideBySide = []string{"testdata/script/exporter.txtar", "testdata/script/top.txtar"}

func TestScripts(t *testing.T) {
	proof.NotRaced(t)
	all, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	runScripts(t, slices.DeleteFunc(all, func(file string) bool { return slices.Contains(sideBySide, file) })...)
}

func TestScriptsSideBySide(t *testing.T) { runScripts(t, sideBySide...) }

func runScripts(t *testing.T, files ...string) {
	hello := startSharedDemo(t)
	testscript.Run(t, testscript.Params{
		Files:         files,
		UpdateScripts: golden.Updating(),
		Setup: func(e *testscript.Env) error {
			home := e.WorkDir + "/home"
			e.Setenv("HOME", home)
			e.Setenv("XDG_CONFIG_HOME", home+"/config")
			e.Setenv("XDG_CACHE_HOME", home+"/cache")
			e.Setenv("XDG_STATE_HOME", home+"/state")
			e.Setenv(sharedDemo, hello)
			e.Setenv("GOGC", "400") // many short processes: memory is cheaper than time
			// The race detector waits a second at every exit by default.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			opens := time.Now().Add(2 * time.Hour)
			e.Setenv("LATER", opens.Format("15:04")+"-"+opens.Add(time.Hour).Format("15:04"))
			return os.Mkdir(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "findings": sameFindings, "rvtools": writeExport, "shown": showsAllRules, "fleet": startFleet, "option": optionIs,
			"identities": holdsIdentities, "same-figures": hasSameFigures, "measured": findsMeasured, "screen": fitsAScreen,
			"without-rest": func(ts *testscript.TestScript, _ bool, _ []string) { stopREST(t, ts) },
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

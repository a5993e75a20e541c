package cli

import (
	"time"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/release"
	"github.com/vperf/vperf/internal/rulefiles"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/advice"
)

// Factory provides the dependencies of commands and creates each on first use: --help costs nothing.
type Factory struct {
	IO *iostreams.IO
	// Library reads the built-in rules and those of the user's files or folders. Reading examples takes longer.
	Library func(paths []string, examples bool) (*advice.Library, error)
	// Demo starts the demo fleet and says how to reach it.
	Demo demoStarter
	// Today is the day by which waivers end.
	Today func() advice.Date
	// ReleasePage is the address that vperf version --check asks.
	ReleasePage string

	settings *config.FlagSettings // of the command that runs
	typed    typed.Source         // of the command that runs, for the commands that it prints
	verbose  bool                 // --verbose
	calls    *source.CallLog      // nil: calls are not logged
}

// NewFactory is the factory of the real program.
func NewFactory(io *iostreams.IO) *Factory {
	today := func() advice.Date { return advice.DateOf(time.Now()) }
	return &Factory{IO: io, Library: rulefiles.Load, Demo: spawnDemo, Today: today, ReleasePage: release.Page}
}

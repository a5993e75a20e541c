package tui

import (
	"context"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Options are what the screens are made from.
type Options struct {
	Source esxtop.Source
	In     io.Reader
	Out    io.Writer
	Width  int  // of Plain: where CPU lines are broken; 0: nowhere. Run asks the terminal.
	Color  bool // thresholds are coloured too

	Settings Settings
	Filter   string // only rows and hosts with it in their names
	Message  string // said until the first key

	Rules func(id string) []string       // names the rules that look at a metric; nil: none are known
	Save  func(Settings) (string, error) // keeps the settings and says where; nil: there is no place
	Now   func() time.Time               // nil: the clock
}

func (o Options) normal() Options {
	o.Settings = o.Settings.normal()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rules == nil {
		o.Rules = func(string) []string { return nil }
	}
	return o
}

// framesPerSecond is how often the screen may change: idle programs wake up as often.
const framesPerSecond = 10

// Run shows the screens until the user quits or the context ends. The source stays open.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // a source that still waits gives up
	m := newModel(ctx, o.normal())
	profile := colorprofile.Ascii
	if o.Color {
		profile = colorprofile.ANSI
	}
	// Signals end the context. A second one who listens to them could wait for ever to tell a program that is over.
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithFPS(framesPerSecond),
		tea.WithColorProfile(profile))
	_, err := program.Run()
	switch {
	case m.err != nil:
		return m.err
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}

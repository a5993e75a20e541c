package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// framesPerSecond is how often the screen may change: idle programs wake up as often.
const framesPerSecond = 10

// Run shows the screens until the user quits or the context ends. The source stays open.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends a source that still waits
	m := newModel(ctx, o.normal())
	profile := colorprofile.Ascii
	if o.Color {
		profile = colorprofile.ANSI
	}
	// Signals end the context. A second handler could block on a program that has ended.
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

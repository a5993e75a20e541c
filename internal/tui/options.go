package tui

import (
	"io"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Options configure the screens.
type Options struct {
	Source esxtop.Source
	In     io.Reader
	Out    io.Writer
	Width  int  // of Plain: where CPU lines are broken; 0: nowhere. Run asks the terminal.
	Color  bool // thresholds are coloured too

	Settings Settings
	Filter   string // only rows and hosts with it in their names
	Message  string // shown until the first key

	Rules func(id string) []string       // names the rules that use a metric; nil: none are known
	Save  func(Settings) (string, error) // saves the settings and returns the place; nil: cannot be saved
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

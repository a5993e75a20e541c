package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/simfleet/process"
	"github.com/vperf/vperf/internal/source"
)

func openDemo(ctx context.Context, f *Factory, scenarios []string) (*source.Server, error) {
	p := f.IO.StartProgress("starting the demo fleet")
	e, stop, err := f.Demo(ctx, scenarios)
	p.Done()
	if err != nil {
		return nil, err
	}
	s, err := source.OpenServer(ctx, f.IO, e)
	if err != nil {
		stop()
		return nil, err
	}
	s.OnClose(stop)
	return s, nil
}

func newDemoServer(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use:    demoServerCommand + " [SCENARIO...]",
		Short:  "Serve the demo fleet to the vperf that started this one",
		Hidden: true,
		RunE: func(_ *cobra.Command, scenarios []string) error {
			// Somebody who tries vperf at night wants to see a fleet at work.
			return process.Serve(f.IO.In, f.IO.Out, simfleet.Config{Scenarios: scenarios, Zone: simfleet.MidMorning(time.Now())})
		},
	}
}

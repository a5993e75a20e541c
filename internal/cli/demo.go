package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/simfleet/process"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// demoOptions describes the demo fleet to start.
type demoOptions struct {
	Scenarios []string
	// Replay is how much of the fleet's past is replayed: its clock is so much behind and waits to be moved. 0: it runs by itself.
	Replay time.Duration
	// SlowBy is the delay of scenario slow-host; 0 is the fleet's default.
	SlowBy time.Duration
}

// briefSlowBy is the delay of scenario slow-host for commands that read the demo fleet once. They make up to 25 calls to that host, one
// after the other: the default delay would take most of a minute.
const briefSlowBy = 50 * time.Millisecond

// demoFleet is a demo fleet that runs.
type demoFleet struct {
	session.Endpoint

	Replay source.Replay // nil: its clock runs by itself
	Stop   func()
}

// demoStarter starts the demo fleet.
type demoStarter func(context.Context, demoOptions) (*demoFleet, error)

// spawnDemo runs the fleet as a child: a panic in the simulator would take the whole process with it.
func spawnDemo(ctx context.Context, o demoOptions) (*demoFleet, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting the demo fleet: finding our own program: %w", err)
	}
	command := []string{self, demoServerCommand}
	if o.Replay > 0 {
		command = append(command, "--"+behindFlag, o.Replay.String())
	}
	if o.SlowBy > 0 {
		command = append(command, "--"+slowByFlag, o.SlowBy.String())
	}
	child, err := process.SpawnReplay(ctx, append(command, o.Scenarios...), os.Environ(), o.Replay)
	if err != nil {
		return nil, err
	}
	fleet := &demoFleet{Stop: child.Close, Endpoint: session.Endpoint{
		URL: child.URL, User: child.User, Password: session.Secret(child.Password),
		CertificatePEM: child.CertificatePEM,
	}}
	if child.Replay != nil {
		fleet.Replay = child.Replay
	}
	return fleet, nil
}

func openDemo(ctx context.Context, f *Factory, o demoOptions) (*source.Server, error) {
	if o.Replay > 0 {
		fmt.Fprintf(f.IO.Err, "replaying the last %s of the demo fleet; --realtime watches it live\n", iostreams.Brief(o.Replay))
	}
	p := f.IO.StartProgress("starting the demo fleet")
	fleet, err := f.Demo(ctx, o)
	p.Done()
	if err != nil {
		return nil, err
	}
	s, err := source.OpenServer(ctx, f.IO, fleet.Endpoint)
	if err != nil {
		fleet.Stop()
		return nil, err
	}
	s.OnClose(fleet.Stop)
	if fleet.Replay != nil {
		s.SetReplay(fleet.Replay)
	}
	return s, nil
}

// demoServerCommand is the hidden command that serves the demo fleet to its parent.
const (
	demoServerCommand = "demo-server"
	behindFlag        = "behind"
	slowByFlag        = "slow-by"
)

func newDemoServer(f *Factory) *cobra.Command {
	var behind, slowBy time.Duration
	c := &cobra.Command{
		Use:    demoServerCommand + " [SCENARIO...]",
		Short:  "Serve the demo fleet to the vperf that started this one",
		Hidden: true,
		RunE: func(_ *cobra.Command, scenarios []string) error {
			cfg := simfleet.Config{Scenarios: scenarios, SlowBy: slowBy}
			if behind > 0 {
				return process.ServeReplay(f.IO.In, f.IO.Out, cfg, behind)
			}
			// Somebody who tries vperf at night wants to see a fleet at work.
			cfg.Zone = simfleet.MidMorning(time.Now())
			return process.Serve(f.IO.In, f.IO.Out, cfg)
		},
	}
	c.Flags().DurationVar(&behind, behindFlag, 0, "begin `DURATION` ago, and have the clock moved by the parent")
	c.Flags().DurationVar(&slowBy, slowByFlag, 0, "delay each read from the host of scenario slow-host by this `DURATION` (0: the default)")
	return c
}

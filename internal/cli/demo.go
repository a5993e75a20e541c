package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
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
	// Noise is the seed of the variation of real hosts, with which the fleet is the world of trials; 0: the fleet has none.
	Noise uint64
	// Incidents happen at their times on the fleet's clock.
	Incidents []simfleet.Incident
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
	if o.Noise != 0 {
		command = append(command, "--"+noiseFlag, strconv.FormatUint(o.Noise, 10))
	}
	for _, in := range o.Incidents {
		command = append(command, "--"+incidentFlag, in.String())
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
	switch {
	case o.Noise != 0:
		fmt.Fprintln(f.IO.Err, "this is simulated: the built-in fleet, in fast forward; --realtime runs it live")
	case o.Replay > 0:
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
	noiseFlag         = "noise"
	incidentFlag      = "incident"
	slowByFlag        = "slow-by"
)

// newDemoServer is the hidden command that serves the demo fleet.
func newDemoServer(f *Factory) *cobra.Command {
	var behind, slowBy time.Duration
	var noise uint64
	var incidents []string
	c := &cobra.Command{
		Use:    demoServerCommand + " [SCENARIO...]",
		Short:  "Serve the demo fleet to the vperf that started this one",
		Hidden: true,
		RunE: func(_ *cobra.Command, scenarios []string) error {
			cfg, err := demoConfig(scenarios, noise, incidents)
			if err != nil {
				return err
			}
			cfg.SlowBy = slowBy
			if behind > 0 {
				return process.ServeReplay(f.IO.In, f.IO.Out, cfg, behind)
			}
			cfg.Zone = simfleet.MidMorning(time.Now()) // somebody who tries vperf at night wants to see a fleet at work
			return process.Serve(f.IO.In, f.IO.Out, cfg)
		},
	}
	c.Flags().DurationVar(&behind, behindFlag, 0, "begin `DURATION` ago, and have the clock moved by the parent")
	c.Flags().Uint64Var(&noise, noiseFlag, 0, "vary load as on real hosts, by this `SEED`")
	c.Flags().StringArrayVar(&incidents, incidentFlag, nil, "make `KIND@DURATION@HOST` happen")
	c.Flags().DurationVar(&slowBy, slowByFlag, 0, "delay each read from the host of scenario slow-host by this `DURATION` (0: the default)")
	return c
}

// demoCorrelation is the correlation of the noise of a host in adjacent samples.
const demoCorrelation = .8

func demoConfig(scenarios []string, noise uint64, incidents []string) (simfleet.Config, error) {
	cfg := simfleet.Config{Scenarios: scenarios}
	if noise != 0 {
		cfg.Noise = simfleet.SteadyNoise(noise, demoCorrelation)
		cfg.Instance = rand.Text() // trials change it: their journals are not those of another fleet
	}
	for _, text := range incidents {
		in, err := simfleet.ParseIncident(text)
		if err != nil {
			return cfg, err
		}
		cfg.Incidents = append(cfg.Incidents, in)
	}
	return cfg, nil
}

// scenarioNames are the fault scenarios of the demo fleet.
func scenarioNames() []string {
	var names []string
	for _, s := range simfleet.Scenarios() {
		names = append(names, s.Name)
	}
	return names
}

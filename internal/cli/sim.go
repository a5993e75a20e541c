package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/simfleet/process"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// simOptions are the options of `vperf sim`.
type simOptions struct {
	Background bool
	Stop       bool
	Idle       time.Duration
	Fleet      simfleet.Config

	child bool // the process that --background left behind
}

func newSim(f *Factory) *cobra.Command {
	o := new(simOptions)
	c := &cobra.Command{
		Use:   "sim",
		Short: "Serve the demo fleet to any vSphere client",
		Long: `Serves the demo fleet as a vCenter and three ESXi hosts until Ctrl-C. It prints
shell lines to evaluate; then vperf, govc and other clients that read GOVC_* use
the fleet. It listens on loopback only, with a new password and certificate each
time.

The lines export GOVC_* for govc and VPERF_* for vperf. The VPERF_* variables
win over the contexts of the config file, and VPERF_CONTEXT=--none ignores the
current context: what you apply changes the fleet and not your server. vperf sim
--stop prints the lines that restore yours; evaluate these, too. Until then,
only --context and --url select another server.

Unlike --demo, which exists for one command, this fleet keeps changes: the next
command reads what the last one applied.

Scenarios, for --scenario:
` + scenarioList() + `
Exit status: 0 done, 1 vperf failed or no fleet to stop, 2 wrong usage,
130 ended by Ctrl-C.`,
		Example: `  eval "$(vperf sim --background)" && vperf audit; eval "$(vperf sim --stop)"
  vperf sim --listen 127.0.0.1:8989
  vperf sim --scenario host-down --scenario slow-host
  vperf sim --speed 60`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return runSim(c.Context(), f, o)
		},
	}
	o.addFlags(c)
	return c
}

func scenarioList() string {
	var b strings.Builder
	for _, s := range simfleet.Scenarios() {
		fmt.Fprintf(&b, "  %-16s %s\n", s.Name, s.About)
	}
	return b.String()
}

// simChildFlag marks the process that --background leaves behind.
const simChildFlag = "background-child"

func (o *simOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&o.Background, "background", false, "run in the background and return when the fleet is ready")
	f.BoolVar(&o.Stop, "stop", false, "stop the fleet in the background and print how to restore the variables")
	f.DurationVar(&o.Idle, "idle", 30*time.Minute, "stop after this `DURATION` without a request; 0 is never")
	f.StringVar(&o.Fleet.Listen, "listen", "", "serve the vCenter at this loopback `ADDRESS`, such as 127.0.0.1:8989 (default: any free port)")
	f.StringArrayVar(&o.Fleet.Scenarios, "scenario", nil, "inject this fault scenario, by `NAME`; may be repeated")
	f.Float64Var(&o.Fleet.Speed, "speed", 1, "change the load this `FACTOR` times as fast (60: a day in 24 minutes); clocks stay real")
	f.IntVar(&o.Fleet.Hosts, "hosts", 0, "minimum number of hosts")
	f.IntVar(&o.Fleet.VMs, "vms", 0, "minimum number of VMs")
	f.BoolVar(&o.child, simChildFlag, false, "run as the fleet in the background")
	for _, hidden := range []string{"hosts", "vms", simChildFlag} {
		_ = f.MarkHidden(hidden) // fails only for a flag that is not there
	}
	config.OnlyTyped(f, "background", "stop", simChildFlag)
	config.OwnName(f, "background", "stop", simChildFlag)
	completeWords(c, map[string][]string{"scenario": scenarioNames()})
}

func (o *simOptions) check() error {
	switch {
	case o.Stop && o.Background:
		return errors.New("--stop and --background cannot be used together")
	case o.Idle < 0:
		return fmt.Errorf("--idle: %s is negative", o.Idle)
	case o.Fleet.Hosts < 0 || o.Fleet.VMs < 0:
		return errors.New("--hosts and --vms must be 0 or more")
	}
	if !(o.Fleet.Speed > 0 && o.Fleet.Speed <= simfleet.MaxSpeed) {
		return fmt.Errorf("--speed: %g is not a number above 0 and up to %d, such as 60", o.Fleet.Speed, simfleet.MaxSpeed)
	}
	for _, s := range o.Fleet.Scenarios {
		if err := oneOf("scenario", s, scenarioNames()); err != nil {
			return fmt.Errorf("--scenario: %w", err)
		}
	}
	if err := o.Fleet.Check(); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	return nil
}

func runSim(ctx context.Context, f *Factory, o *simOptions) error {
	dir, err := simDir()
	if err != nil {
		return err
	}
	service := process.Service{Fleet: o.Fleet, Idle: o.Idle, Child: o.child}
	switch {
	case o.Stop:
		return process.StopBackground(ctx, f.IO, dir)
	case o.Background:
		return service.StartBackground(ctx, f.IO, dir, o.childArgs())
	}
	return service.ServeUntilIdle(ctx, f.IO, dir)
}

// simDir returns the folder of fleet records, which other commands use to find a fleet. It is private: it holds passwords.
func simDir() (string, error) {
	state, err := stateDir()
	if err != nil {
		return "", fmt.Errorf("finding a place for the demo fleet's state: %w", err)
	}
	dir := filepath.Join(state, "sim")
	err = os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.Chmod(dir, 0o700) //nolint:gosec // a directory
	}
	if err != nil {
		return "", fmt.Errorf("making a place for the demo fleet's state: %w", err)
	}
	return dir, nil
}

func (o *simOptions) childArgs() []string {
	args := []string{"sim", "--" + simChildFlag, "--idle", o.Idle.String(),
		"--speed", strconv.FormatFloat(o.Fleet.Speed, 'g', -1, 64),
		"--hosts", strconv.Itoa(o.Fleet.Hosts), "--vms", strconv.Itoa(o.Fleet.VMs)}
	if o.Fleet.Listen != "" {
		args = append(args, "--listen", o.Fleet.Listen)
	}
	for _, s := range o.Fleet.Scenarios {
		args = append(args, "--scenario", s)
	}
	return args
}

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
	child, err := process.Spawn(ctx, append(command, o.Scenarios...), os.Environ(), o.Replay)
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

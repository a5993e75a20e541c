package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/simfleet/process"
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
--stop prints the lines that unset them; evaluate these, too. Until then, only
--context and --url select another server.

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
	f.BoolVar(&o.Stop, "stop", false, "stop the fleet in the background and print how to unset its variables")
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

// asked describes the requested fleet, to distinguish it from others.
func (o *simOptions) asked() string {
	return fmt.Sprintf("listen=%s scenarios=%s speed=%g hosts=%d vms=%d idle=%s",
		o.Fleet.Listen, strings.Join(o.Fleet.Scenarios, ","), o.Fleet.Speed, o.Fleet.Hosts, o.Fleet.VMs, o.Idle)
}

func runSim(ctx context.Context, f *Factory, o *simOptions) error {
	dir, err := simDir()
	if err != nil {
		return err
	}
	switch {
	case o.Stop:
		return stopSim(ctx, f.IO, dir)
	case o.Background:
		return startSim(ctx, f.IO, dir, o)
	}
	return serveSim(ctx, f.IO, dir, o)
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

// serveSim serves the fleet until it is stopped or has been idle for too long.
func serveSim(ctx context.Context, streams *iostreams.IO, dir string, o *simOptions) error {
	log.SetOutput(io.Discard) // the simulator remarks on every wrong request
	cfg := o.Fleet
	cfg.Instance = rand.Text()
	fleet, err := simfleet.Start(cfg)
	if err != nil {
		return err
	}
	defer fleet.Close()
	r := process.Record{
		PID: os.Getpid(), Started: time.Now(), Asked: o.asked(), Endpoints: process.Places(fleet),
		KnownHosts: filepath.Join(dir, process.KnownHostsPrefix+strconv.Itoa(os.Getpid())),
	}
	if err := os.WriteFile(r.KnownHosts, knownHosts(r), 0o600); err != nil {
		return fmt.Errorf("writing the certificate's thumbprint: %w", err)
	}
	defer func() { _ = os.Remove(r.KnownHosts) }()
	if o.child {
		if err := r.Write(ctx, dir); err != nil {
			return err
		}
		defer r.Remove(dir)
	}
	fmt.Fprint(streams.Out, process.ShellLines(r))
	if o.child {
		_ = os.Stdout.Close() // signals the end of the output to the parent
	} else {
		fmt.Fprintf(streams.Err, "serving the demo fleet at %s until Ctrl-C%s\n", r.Endpoints[0].URL, o.idleWords())
	}
	if !idle(ctx, fleet, o.Idle) {
		return nil
	}
	fmt.Fprintf(streams.Err, "no request for %s: the demo fleet ends\n", o.Idle)
	return nil
}

func (o *simOptions) idleWords() string {
	if o.Idle == 0 {
		return ""
	}
	return fmt.Sprintf(", or until no request came for %s", o.Idle)
}

// idle waits until the fleet has had no request for the duration long, or until ctx ends.
func idle(ctx context.Context, fleet *simfleet.Fleet, long time.Duration) bool {
	if long == 0 {
		<-ctx.Done()
		return false
	}
	for {
		left := long - fleet.Idle()
		if left <= 0 {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(left):
		}
	}
}

// knownHosts is the certificate's thumbprint by host, as govc and vperf keep it.
func knownHosts(r process.Record) []byte {
	var b bytes.Buffer
	for _, p := range r.Endpoints {
		fmt.Fprintf(&b, "%s %s\n", p.Host, p.Thumbprint)
	}
	return b.Bytes()
}

const simLogName = "background.log"

// startSim starts this program again, detached from the terminal, and forwards its output.
func startSim(ctx context.Context, streams *iostreams.IO, dir string, o *simOptions) error {
	if r, err := process.ReadRecord(dir); err == nil && r.Alive(ctx) {
		return reuseRunning(streams, r, o)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("starting the demo fleet: finding our own program: %w", err)
	}
	logPath := filepath.Join(dir, simLogName)
	logFile, err := os.OpenFile(logPath, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("starting the demo fleet: %w", err)
	}
	defer func() { _ = logFile.Close() }()
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("starting the demo fleet: %w", err)
	}
	defer func() { _ = read.Close() }()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, o.childArgs()...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = write, logFile, dir
	process.Detach(cmd)
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		return fmt.Errorf("starting the demo fleet: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	lines, err := io.ReadAll(read)
	stop()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || len(lines) == 0 {
		return startFailed(cmd, logPath)
	}
	if _, err := streams.Out.Write(lines); err != nil {
		_ = process.Terminate(cmd.Process)
		return err
	}
	fmt.Fprintf(streams.Err, "the demo fleet runs in the background (process %d); eval \"$(vperf sim --stop)\" ends it\n", cmd.Process.Pid)
	return cmd.Process.Release()
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

// startFailed returns an error with the output of the process before it ended.
func startFailed(cmd *exec.Cmd, logPath string) error {
	_ = cmd.Wait() // how it ended is in the log
	output, _ := os.ReadFile(filepath.Clean(logPath))
	text := strings.TrimPrefix(strings.TrimSpace(string(output)), "vperf: ")
	if text == "" {
		text = "it ended without a message"
	}
	return errors.New(text)
}

// reuseRunning returns the running fleet if it is the requested one.
func reuseRunning(streams *iostreams.IO, r process.Record, o *simOptions) error {
	if r.Asked != o.asked() {
		return fmt.Errorf("%w, started with other flags; vperf sim --stop ends it", &process.RunningError{Record: r})
	}
	fmt.Fprint(streams.Out, process.ShellLines(r))
	fmt.Fprintf(streams.Err, "the demo fleet runs in the background since %s (process %d)\n", r.Started.Format(time.TimeOnly), r.PID)
	return nil
}

const stopTimeout = 5 * time.Second

// stopSim ends the background fleet. A record whose fleet does not answer is from a crash: another process may have its
// process ID by now.
func stopSim(ctx context.Context, streams *iostreams.IO, dir string) error {
	r, err := process.ReadRecord(dir)
	if err != nil {
		fmt.Fprint(streams.Out, process.StaleLines(dir)) // it ended by itself, and its variables are still there
		return err
	}
	if !r.Alive(ctx) {
		fmt.Fprint(streams.Out, process.StaleLines(dir))
		r.Remove(dir)
		_ = os.Remove(r.KnownHosts)
		return fmt.Errorf("%w; removed the leftover files of process %d", process.ErrNoRecord, r.PID)
	}
	p, err := os.FindProcess(r.PID)
	if err == nil {
		err = process.Terminate(p)
	}
	if err != nil {
		return fmt.Errorf("ending the demo fleet (process %d): %w", r.PID, err)
	}
	for began := time.Now(); r.Alive(ctx); time.Sleep(10 * time.Millisecond) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Since(began) > stopTimeout {
			return fmt.Errorf("the demo fleet (process %d) did not end within %s", r.PID, stopTimeout)
		}
	}
	r.Remove(dir)
	fmt.Fprint(streams.Out, process.UnsetLines(dir))
	fmt.Fprintf(streams.Err, "the demo fleet in the background has ended (process %d)\n", r.PID)
	return nil
}

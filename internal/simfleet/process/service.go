package process

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

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/simfleet"
)

// Service is a demo fleet that is served until it is stopped or has been idle for too long.
type Service struct {
	Fleet simfleet.Config
	Idle  time.Duration // 0: it is never idle for too long
	Child bool          // the process that StartBackground left behind
}

// asked describes the requested fleet, to distinguish it from others.
func (o Service) asked() string {
	return fmt.Sprintf("listen=%s scenarios=%s speed=%g hosts=%d vms=%d idle=%s",
		o.Fleet.Listen, strings.Join(o.Fleet.Scenarios, ","), o.Fleet.Speed, o.Fleet.Hosts, o.Fleet.VMs, o.Idle)
}

// ServeUntilIdle serves the fleet until it is stopped or has been idle for too long.
func (o Service) ServeUntilIdle(ctx context.Context, streams *iostreams.IO, dir string) error {
	log.SetOutput(io.Discard) // the simulator remarks on every wrong request
	cfg := o.Fleet
	cfg.Instance = rand.Text()
	fleet, err := simfleet.Start(cfg)
	if err != nil {
		return err
	}
	defer fleet.Close()
	r := Record{
		PID: os.Getpid(), Started: time.Now(), Asked: o.asked(), Endpoints: Places(fleet),
		KnownHosts: filepath.Join(dir, KnownHostsPrefix+strconv.Itoa(os.Getpid())),
	}
	if err := os.WriteFile(r.KnownHosts, Thumbprints(r), 0o600); err != nil {
		return fmt.Errorf("writing the certificate's thumbprint: %w", err)
	}
	defer func() { _ = os.Remove(r.KnownHosts) }()
	if o.Child {
		if err := r.Write(ctx, dir); err != nil {
			return err
		}
		defer r.Remove(dir)
	}
	fmt.Fprint(streams.Out, ShellLines(r))
	if o.Child {
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

func (o Service) idleWords() string {
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

// Thumbprints is the certificate's thumbprint by host, as govc and vperf keep it.
func Thumbprints(r Record) []byte {
	var b bytes.Buffer
	for _, p := range r.Endpoints {
		fmt.Fprintf(&b, "%s %s\n", p.Host, p.Thumbprint)
	}
	return b.Bytes()
}

const logName = "background.log"

// StartBackground starts this program again with arguments, detached from the terminal, and forwards its output.
func (o Service) StartBackground(ctx context.Context, streams *iostreams.IO, dir string, args []string) error {
	if r, err := ReadRecord(dir); err == nil && r.Alive(ctx) {
		return reuseRunning(streams, r, o)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("starting the demo fleet: finding our own program: %w", err)
	}
	logPath := filepath.Join(dir, logName)
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
	cmd := exec.CommandContext(context.WithoutCancel(ctx), self, args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = write, logFile, dir
	Detach(cmd)
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
		_ = Terminate(cmd.Process)
		return err
	}
	fmt.Fprintf(streams.Err, "the demo fleet runs in the background (process %d); eval \"$(vperf sim --stop)\" ends it\n", cmd.Process.Pid)
	return cmd.Process.Release()
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
func reuseRunning(streams *iostreams.IO, r Record, o Service) error {
	if r.Asked != o.asked() {
		return fmt.Errorf("%w, started with other flags; vperf sim --stop ends it", &RunningError{Record: r})
	}
	fmt.Fprint(streams.Out, ShellLines(r))
	fmt.Fprintf(streams.Err, "the demo fleet runs in the background since %s (process %d)\n", r.Started.Format(time.TimeOnly), r.PID)
	return nil
}

// stopTimeout is how long a fleet may take to end.
const stopTimeout = 5 * time.Second

// StopBackground ends the background fleet. A record whose fleet does not answer is from a crash: another process may have its
// process ID by now.
func StopBackground(ctx context.Context, streams *iostreams.IO, dir string) error {
	r, err := ReadRecord(dir)
	if err != nil {
		fmt.Fprint(streams.Out, RestoreLines(dir)) // it ended by itself, and its variables are still there
		return err
	}
	if !r.Alive(ctx) {
		fmt.Fprint(streams.Out, RestoreLines(dir))
		r.Remove(dir)
		_ = os.Remove(r.KnownHosts)
		return fmt.Errorf("%w; removed the leftover files of process %d", ErrNoRecord, r.PID)
	}
	p, err := os.FindProcess(r.PID)
	if err == nil {
		err = Terminate(p)
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
	fmt.Fprint(streams.Out, RestoreLines(dir))
	fmt.Fprintf(streams.Err, "the demo fleet in the background has ended (process %d)\n", r.PID)
	return nil
}

// Package process runs the demo fleet in a process of its own: as the child of a command, or in the background.
package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/vperf/vperf/internal/simfleet"
)

// A command runs the fleet in a process of its own, so that a request that crashes the simulator does not end the command. The
// two communicate through pipes. The child writes one line with its address and account; the parent keeps the child's standard
// input open as long as it needs the fleet. The system closes it when the parent ends for any reason, so the child never stays
// behind.

const (
	greetingLimit   = 1 << 20
	greetingTimeout = 20 * time.Second
	exitTimeout     = 3 * time.Second
	stderrLimit     = 4096
)

// greeting is the line that a child writes when it is ready.
type greeting struct {
	URL         string `json:"url"`
	User        string `json:"user"`
	Password    string `json:"password"`
	Certificate string `json:"certificate"`
}

// Serve is the child's side: it starts the fleet's vCenter, writes the greeting to out and serves until in ends. Meanwhile it
// silences the process's standard logger, to which the simulator writes on every invalid request, and leaves Ctrl-C to the
// parent, which may still need the fleet to finish.
func Serve(in io.Reader, out io.Writer, cfg simfleet.Config) error {
	return serve(in, out, cfg, func(string) error { return nil })
}

// serve hands each line that the parent sends to obey.
func serve(in io.Reader, out io.Writer, cfg simfleet.Config, apply func(line string) error) error {
	cfg.VCenterOnly = true
	before := log.Writer()
	log.SetOutput(io.Discard)
	defer log.SetOutput(before)
	signal.Ignore(os.Interrupt)
	defer signal.Reset(os.Interrupt)
	signals := make(chan os.Signal, 1) // from here on, because the fleet has files to remove as soon as it starts
	signal.Notify(signals, syscall.SIGTERM)
	defer signal.Stop(signals)

	f, err := simfleet.Start(cfg)
	if err != nil {
		return err
	}
	defer f.Close()
	hello := greeting{URL: f.URL().String(), User: f.User(), Password: f.Password(), Certificate: string(f.CertificatePEM())}
	if err := json.NewEncoder(out).Encode(hello); err != nil {
		return fmt.Errorf("telling the parent where the demo fleet is: %w", err)
	}
	return untilEnd(in, signals, apply)
}

// untilEnd obeys the parent until in ends or the process is told to end.
func untilEnd(in io.Reader, signals <-chan os.Signal, apply func(line string) error) error {
	ended := make(chan error, 1)
	go func() { ended <- applyAll(in, apply) }()
	select {
	case <-signals:
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("waiting for the parent to finish: %w", err)
		}
	}
	return nil
}

func applyAll(in io.Reader, apply func(line string) error) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if err := apply(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Child is a demo fleet in a process of its own.
type Child struct {
	URL            *url.URL
	User, Password string
	CertificatePEM []byte
	Replay         *Replay // of a child that is behind

	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Closer
	stderr *tail
	exited chan struct{} // closed once the process is gone
	close  sync.Once
}

// Spawn runs command, which has to call Serve or, with a time behind, ServeReplay with the same time, and waits until its fleet is
// ready. env is the child's whole environment; nil is the parent's. ctx limits the start only: the fleet lives until Close, or until
// this process ends.
func Spawn(ctx context.Context, command, env []string, behind time.Duration) (*Child, error) {
	c, stdout, err := spawn(ctx, command, env)
	if err != nil {
		return nil, fmt.Errorf("starting the demo fleet: %w", err)
	}
	if behind > 0 {
		c.Replay = newReplay(c.stdin, stdout, behind)
	}
	return c, nil
}

func spawn(ctx context.Context, command, env []string) (*Child, *os.File, error) {
	if len(command) == 0 {
		return nil, nil, errors.New("no command to run it with")
	}
	ctx, cancel := context.WithTimeout(ctx, greetingTimeout)
	defer cancel()
	c := &Child{cmd: exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...), stderr: &tail{}, exited: make(chan struct{})}
	c.cmd.Env, c.cmd.Stderr = env, c.stderr
	c.cmd.WaitDelay = exitTimeout // in case another process has inherited its standard error
	tieToParent(c.cmd)
	stdout, err := c.start()
	if err != nil {
		return nil, nil, err
	}
	c.stdout = stdout
	hello, err := readGreeting(ctx, stdout)
	if err == nil {
		err = c.accept(hello)
	}
	if err != nil {
		c.kill()
		return nil, nil, c.explain(err)
	}
	return c, stdout, nil
}

// start runs the process and watches for its end. It creates the pipe for the greeting itself: exec's pipe is closed when the
// process ends, read or not.
func (c *Child) start() (*os.File, error) {
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.cmd.Stdout = theirs
	err = startTied(c.cmd, c.exited)
	_ = theirs.Close()
	if err != nil {
		_ = stdout.Close()
		return nil, err
	}
	return stdout, nil
}

// readGreeting reads one line of limited length until ctx ends.
func readGreeting(ctx context.Context, r io.Reader) (greeting, error) {
	type result struct {
		hello greeting
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var res result
		line, err := bufio.NewReader(io.LimitReader(r, greetingLimit)).ReadBytes('\n')
		if err != nil {
			res.err = fmt.Errorf("it ended before it served: %w", err)
		} else if err := json.Unmarshal(line, &res.hello); err != nil {
			res.err = fmt.Errorf("reading its greeting: %w", err)
		}
		done <- res
	}()
	select {
	case res := <-done:
		return res.hello, res.err
	case <-ctx.Done():
		return greeting{}, fmt.Errorf("waiting for its greeting: %w", ctx.Err())
	}
}

func (c *Child) accept(hello greeting) error {
	u, err := url.Parse(hello.URL)
	if err != nil || u.Host == "" || hello.Password == "" || hello.Certificate == "" {
		return errors.New("its greeting is incomplete")
	}
	c.URL, c.User, c.Password, c.CertificatePEM = u, hello.User, hello.Password, []byte(hello.Certificate)
	return nil
}

// explain adds the child's output to its error.
func (c *Child) explain(err error) error {
	if said := c.stderr.String(); said != "" {
		return fmt.Errorf("%w; it said: %s", err, said)
	}
	return err
}

// Close ends the fleet and waits until its process has ended.
func (c *Child) Close() {
	c.close.Do(func() {
		_ = c.stdin.Close()
		select {
		case <-c.exited:
		case <-time.After(exitTimeout):
			c.kill()
		}
		_ = c.stdout.Close()
	})
}

// kill ends the process immediately.
func (c *Child) kill() {
	_ = c.stdin.Close()
	_ = c.cmd.Process.Kill()
	<-c.exited
	_ = c.stdout.Close()
}

// tail keeps the end of the data written to it.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(p)
	if over := t.buf.Len() - stderrLimit; over > 0 {
		t.buf.Next(over)
	}
	return len(p), nil
}

// String returns the data kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.buf.String())
}

// Package cli is vperf's command line: one file a command, one place that turns errors into exit codes.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/source"
)

// Main runs vperf with the process's own streams and environment and returns its exit code.
func Main(args []string) int {
	// A reader that goes away ends the output, not the process: sessions are still closed.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := withEndSignals(context.Background())
	defer stop()
	return run(ctx, NewFactory(iostreams.System()), args)
}

// endSignals are the signals that ask us to end: Ctrl-C, kill, and a terminal that is closed unless nohup has it ignored.
func endSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// withEndSignals is a context that the signals of endings end. The first Ctrl-C only ends watches that have measured enough. Until stop
// is called.
func withEndSignals(from context.Context) (ctx context.Context, stop func()) {
	ctx, early := source.WithEarlyStop(from)
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals()...)
	go func() {
		for {
			select {
			case s := <-signals:
				if s == os.Interrupt && early.Stop() {
					continue
				}
				signal.Stop(signals) // a second one ends the process at once
				cancel()
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}

// holdSignals has the second signal not end the process: it calls warn, and only the third one ends the process. It is for commands that
// restore values after the first one. Until stop is called.
func holdSignals(warn func()) (stop func()) {
	signals, done := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, endSignals()...)
	go func() {
		for n := 1; ; n++ {
			select {
			case <-signals: // withEndSignals gets the first one, too
			case <-done:
				return
			}
			if n == 2 {
				warn()
				signal.Stop(signals)
				return
			}
		}
	}()
	return sync.OnceFunc(func() { signal.Stop(signals); close(done) })
}

func run(ctx context.Context, f *Factory, args []string) int {
	root := newRoot(f)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = f.IO.WriteError()
	}
	switch {
	case errors.Is(err, errEnded):
		err = nil
	case ctx.Err() != nil && !isVerdict(err) && !errors.Is(err, source.ErrInterrupted),
		err == nil && source.StoppedEarly(ctx):
		err = source.ErrInterrupted
	}
	if f.calls != nil {
		f.calls.Total()
	}
	code := conclude(f.IO, err)
	if code == exitUsage {
		printOrigin(f.IO, f.settings, err.Error())
	}
	return code
}

// argsAreUsage makes every command's complaint about its arguments a usage error with the command's own help.
func argsAreUsage(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error { return usage(check(c, args), c) }
	}
	for _, sub := range c.Commands() {
		argsAreUsage(sub)
	}
}

// flagHint adds a hint for users who type -json, as for Go's own flags and govc.
func flagHint(c *cobra.Command, err error) error {
	if name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --"); unknown {
		return suggestCommands(c, name, err)
	}
	_, typed, found := strings.Cut(err.Error(), " in -")
	if !found || !strings.HasPrefix(err.Error(), "unknown shorthand flag") {
		return valueHint(c, err)
	}
	name, _, _ := strings.Cut(typed, "=")
	switch {
	case name == "json":
		return errors.New("unknown flag -json: write -o json")
	case c.Flags().Lookup(name) != nil:
		return fmt.Errorf("unknown flag -%s: long flags take two dashes, --%s", name, typed)
	}
	return err
}

// suggestCommands adds to err the commands that have a flag that c does not have.
func suggestCommands(c *cobra.Command, name string, err error) error {
	var others []string
	for _, other := range c.Root().Commands() {
		if other.IsAvailableCommand() && other.Flags().Lookup(name) != nil {
			others = append(others, other.Name())
		}
	}
	if instead := flagsOfOthers[name]; instead != "" && len(others) == 0 {
		return fmt.Errorf("%w: %s", err, instead)
	}
	if len(others) == 0 {
		return err
	}
	return fmt.Errorf("%w; there is one of %s", err, strings.Join(others, ", "))
}

// flagsOfOthers are flags that govc, kubectl and other tools have, and what to type instead.
var flagsOfOthers = map[string]string{
	"json": "write -o json", "yaml": "write -o yaml", "format": "write -o FORMAT", "csv": "write -o csv", "markdown": "write -o md", "html": "vperf report writes HTML",
	"user": "write --username", "login": "write --username",
	"password": "other users of this machine could read it; use --password-file, VPERF_PASSWORD or vperf context add",
	"server":   "write --url", "vcenter": "write --url", "host": "write the host as an argument", "hosts": "write the hosts as arguments",
	"insecure-skip-tls-verify": "write --insecure", "no-color": "write --color never", "no-colour": "write --color never", "colour": "write --color",
	"debug": "write --verbose", "trace": "write --verbose", "dry-run": "vperf plan shows the changes", "check": "vperf plan shows the changes",
	"file": "write --from FILE for a snapshot", "input": "write --from FILE for a snapshot", "output-file": "write -o FORMAT=FILE", "out-file": "write -o FORMAT=FILE",
	"vms": "write --vm", "clusters": "write --cluster", "id": "write --rule", "tags": "write --category", "min-severity": "write --severity",
	"duration": "write --for", "timeout": "write --for for the time to measure", "samples": "write --for", "force": "vperf never skips its checks; --yes answers its question",
}

// valueHint distinguishes -demo, which parses as -d emo, from a wrong value, and adds the format of numbers and times.
func valueHint(c *cobra.Command, err error) error {
	var value, names string
	if n, _ := fmt.Sscanf(err.Error(), "invalid argument %q for %q flag:", &value, &names); n < 2 {
		return err
	}
	short, long, _ := strings.Cut(names, ", ")
	flag := c.Flags().Lookup(strings.TrimLeft(names[max(0, strings.Index(names, "--")):], "-"))
	meant, _, _ := strings.Cut(strings.TrimPrefix(short, "-")+value, "=")
	switch {
	case flag == nil:
	case long != "" && c.Flags().Lookup(meant) != nil:
		return fmt.Errorf("unknown flag -%s: long flags take two dashes, --%s", meant, strings.TrimPrefix(short, "-")+value)
	case flag.Value.Type() == "int", flag.Value.Type() == "float64":
		return fmt.Errorf("--%s: %q is not a number", flag.Name, value)
	case flag.Value.Type() == "duration":
		return fmt.Errorf("--%s: %q is not a duration: write for example 5m or 90s", flag.Name, value)
	}
	if _, why, _ := strings.Cut(err.Error(), " flag: "); flag != nil && why != "" && !strings.HasPrefix(why, "strconv.") {
		return fmt.Errorf("--%s: %s", flag.Name, why)
	}
	return err
}

// colourFlag hands --color to the streams as soon as it is read.
type colourFlag struct {
	io   *iostreams.IO
	when string
}

func (c *colourFlag) Set(s string) error {
	c.when = s
	return c.io.SetColor(s)
}

func (*colourFlag) Type() string     { return "when" }
func (c *colourFlag) String() string { return cmp.Or(c.when, "auto") }

package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// radius is how much --yes covers. Who is asked sees what is going to be changed and needs no limit.
type radius struct{ Hosts, VMs int }

func (r *radius) addFlags(c *cobra.Command) {
	c.Flags().IntVar(&r.Hosts, "max-hosts", 1, "--yes covers a plan that changes so `MANY` hosts (what is no VM counts as a host)")
	c.Flags().IntVar(&r.VMs, "max-vms", 10, "--yes covers a plan that changes so `MANY` VMs")
	config.OnlyTyped(c.Flags(), "max-hosts", "max-vms")
}

// covers refuses a plan that is too large to be made without anybody looking.
func (r radius) covers(plan *tuning.Plan) error {
	hosts, vms := plan.Radius()
	var why []string
	if hosts > r.Hosts {
		what := counted(hosts, "host")
		if kinds := notHosts(plan); kinds != nil {
			what += " (what is no VM counts as one: " + strings.Join(kinds, ", ") + ")"
		}
		why = append(why, fmt.Sprintf("the plan changes %s, and --yes covers %d: say --max-hosts %d", what, r.Hosts, hosts))
	}
	if vms > r.VMs {
		why = append(why, fmt.Sprintf("the plan changes %s, and --yes covers %d: say --max-vms %d", counted(vms, "VM"), r.VMs, vms))
	}
	if why == nil {
		return nil
	}
	return &tuning.RefusedError{Why: why}
}

// windowOpen refuses to ask for what could not begin.
func windowOpen(t tuning.Terms) error {
	if now := time.Now(); t.Window != nil && !t.Window.Contains(now) {
		return &tuning.RefusedError{Why: []string{fmt.Sprintf("the window %s is closed, it is %s", t.Window, now.Format("15:04"))}}
	}
	return nil
}

// errTerminal is what who cannot be asked has to type.
func errTerminal() error {
	return &tuning.RefusedError{Why: []string{"nobody can be asked, for standard input is no terminal: --yes agrees to what is shown above"}}
}

// ask wants the word yes, in full.
func ask(ctx context.Context, streams *iostreams.IO, question string) error {
	if !streams.InTTY() {
		return errTerminal()
	}
	fmt.Fprintf(streams.Err, "\n%s Type yes: ", question)
	answer := make(chan string, 1)
	go func() { answer <- firstLine(streams.In) }()
	select {
	case <-ctx.Done(): // the reader waits on, and ends with the process
		return ctx.Err()
	case line := <-answer:
		if strings.TrimSpace(line) != "yes" {
			return &tuning.RefusedError{Why: []string{"declined: nothing was changed"}}
		}
		return nil
	}
}

// firstLine reads a line and nothing behind it, which may be the answer to another question.
func firstLine(in io.Reader) string {
	var line []byte
	for b := make([]byte, 1); ; {
		if _, err := in.Read(b); err != nil || b[0] == '\n' {
			return string(line)
		}
		line = append(line, b[0])
	}
}

// onErr is the terminal that messages go to.
func onErr(streams *iostreams.IO) report.Terminal {
	if !streams.ErrTTY() {
		return report.Terminal{}
	}
	return report.Terminal{Width: streams.Width(), Style: streams.StyleOut()}
}

// notHosts names what counts as a host and is none.
func notHosts(plan *tuning.Plan) []string {
	var all []string
	for _, s := range plan.Steps {
		name := fmt.Sprintf("%s %s", s.Target.Kind, s.Target.Name)
		if s.Target.Kind != inventory.ScopeHost && s.Target.Kind != inventory.ScopeVM && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

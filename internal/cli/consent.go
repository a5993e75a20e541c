package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/tuning"
)

// radius is how much --yes covers. Who is asked sees what is going to be changed and needs no limit.
type radius struct{ Hosts, VMs int }

func (r *radius) addFlags(c *cobra.Command) {
	c.Flags().IntVar(&r.Hosts, "max-hosts", 1, "--yes covers a plan that changes so `MANY` hosts (clusters and switches count as hosts)")
	c.Flags().IntVar(&r.VMs, "max-vms", 10, "--yes covers a plan that changes so `MANY` VMs")
}

// covers refuses a plan that is too large to be made without anybody looking.
func (r radius) covers(plan *tuning.Plan) error {
	hosts, vms := plan.Radius()
	var why []string
	if hosts > r.Hosts {
		why = append(why, fmt.Sprintf("the plan changes %s, and --yes covers %d: say --max-hosts %d", counted(hosts, "host"), r.Hosts, hosts))
	}
	if vms > r.VMs {
		why = append(why, fmt.Sprintf("the plan changes %s, and --yes covers %d: say --max-vms %d", counted(vms, "VM"), r.VMs, vms))
	}
	if why == nil {
		return nil
	}
	return &tuning.RefusedError{Why: why}
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

// extent is what a plan changes, for a question.
func extent(plan *tuning.Plan) string {
	changes := 0
	for _, s := range plan.Steps {
		changes += len(s.Changes)
	}
	hosts, vms := plan.Radius()
	var objects []string
	if hosts > 0 {
		objects = append(objects, counted(hosts, "host"))
	}
	if vms > 0 {
		objects = append(objects, counted(vms, "VM"))
	}
	what := "this change"
	if changes > 1 {
		what = fmt.Sprintf("these %d changes", changes)
	}
	return what + " to " + strings.Join(objects, " and ")
}

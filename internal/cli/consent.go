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
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/waiting"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// changeLimit limits the hosts and VMs that --yes covers. A user at a prompt sees the changes and needs no limit.
type changeLimit struct{ Hosts, VMs int }

func (r *changeLimit) addFlags(c *cobra.Command) {
	c.Flags().IntVar(&r.Hosts, "max-hosts", 1, "maximum `COUNT` of hosts to change with --yes (clusters, pools and datastores count as hosts)")
	c.Flags().IntVar(&r.VMs, "max-vms", 10, "maximum `COUNT` of VMs to change with --yes")
	config.OnlyTyped(c.Flags(), "max-hosts", "max-vms")
}

// check refuses a plan that is too large to be made without anybody looking.
func (r changeLimit) check(plan *tuning.Plan) error {
	hosts, vms := plan.ObjectCounts()
	var why []string
	if hosts > r.Hosts {
		what := plural.Count(hosts, "host")
		if kinds := otherObjects(plan); kinds != nil {
			what += " (these count as hosts: " + strings.Join(kinds, ", ") + ")"
		}
		why = append(why, fmt.Sprintf("the plan changes %s, and --yes covers only %d: add --max-hosts %d", what, r.Hosts, hosts))
	}
	if vms > r.VMs {
		why = append(why, fmt.Sprintf("the plan changes %s, and --yes covers only %d: add --max-vms %d", plural.Count(vms, "VM"), r.VMs, vms))
	}
	if why == nil {
		return nil
	}
	return &tuning.RefusedError{Why: why}
}

// windowOpen returns an error if a run could not begin now, so that vperf does not ask for confirmation in vain.
func windowOpen(t tuning.Options) error {
	if now := time.Now(); t.Window != nil && !t.Window.Contains(now) {
		return &tuning.RefusedError{Why: []string{fmt.Sprintf("outside the window %s: it is %s", t.Window, now.Format("15:04"))}}
	}
	return nil
}

// errTerminal returns the error that tells a non-interactive user which flag to type.
func errTerminal() error {
	return &tuning.RefusedError{Why: []string{"cannot ask for confirmation, because standard input is not a terminal: --yes confirms the changes shown above"}}
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

// otherObjects names what counts as a host and is none.
func otherObjects(plan *tuning.Plan) []string {
	var all []string
	for _, s := range plan.Steps {
		name := fmt.Sprintf("%s %s", s.Target.Kind, s.Target.Name)
		if s.Target.Kind != inventory.ScopeHost && s.Target.Kind != inventory.ScopeVM && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// approvalOptions hold what the user permits besides the changes themselves. The apply and rollback commands share them.
type approvalOptions struct {
	Yes            bool
	Reason, Ticket string
	Window         string
	Allow          []string
	Batch          int
}

// Values of --allow.
const (
	allowPowerCycle = "power-cycle"
	allowHostReboot = "host-reboot"
)

func (o *approvalOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.BoolVarP(&o.Yes, "yes", "y", false, "do not ask for confirmation")
	f.StringVar(&o.Reason, "reason", "", "reason `TEXT`, for the journal and vCenter events")
	f.StringVar(&o.Ticket, "ticket", "", "ticket `NUMBER`, for the journal and vCenter events")
	f.StringVar(&o.Window, "window", "", "start steps only within this `TIME` of day, such as 22:00-04:00")
	f.StringSliceVar(&o.Allow, "allow", nil, "permit these disruptive `ACTIONS`: power-cycle, host-reboot; may be repeated")
	f.IntVar(&o.Batch, "batch", 0, "`COUNT` of objects to change between two health checks (default 5)")
	config.OnlyTyped(f, "yes", "allow", "batch")
	config.OwnName(f, "batch")
	completeWords(c, map[string][]string{"allow": {allowPowerCycle, allowHostReboot}})
}

func (o *approvalOptions) check() error {
	for _, word := range o.Allow {
		if err := oneOf("permission", word, []string{allowPowerCycle, allowHostReboot}); err != nil {
			return fmt.Errorf("--allow: %w", err)
		}
	}
	if o.Batch < 0 {
		return fmt.Errorf("--batch: %d is negative", o.Batch)
	}
	_, err := o.window()
	return err
}

func (o *approvalOptions) window() (*tuning.Window, error) {
	if o.Window == "" {
		return nil, nil //nolint:nilnil // no window is any time
	}
	w, err := tuning.ParseWindow(o.Window)
	if err != nil {
		return nil, fmt.Errorf("--window: %w", err)
	}
	return w, nil
}

// options returns the permissions of the run for package tuning, and the account that gave them.
func (o *approvalOptions) options(f *Factory, account string) (tuning.Options, error) {
	window, err := o.window()
	return tuning.Options{
		User: whoRuns(account), Version: thisVersion().Version, Reason: o.Reason, Ticket: o.Ticket, Window: window, Batch: o.Batch,
		PowerCycle: slices.Contains(o.Allow, allowPowerCycle), HostReboot: slices.Contains(o.Allow, allowHostReboot),
		Hints: tuning.Hints{
			PowerCycle: "--allow " + allowPowerCycle + " shuts it down and starts it again",
		},
		OnProgress: func(p tuning.Progress) { printProgress(f.IO, p) },
	}, err
}

// printProgress prints the latest progress, so that the screen is not silent while hosts change.
func printProgress(io *iostreams.IO, p tuning.Progress) {
	text := p.Text
	if !strings.Contains(text, p.Target.Name) {
		text = p.Target.Name + ": " + text
	}
	if p.Step > 0 {
		text = fmt.Sprintf("step %d  %s", p.Step, text)
	}
	fmt.Fprintln(io.Err, iostreams.Sanitize(text))
}

// restartList are the VMs and hosts that a run may shut down and start again under its permissions.
type restartList struct{ vms, hosts []string }

// add adds the outage that one change needs.
func (r *restartList) add(t tuning.Options, target tuning.Target, needs inventory.Activation) {
	switch needs {
	case inventory.ActivationPowerCycle, inventory.ActivationPowerOff:
		if t.PowerCycle && target.Kind == inventory.ScopeVM && !slices.Contains(r.vms, target.Name) {
			r.vms = append(r.vms, target.Name)
		}
	case inventory.ActivationHostReboot, inventory.ActivationDriverReload:
		if t.HostReboot && target.Kind == inventory.ScopeHost && !slices.Contains(r.hosts, target.Name) {
			r.hosts = append(r.hosts, target.Name)
		}
	}
}

func restartsOf(p *tuning.Plan, t tuning.Options) restartList {
	var r restartList
	for _, s := range p.Steps {
		for _, c := range s.Changes {
			r.add(t, s.Target, c.Activation)
		}
	}
	return r
}

// rollbackRestarts returns the outages of a rollback of run. The plan records what each change needs.
func rollbackRestarts(run *tuning.Run, t tuning.Options) restartList {
	var r restartList
	if run.Plan == nil {
		return r
	}
	for i := range run.Results {
		result := &run.Results[i]
		if !waiting.MayHaveWritten(result) || result.State == tuning.StateUndone && result.Waits == "" {
			continue
		}
		for _, s := range run.Plan.Steps {
			for _, c := range s.Changes {
				if s.ID == result.Step && c.Key() == result.Key() {
					r.add(t, s.Target, c.Activation)
				}
			}
		}
	}
	return r
}

// print prints the VMs and hosts that may restart, so that no restart comes as a surprise.
func (r restartList) print(streams *iostreams.IO) {
	if len(r.vms) > 0 {
		fmt.Fprintln(streams.Err, iostreams.Sanitize(fmt.Sprintf("may be shut down and started again (--allow %s): %s", allowPowerCycle, strings.Join(r.vms, ", "))))
	}
	if len(r.hosts) > 0 {
		fmt.Fprintln(streams.Err, iostreams.Sanitize(fmt.Sprintf("may enter maintenance mode and restart, one after the other (--allow %s): %s", allowHostReboot, strings.Join(r.hosts, ", "))))
	}
}

// text end a question.
func (r restartList) text() string {
	var all []string
	if n := len(r.vms); n > 0 {
		all = append(all, plural.Count(n, "VM"))
	}
	if n := len(r.hosts); n > 0 {
		all = append(all, plural.Count(n, "host"))
	}
	if all == nil {
		return ""
	}
	return ", restarting up to " + strings.Join(all, " and ")
}

package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/cli/inforce"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/doctor"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/typed"
)

// doctorOptions are the options of `vperf doctor`.
type doctorOptions struct {
	Source   sourceOptions
	Timeout  time.Duration
	Output   string
	Commands []string
}

// helpWidth is the width of the texts of help.
const helpWidth = 78

func newDoctor(f *Factory) *cobra.Command {
	o := new(doctorOptions)
	c := &cobra.Command{
		Use:   "doctor [COMMAND...]",
		Short: "Check whether vperf will work with your servers and account",
		Long: `Checks connection, certificate, login, release, clock, counters, REST and the
account's privileges, and says for each command whether it will work. What is
missing is named, with the govc commands that grant it. It changes nothing, logs
in once with the password, and logs out again.

With COMMANDs, only these have to work:
` + strings.Join(wordsIn(strings.Join(slices.Sorted(maps.Keys(doctor.Names())), ", "), helpWidth), "\n") + `.

Privileges are checked on everything that the account sees except VMs, which
have those of their folders. vperf plan checks each object that it would change.

Exit status: 0 all commands will work, 2 wrong usage or config, 4 something will
not work or could not be checked.`,
		Example: `  vperf doctor --demo
  vperf doctor audit top --context prod
  vperf doctor -u https://esxi.example.com --username root
  vperf doctor --all-contexts -o json`,
	}
	c.ValidArgs = slices.Sorted(maps.Keys(doctor.Names()))
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := o.choose(args); err != nil {
			return usage(err, c)
		}
		return runDoctor(c.Context(), f, o)
	}
	o.Source.addFlags(c, false)
	c.Flags().DurationVar(&o.Timeout, "timeout", doctor.DefaultLimit, "maximum `DURATION` of the checks of a server")
	config.OwnName(c.Flags(), "timeout")
	textOrData(f, c, &o.Output, "text")
	return c
}

// choose reads the commands that have to work.
func (o *doctorOptions) choose(args []string) error {
	if o.Timeout <= 0 {
		return fmt.Errorf("--timeout: %s is not above 0", o.Timeout)
	}
	if err := o.Source.check(); err != nil {
		return err
	}
	names := doctor.Names()
	for _, a := range args {
		if names[a] == "" {
			return oneOf("command that needs a server", a, slices.Sorted(maps.Keys(names)))
		}
		o.Commands = append(o.Commands, names[a])
	}
	return nil
}

func runDoctor(ctx context.Context, f *Factory, o *doctorOptions) error {
	r, err := o.examine(ctx, f)
	if err != nil {
		return err
	}
	if o.Output == "json" {
		err = report.DoctorJSON(f.IO.Out, r)
	} else {
		err = terminal(f).Show(f.IO.Out, report.Doctor(r))
	}
	if err != nil {
		return err
	}
	switch r.Status {
	case doctor.Fail:
		return &undecidedError{"something will not work: see the results with status fail"}
	case doctor.Unknown:
		return &undecidedError{"something could not be checked: see the results with status unknown"}
	}
	return nil
}

// examine checks this machine and the servers.
func (o *doctorOptions) examine(ctx context.Context, f *Factory) (r doctor.Report, err error) {
	machine, err := thisMachine()
	if err != nil {
		return r, usage(err, o.Source.command)
	}
	inputs, done, err := o.inputs(ctx, f)
	if err != nil {
		return r, err
	}
	defer done()
	servers := make([]doctor.Server, len(inputs))
	p := f.IO.StartProgress("checking")
	var all sync.WaitGroup
	for i, in := range inputs {
		in.Commands, in.Limit = o.Commands, o.Timeout
		all.Go(func() { servers[i] = doctor.Run(ctx, in) })
	}
	all.Wait()
	p.Done()
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	return doctor.NewReport(machine.Now, machine.Check(), servers), nil
}

// inputs returns the servers to check. The caller calls done after the checks.
func (o *doctorOptions) inputs(ctx context.Context, f *Factory) (list []doctor.Input, done func(), err error) {
	if o.Source.Demo {
		return o.demoInput(ctx, f)
	}
	all, err := o.Source.servers()
	if err != nil {
		return nil, nil, err
	}
	if err := o.Source.passwords(ctx, f, all); err != nil {
		return nil, nil, err
	}
	for _, m := range all {
		list = append(list, inputOf(ctx, m))
	}
	if len(list) == 1 && len(f.typed.Server) > 0 {
		list[0].Typed = f.typed
	}
	return list, func() {}, nil
}

func (o *doctorOptions) demoInput(ctx context.Context, f *Factory) ([]doctor.Input, func(), error) {
	p := f.IO.StartProgress("starting the demo fleet")
	fleet, err := f.Demo(ctx, demoOptions{Scenarios: o.Source.Scenarios, SlowBy: o.Source.slowBy()})
	p.Done()
	if err != nil {
		return nil, nil, err
	}
	return []doctor.Input{{
		Name: "the demo fleet", Host: fleet.URL.Hostname(), User: fleet.User, Typed: f.typed,
		Target: source.Checkup{Endpoint: fleet.Endpoint},
	}}, fleet.Stop, nil
}

func inputOf(ctx context.Context, m *member) doctor.Input {
	s := m.settings
	in := doctor.Input{
		Name: m.endpoint.URL.Host, Host: m.endpoint.URL.Hostname(), Context: s.Context, User: m.endpoint.User, Notes: s.Notes,
		NoPassword: m.failed, Ambiguous: s.Unambiguous(), Target: source.Checkup{Endpoint: m.endpoint}, Typed: typed.Source{Server: []string{"--url", s.URL.Text}},
	}
	if s.Context != "" {
		in.Typed.Server = []string{"--context", s.Context}
	}
	order, values := inforce.Connection(s)
	for _, key := range order {
		if v := values[key]; v.Text != "" && v.From != "default" {
			in.Config = append(in.Config, doctor.Value{Name: key, Value: v.Text, From: v.From})
		}
	}
	from := "asked for"
	if p := s.PasswordState(ctx); p.Set || p.From != "" {
		from = p.From
	}
	in.Config = append(in.Config, doctor.Value{Name: "password", From: from})
	return in
}

// thisMachine describes the program and its files.
func thisMachine() (doctor.Machine, error) {
	file, err := config.Load()
	if err != nil {
		return doctor.Machine{}, err
	}
	m := doctor.Machine{Version: thisVersion().String(), Now: time.Now(), ConfigFile: file.Path, ConfigExists: file.Exists()}
	m.StateDir, m.StateErr = runsDir(false)
	m.Built, m.OfFile = built()
	return m, nil
}

// built returns the time of the commit that the program was built from, or else of its file.
func built() (at time.Time, ofFile bool) {
	if at, err := time.Parse(time.RFC3339, thisVersion().Date); err == nil {
		return at, false
	}
	self, err := os.Executable()
	if err != nil {
		return time.Time{}, false
	}
	info, err := os.Stat(self)
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

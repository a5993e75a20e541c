package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// sourceOptions says where facts come from; every reading command has them.
type sourceOptions struct {
	Demo        bool
	Scenarios   []string
	From        string
	Contexts    []string
	AllContexts bool
	Connection  config.Flags

	command *cobra.Command // whose --help says more
	one     bool           // several servers are too many
	writes  bool           // the command changes the server
}

func (o *sourceOptions) addFlags(c *cobra.Command, fromFile bool) {
	o.command = c
	f := c.Flags()
	f.BoolVar(&o.Demo, "demo", false, "read the built-in demo fleet")
	f.StringSliceVar(&o.Scenarios, "scenario", nil, "let this go wrong in the demo fleet: the `NAME` of a scenario (see vperf sim --help)")
	if fromFile {
		f.StringVar(&o.From, "from", "", "read a saved snapshot `FILE` (- is standard input)")
	}
	f.StringSliceVar(&o.Contexts, "context", nil, "read the server of this `CONTEXT`; several are read at once (VPERF_CONTEXT)")
	f.BoolVar(&o.AllContexts, "all-contexts", false, "read the servers of all contexts")
	f.StringVarP(&o.Connection.URL, "url", "u", "", "vCenter or ESXi `URL` (VPERF_URL, GOVC_URL), without a password")
	f.StringVar(&o.Connection.PasswordFile, "password-file", "", "the password is the first line of this `FILE` (- is standard input)")
	f.BoolVarP(&o.Connection.Insecure, "insecure", "k", false, "accept any certificate (GOVC_INSECURE)")
	f.StringVar(&o.Connection.Thumbprint, "thumbprint", "", "accept only the certificate with this `DIGEST` (SHA-1 or SHA-256)")
	completeFlag(c, "context", completeContexts)
	completeWords(c, map[string][]string{"scenario": stringsOf(scenarioNames())})
}

// check refuses combinations that cannot be meant.
func (o *sourceOptions) check() error {
	given := 0
	for _, yes := range []bool{o.Demo, o.From != "", o.Connection.URL != "", len(o.Contexts) > 0, o.AllContexts} {
		if yes {
			given++
		}
	}
	if given > 1 {
		return errors.New("--demo, --from, --url, --context and --all-contexts exclude each other: facts come from one place")
	}
	if len(o.Scenarios) > 0 && !o.Demo {
		return errors.New("--scenario is for the demo fleet: it goes with --demo, or with vperf sim")
	}
	for _, s := range o.Scenarios {
		if err := oneOf("scenario", s, scenarioNames()); err != nil {
			return fmt.Errorf("--scenario: %w", err)
		}
	}
	if o.Connection.Thumbprint != "" && (o.AllContexts || len(o.Contexts) > 1) {
		return errors.New("--thumbprint is one server's: vperf context add --thumbprint keeps it with each context")
	}
	if err := config.CheckThumbprint(o.Connection.Thumbprint); err != nil {
		return fmt.Errorf("--thumbprint: %w", err)
	}
	return nil
}

// opened is a source and how to be done with it.
type opened struct {
	audit.Source
	close func()
}

func (o *sourceOptions) open(ctx context.Context, f *Factory) (*opened, error) {
	switch {
	case o.From != "":
		return openSnapshot(f.IO, o.From)
	case o.Demo:
		return openDemo(ctx, f, o.Scenarios)
	}
	all, err := o.servers()
	if err != nil {
		return nil, err
	}
	if o.one && len(all) > 1 {
		return nil, usage(errOneServer, o.command)
	}
	if !o.writes {
		announceReading(f.IO, all)
	}
	for _, m := range all {
		m.warn(f.IO)
	}
	if err := o.passwords(ctx, f, all); err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return openFleet(ctx, f.IO, all)
	}
	if all[0].failed != nil {
		return nil, all[0].failed
	}
	return openServer(ctx, f.IO, all[0].endpoint)
}

// passwords are got one after the other: a person can answer one question at a time.
func (o *sourceOptions) passwords(ctx context.Context, f *Factory, all []*member) error {
	console := newConsole(f.IO)
	for _, m := range all {
		m.endpoint.Password, m.failed = m.settings.Password(ctx, console)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m.failed = usage(m.failed, o.command)
	}
	return nil
}

func newConsole(io *iostreams.IO) *config.Console {
	c := &config.Console{In: io.In}
	if io.InTTY() {
		c.Ask = config.AskOn(io.In, io.Err)
	}
	return c
}

// servers finds out which servers are meant, and who logs in there. A command that writes must not guess.
func (o *sourceOptions) servers() ([]*member, error) {
	chosen, err := o.choose()
	if err != nil {
		return nil, usage(err, o.command)
	}
	var all []*member
	for _, c := range chosen {
		m, err := resolve(o.Connection, c)
		if o.writes && m.settings != nil && m.settings.Unambiguous() != nil {
			err = m.settings.Unambiguous()
		}
		if errors.Is(err, config.ErrNoServer) {
			return nil, o.noServer(err)
		} else if err != nil {
			return nil, usage(err, o.command)
		}
		all = append(all, m)
	}
	return all, nil
}

// resolve finds out all of a server but its password.
func resolve(flags config.Flags, c config.Choice) (*member, error) {
	m := new(member)
	var err error
	if m.settings, err = config.Resolve(flags, c); err == nil {
		m.endpoint, err = m.settings.Endpoint()
	}
	return m, err
}

func (o *sourceOptions) choose() ([]config.Choice, error) {
	file, err := config.Load()
	if err != nil {
		return nil, err
	}
	return file.Choose(o.Contexts, o.AllContexts)
}

// noServer tells what else there is to read.
func (o *sourceOptions) noServer(err error) error {
	err = noServer(err)
	for _, file := range []struct{ flag, line string }{
		{"from", "  read a saved snapshot:          --from FILE"},
		{"capture", "  read a capture of esxtop:       --capture FILE"},
		{"replay", "  replay a capture of esxtop:     --replay FILE"},
	} {
		if o.command.Flags().Lookup(file.flag) != nil {
			err = fmt.Errorf("%w\n%s", err, file.line)
		}
	}
	return err
}

func noServer(err error) error {
	own := ""
	if file, failed := config.Load(); failed == nil && len(file.Contexts) > 0 {
		own = fmt.Sprintf("\n  use one of your contexts:       --context %[1]s, or vperf context use %[1]s", file.Names()[0])
	}
	return fmt.Errorf(`%w%s
  try it on the built-in fleet:   --demo
  keep your own under a name:     vperf context add prod --url https://vcenter.example.com --username …
  or name it for this shell:      export GOVC_URL=https://vcenter.example.com
                                  export GOVC_USERNAME=… GOVC_PASSWORD=…`, err, own)
}

func openServer(ctx context.Context, io *iostreams.IO, e session.Endpoint) (*opened, error) {
	p := io.StartProgress("connecting to " + e.URL.Host)
	s, err := session.Dial(ctx, e)
	p.Done()
	if err != nil {
		return nil, err
	}
	return &opened{server{session: s, io: io, account: e.User}, func() { _ = s.Close(ctx) }}, nil // a failed logout leaves a session that times out
}

func openSnapshot(streams *iostreams.IO, path string) (*opened, error) {
	in, name := streams.In, stdinFile
	if path == stdinName {
		if err := piped(streams, "--from"); err != nil {
			return nil, &usageError{err, "vperf snapshot --help"}
		}
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, &usageError{fmt.Errorf("reading snapshot: %w", err), "vperf snapshot --help"}
		}
		defer func() { _ = file.Close() }() // it was only read
		in, name = file, path
	}
	s, err := inventory.Load(in)
	if err != nil {
		if path != stdinName && isCapture(path) {
			return nil, &usageError{fmt.Errorf("%s is a capture of esxtop and no snapshot: %w", path, errTakesCaptures), "vperf advise --help"}
		}
		return nil, &usageError{fmt.Errorf("%s: %w", name, err), "vperf snapshot --help"}
	}
	return &opened{saved{s}, func() {}}, nil
}

var errTakesCaptures = errors.New("vperf advise --capture FILE reads captures")

// isCapture reports a file that begins as esxtop's batch CSV does.
func isCapture(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, 16)
	n, _ := io.ReadFull(f, head)
	return bytes.Contains(head[:n], []byte("(PDH-CSV"))
}

// server reads one endpoint.
type server struct {
	session *session.Session
	io      *iostreams.IO
	account string
	watch   counterWatch
}

// Read gets the facts from the server, with progress on a terminal.
func (s server) Read(ctx context.Context, t inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	p := s.io.StartProgress("reading")
	defer p.Done()
	v, err := read.Inventory(ctx, s.session, tree.Scope{Hosts: t.Hosts, Clusters: t.Clusters}, needs, p.Update)
	if err != nil {
		return nil, err
	}
	out := &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: v.Name, VCenters: []*inventory.VCenter{v}}
	out.Link()
	return out.Narrow(inventory.Targets{VMs: t.VMs})
}

// Fill gets what takes a call to each host.
func (s server) Fill(ctx context.Context, _ *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	p := s.io.StartProgress("asking " + counted(len(hosts), "host"))
	defer p.Done()
	return read.Fill(ctx, s.session, hosts, needs)
}

// saved is a snapshot from a file: it holds what it holds, whatever is needed.
type saved struct{ snapshot *inventory.Snapshot }

// Read narrows the snapshot to the targets.
func (s saved) Read(_ context.Context, t inventory.Targets, _ inventory.Needs) (*inventory.Snapshot, error) {
	return s.snapshot.Narrow(t)
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere"
	"github.com/vperf/vperf/pkg/inventory"
)

// sourceOptions says where facts come from; every reading command has them.
type sourceOptions struct {
	Demo       bool
	From       string
	Connection config.Flags
}

func (o *sourceOptions) addFlags(c *cobra.Command, fromFile bool) {
	f := c.Flags()
	f.BoolVar(&o.Demo, "demo", false, "read the built-in demo fleet")
	if fromFile {
		f.StringVar(&o.From, "from", "", "read a saved snapshot `FILE` (- is standard input)")
	}
	f.StringVarP(&o.Connection.URL, "url", "u", "", "vCenter or ESXi `URL` (GOVC_URL), without a password")
	f.BoolVarP(&o.Connection.Insecure, "insecure", "k", false, "accept any certificate (GOVC_INSECURE)")
	f.StringVar(&o.Connection.Thumbprint, "thumbprint", "", "accept only the certificate with this `DIGEST` (SHA-1 or SHA-256)")
}

// check refuses combinations that cannot be meant.
func (o *sourceOptions) check() error {
	given := 0
	for _, yes := range []bool{o.Demo, o.From != "", o.Connection.URL != ""} {
		if yes {
			given++
		}
	}
	if given > 1 {
		return errors.New("--demo, --from and --url exclude each other: facts come from one place")
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
		return openDemo(ctx, f)
	}
	e, err := config.Resolve(o.Connection)
	if errors.Is(err, config.ErrNoServer) {
		return nil, fmt.Errorf(`%w
  try it on the built-in fleet:   --demo
  read your own:                  export GOVC_URL=https://vcenter.example.com
                                  export GOVC_USERNAME=… GOVC_PASSWORD=…
  read a saved snapshot:          --from FILE`, err)
	} else if err != nil {
		return nil, &usageError{err, "vperf audit --help"}
	}
	return openServer(ctx, f.IO, e)
}

func openServer(ctx context.Context, io *iostreams.IO, e vsphere.Endpoint) (*opened, error) {
	p := io.StartProgress("connecting to " + e.Name)
	s, err := vsphere.Dial(ctx, e)
	p.Done()
	if err != nil {
		return nil, err
	}
	return &opened{server{s, io}, func() { _ = s.Close(ctx) }}, nil // a failed logout leaves a session that times out
}

func openSnapshot(io *iostreams.IO, path string) (*opened, error) {
	in := io.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, &usageError{fmt.Errorf("reading snapshot: %w", err), "vperf snapshot --help"}
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	s, err := inventory.Load(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &opened{saved{s}, func() {}}, nil
}

// server reads one endpoint.
type server struct {
	session *vsphere.Session
	io      *iostreams.IO
}

// Read gets the facts from the server, with progress on a terminal.
func (s server) Read(ctx context.Context, targets []string, needs inventory.Needs) (*inventory.Snapshot, error) {
	p := s.io.StartProgress("reading")
	defer p.Done()
	v, err := s.session.Read(ctx, vsphere.Scope{Hosts: targets}, needs, p.Update)
	if err != nil {
		return nil, err
	}
	out := &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: v.Name, VCenters: []*inventory.VCenter{v}}
	out.Link()
	return out, nil
}

// saved is a snapshot from a file: it holds what it holds, whatever is needed.
type saved struct{ snapshot *inventory.Snapshot }

// Read narrows the snapshot to the targets.
func (s saved) Read(_ context.Context, targets []string, _ inventory.Needs) (*inventory.Snapshot, error) {
	return s.snapshot.Narrow(targets)
}

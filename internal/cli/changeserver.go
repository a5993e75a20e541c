package cli

import (
	"context"
	"fmt"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/change"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/tuning"
)

// changeServer is a server that can be changed.
type changeServer struct {
	source  *source.Server
	estate  tuning.Estate
	server  tuning.Server
	account string
}

// close logs out.
func (c *changeServer) close() { c.source.Close() }

// connect logs in to the one server that changes are for.
func (o *sourceOptions) connect(ctx context.Context, f *Factory) (*changeServer, error) {
	o.one = true
	opened, err := o.open(ctx, f)
	if err != nil {
		return nil, err
	}
	s, ok := opened.(*source.Server)
	if !ok {
		opened.Close()
		return nil, fmt.Errorf("%T cannot be changed", opened)
	}
	c := &changeServer{source: s, account: s.Account}
	if err := c.identify(ctx, s.Session); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// identify identifies the server and passes it the protected objects of the config file.
func (c *changeServer) identify(ctx context.Context, s *session.Session) error {
	protected, err := config.Protected()
	if err != nil {
		return err
	}
	c.estate = change.Estate(s, protected...)
	c.server, err = change.Server(ctx, s)
	c.estate.Server = c.server
	return err
}

// checkOne rejects source options that do not work with a command that changes settings.
func (o *sourceOptions) checkOne() error {
	if o.AllContexts || len(o.Contexts) > 1 {
		return errOneServer
	}
	return o.check()
}

// checkWritable rejects the demo fleet: it ends with the command, and the change would be lost.
func (o *sourceOptions) checkWritable(tryIt string) error {
	if o.Demo {
		return fmt.Errorf("--demo is read-only: its fleet ends with the command. To start a fleet that keeps changes, type\n"+
			"  eval \"$(vperf sim --background)\"\n  %s\nand to stop it, eval \"$(vperf sim --stop)\"", tryIt)
	}
	return o.checkOne()
}

// connectToWrite is connect for commands that write. It refuses to guess which of two servers is meant, and prints the server
// before any request changes it.
func (o *sourceOptions) connectToWrite(ctx context.Context, f *Factory) (*changeServer, error) {
	o.writes = true
	c, err := o.connect(ctx, f)
	if err == nil {
		fmt.Fprintf(f.IO.Err, "server: %s\n", iostreams.Sanitize(describe(c.server)))
	}
	return c, err
}

// describe returns a server's name, address and product, and "sandbox" for a simulator.
func describe(s tuning.Server) string {
	text := s.Name
	if s.Address != "" && s.Address != s.Name {
		text += " (" + s.Address + ")"
	}
	if s.Product != "" {
		text += ", " + s.Product
	}
	if s.Sandbox {
		text += ", sandbox"
	}
	return text
}

// on names the server in a question about changes.
func on(s tuning.Server) string {
	text := " on " + iostreams.Sanitize(s.Name)
	if s.Sandbox {
		text += " (sandbox)"
	}
	return text
}

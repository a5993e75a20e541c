package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// demoServerCommand is the hidden command that serves the demo fleet to its parent.
const demoServerCommand = "demo-server"

// demoStarter starts the demo fleet; stop ends it.
type demoStarter func(ctx context.Context, scenarios []string) (e session.Endpoint, stop func(), err error)

// spawnDemo runs the fleet as a child: a panic in the simulator would take the whole process with it.
func spawnDemo(ctx context.Context, scenarios []string) (session.Endpoint, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return session.Endpoint{}, nil, fmt.Errorf("starting the demo fleet: finding our own program: %w", err)
	}
	child, err := simfleet.Spawn(ctx, append([]string{self, demoServerCommand}, scenarios...), os.Environ())
	if err != nil {
		return session.Endpoint{}, nil, err
	}
	return session.Endpoint{
		URL: child.URL, User: child.User, Password: session.Secret(child.Password),
		CertificatePEM: child.CertificatePEM,
	}, child.Close, nil
}

func openDemo(ctx context.Context, f *Factory, scenarios []string) (*opened, error) {
	p := f.IO.StartProgress("starting the demo fleet")
	e, stop, err := f.Demo(ctx, scenarios)
	p.Done()
	if err != nil {
		return nil, err
	}
	s, err := openServer(ctx, f.IO, e)
	if err != nil {
		stop()
		return nil, err
	}
	logout := s.close
	s.close = func() { logout(); stop() }
	return s, nil
}

func newDemoServer(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use:    demoServerCommand + " [SCENARIO...]",
		Short:  "Serve the demo fleet to the vperf that started this one",
		Hidden: true,
		RunE: func(_ *cobra.Command, scenarios []string) error {
			// Somebody who tries vperf at night wants to see a fleet at work.
			return simfleet.ServeAs(f.IO.In, f.IO.Out, simfleet.Config{Scenarios: scenarios, Zone: simfleet.MidMorning(time.Now())})
		},
	}
}

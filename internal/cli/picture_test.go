package cli

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/tools/terminalpicture/svg"
)

// TestPictureInTheReadme draws the output of vperf audit --demo on a terminal of 100 columns and compares it with the picture.
func TestPictureInTheReadme(t *testing.T) {
	proof.NotRaced(t)
	fleet, err := simfleet.Start(simfleet.Config{})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	ownHome(t)

	io, out, _ := iostreams.Test()
	io.SetTTY(false, true, false)
	io.SetWidth(100)
	f := NewFactory(io)
	f.Demo = func(context.Context, demoOptions) (*demoFleet, error) {
		return &demoFleet{Stop: func() {}, Endpoint: session.Endpoint{
			URL: fleet.URL(), User: fleet.User(), Password: session.Secret(fleet.Password()), CertificatePEM: fleet.CertificatePEM(),
		}}, nil
	}
	require.Zero(t, run(t.Context(), f, []string{"audit", "--demo"}))
	golden.Equal(t, filepath.Join("..", "..", "docs", "images", "audit.svg"), svg.Draw("vperf audit --demo", out.String()))
}

package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/advice"
)

// auditOn judges a VM with a limit, saved years ago, on a day.
func auditOn(t *testing.T, today advice.Date, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ownHome(t)
	file := filepath.Join(t.TempDir(), "fleet.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"schema": "vperf.snapshot/v1", "source": "vc", "vcenters": [{"id": "v", "name": "vc", "path": "/", "kind": "vcenter",
		"takenAt": "2020-01-01T00:00:00Z", "clusters": [], "pools": [], "switches": [],
		"hosts": [{"id": "host-1", "name": "esx", "path": "/dc/host/esx", "cpuMHz": 2600, "numaNodes": []}],
		"vms": [{"id": "vm-1", "name": "web-01", "path": "/dc/vm/web-01", "hostId": "host-1", "vcpus": 4, "powerState": "poweredOn", "template": false, "cpuLimitMHz": 1000}]}]}`), 0o600))
	io, out, errs := iostreams.Test()
	f := NewFactory(io)
	f.Today = func() advice.Date { return today }
	code = run(t.Context(), f, append([]string{"audit", "--from", file, "--rule", "cpu-limit", "--fail-on", "info"}, args...))
	return code, out.String(), errs.String()
}

// A waiver expires by the date of the audit, not by that of the facts.
func TestAWaiverHoldsToItsLastDay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.yaml")
	require.NoError(t, os.WriteFile(file, []byte("waivers: [{rule: cpu-limit, object: web-01, reason: x, until: 2027-01-31}]\n"), 0o600))
	code, stdout, stderr := auditOn(t, "2027-01-31", "--waivers", file)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "accepted until 2027-01-31: x")
	code, _, stderr = auditOn(t, "2027-02-01", "--waivers", file)
	require.Equal(t, exitFindings, code)
	require.Contains(t, stderr, "ended on 2027-01-31: 1 finding is back")
	code, _, _ = auditOn(t, "2027-01-31")
	require.Equal(t, exitFindings, code)
}

// An unreadable or unwritable baseline loses no data: vperf reports it before it contacts a server.
func TestABaselineIsWrittenWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known.json")
	code, _, stderr := auditOn(t, "2027-01-31", "--write-baseline", file)
	require.Equal(t, exitFindings, code, "a gate does not keep it from being written")
	require.FileExists(t, file, stderr)
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	code, _, _ = auditOn(t, "2027-01-31", "--baseline", file, "--write-baseline", file)
	require.Zero(t, code)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "what is known still fails, and stays in the next baseline")
}

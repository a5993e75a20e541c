package cli

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
)

// serve puts a simulator model behind HTTPS and points GOVC_* at it.
func serve(t *testing.T, m *simulator.Model) {
	t.Helper()
	log.SetOutput(io.Discard) // the simulator logs what it does not implement
	if m.Service == nil {
		require.NoError(t, m.Create())
	}
	m.Service.TLS = new(tls.Config)
	m.Service.Listen = &url.URL{Host: "127.0.0.1:0", User: url.UserPassword("audit", "pa55")}
	s := m.Service.NewServer()
	t.Cleanup(func() {
		_ = s.Config.Close() // not s.Close: it waits for aborted requests
		m.Remove()
	})
	ca := filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.TLS.Certificates[0].Certificate[0]})
	require.NoError(t, os.WriteFile(ca, cert, 0o600))
	ownHome(t)
	t.Setenv("GOVC_URL", s.URL.Host)
	t.Setenv("GOVC_USERNAME", "audit")
	t.Setenv("GOVC_PASSWORD", "pa55")
	t.Setenv("GOVC_TLS_CA_CERTS", ca)
}

// ownHome keeps a developer's contexts and sessions out of the test, and the test out of theirs.
func ownHome(t *testing.T) {
	t.Helper()
	for _, v := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "GOVMOMI_HOME"} {
		t.Setenv(v, t.TempDir())
	}
	t.Setenv("VPERF_CONFIG", "")
}

// vperf runs the command line in this process.
func vperf(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	io, out, errs := iostreams.Test()
	code = run(t.Context(), NewFactory(io), args)
	return code, out.String(), errs.String()
}

// A stock simulator represents a server without half of the data that vperf requests: vperf does not crash, and no
// unread fact passes a rule.
func TestAuditOfAStockSimulator(t *testing.T) {
	proof.NotRaced(t)
	for name, model := range map[string]func() *simulator.Model{"vpx": simulator.VPX, "esx": simulator.ESX} {
		t.Run(name, func(t *testing.T) {
			serve(t, model())
			code, stdout, stderr := vperf(t, "audit", "--all", "-o", "json")
			require.Zero(t, code, stderr)
			golden.Equal(t, "testdata/stock-"+name+".txt", digest(t, stdout))
		})
	}
}

// digest is the part of an audit for review, the outcome of each rule and every fail with its evidence, without what differs from run to run: the clock, the port and the simulator's random names.
func digest(t *testing.T, audit string) []byte {
	t.Helper()
	all, err := auditFindings([]byte(strings.ReplaceAll(audit, os.Getenv("GOVC_URL"), "stock.example.com")))
	require.NoError(t, err)
	lines := map[string]int{}
	for _, f := range all {
		lines[f.Rule+" "+f.Outcome]++
		switch {
		case f.Outcome == "fail":
			var evidence bytes.Buffer
			require.NoError(t, json.Compact(&evidence, f.Evidence))
			lines[fmt.Sprintf("%s fail: %s %s %s", f.Rule, f.Severity, f.Object.Name, &evidence)]++
		case f.Outcome == "not-applicable" && f.Reason != "":
			lines[fmt.Sprintf("%s not-applicable: %s", f.Rule, strings.ReplaceAll(f.Reason, f.Object.Name, "it"))]++
		}
	}
	var b bytes.Buffer
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&b, "%4d %s\n", lines[line], line)
	}
	return b.Bytes()
}

// recordedVCenter loads the recording of a real vCenter.
func recordedVCenter(t *testing.T) *simulator.Model {
	t.Helper()
	file, err := filepath.Abs("../../../shared/testdata/vcenter/recorded-vcenter-8.0.1.tar.xz")
	require.NoError(t, err)
	if _, err := os.Stat(file); err != nil {
		t.Skip("recorded vCenter not present: the test of a real vCenter needs it")
	}
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "tar", "xJf", file, "-C", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	m := new(simulator.Model)
	require.NoError(t, m.Load(filepath.Join(dir, "test-data", "SDDC-Datacenter")))
	return m
}

// The recorded findings on a real vCenter were reviewed manually; each is right.
func TestAuditOfTheRecordedVCenter(t *testing.T) {
	proof.NotRaced(t)
	serve(t, recordedVCenter(t))
	code, stdout, stderr := vperf(t, "audit", "--all", "-o", "json")
	require.Zero(t, code, stderr)
	golden.Equal(t, "testdata/recorded-vcenter.txt", digest(t, stdout))
}

package cli

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/doctor"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/privilege"
)

// examined runs vperf doctor and returns its report of the first server.
func examined(t *testing.T, wantCode int, args ...string) doctor.Server {
	t.Helper()
	code, stdout, stderr := vperf(t, slices.Concat([]string{"doctor", "-o", "json", "--timeout", "1m"}, args)...)
	require.Equal(t, wantCode, code, stdout+stderr)
	require.NotContains(t, stdout+stderr, "pa55")
	var r doctor.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Equal(t, doctor.Schema, r.Schema)
	require.Len(t, r.Servers, 1)
	return r.Servers[0]
}

// requireCheck checks the outcome of one check.
func requireCheck(t *testing.T, s doctor.Server, id string, status doctor.Status, text string) {
	t.Helper()
	i := slices.IndexFunc(s.Checks, func(r doctor.Result) bool { return r.ID == id })
	require.GreaterOrEqual(t, i, 0, id)
	r := s.Checks[i]
	require.Equal(t, status, r.Status, r)
	require.Contains(t, r.Text+"\n"+r.Cause+"\n"+strings.Join(r.Try, "\n"), text)
}

// requireCommand checks the outcome of one command.
func requireCommand(t *testing.T, s doctor.Server, id string, status doctor.Status) doctor.Command {
	t.Helper()
	i := slices.IndexFunc(s.Commands, func(c doctor.Command) bool { return c.ID == id })
	require.GreaterOrEqual(t, i, 0, id)
	require.Equal(t, status, s.Commands[i].Status, s.Commands[i])
	return s.Commands[i]
}

// accountAt points GOVC_* at a server.
func accountAt(t *testing.T, host string) {
	t.Helper()
	ownHome(t)
	for name, value := range map[string]string{"URL": host, "USERNAME": "audit@vsphere.local", "PASSWORD": "pa55"} {
		t.Setenv("GOVC_"+name, value)
	}
}

func listening(t *testing.T) net.Listener {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestDoctorWithoutDNS(t *testing.T) {
	accountAt(t, "no-such-host.invalid")
	s := examined(t, exitIncomplete)
	requireCheck(t, s, "name", doctor.Fail, "no-such-host.invalid is not in DNS")
	requireCommand(t, s, "audit", doctor.Fail)
}

func TestDoctorAtAClosedPort(t *testing.T) {
	l := listening(t)
	require.NoError(t, l.Close())
	accountAt(t, l.Addr().String())
	s := examined(t, exitIncomplete)
	requireCheck(t, s, "name", doctor.OK, "is an address")
	requireCheck(t, s, "port", doctor.Fail, "connection refused")
	requireCheck(t, s, "login", doctor.Unknown, "see port")
}

// A port that accepts connections and says nothing takes the limit, and no longer.
func TestDoctorAtASilentPort(t *testing.T) {
	accountAt(t, listening(t).Addr().String())
	began := time.Now()
	s := examined(t, exitIncomplete, "--timeout", "100ms")
	require.Less(t, time.Since(began), time.Minute)
	requireCheck(t, s, "port", doctor.OK, "accepts connections")
	requireCheck(t, s, "tls", doctor.Fail, "does not answer in TLS")
	requireCheck(t, s, "tls", doctor.Fail, "--timeout 30s --url https://")
}

func TestDoctorAtAWebServer(t *testing.T) {
	stub(t, func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	s := examined(t, exitIncomplete)
	requireCheck(t, s, "tls", doctor.Warning, "not verified")
	requireCheck(t, s, "login", doctor.Fail, "404")
}

// Wrong certificate, wrong password, no password, and the same server with all of it right.
func TestDoctorAndTheAccount(t *testing.T) {
	fleet, err := simfleet.Start(simfleet.Config{})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	accountAt(t, fleet.URL().String())
	t.Setenv("GOVC_USERNAME", fleet.User())
	s := examined(t, exitIncomplete)
	requireCheck(t, s, "tls", doctor.Fail, "--thumbprint "+fleet.Endpoints()[0].Thumbprint)
	requireCheck(t, s, "tls", doctor.Fail, fleet.URL().Host+" "+fleet.Endpoints()[0].Thumbprint)
	s = examined(t, exitIncomplete, "--thumbprint", strings.Repeat("AB:", 31)+"AB")
	requireCheck(t, s, "tls", doctor.Fail, "not the pinned one")
	pin := []string{"--thumbprint", fleet.Endpoints()[0].Thumbprint}
	s = examined(t, exitIncomplete, pin...)
	requireCheck(t, s, "tls", doctor.OK, "pinned")
	requireCheck(t, s, "login", doctor.Fail, "wrong user name or password")
	require.Equal(t, 1, fleet.Calls()["Login"], "a refused password is not tried again")

	t.Setenv("GOVC_PASSWORD", "")
	s = examined(t, exitIncomplete, pin...)
	requireCheck(t, s, "login", doctor.Fail, "there is no password")

	t.Setenv("GOVC_PASSWORD", fleet.Password())
	s = examined(t, exitClean, pin...)
	require.Equal(t, doctor.OK, s.Status)
	require.Empty(t, s.Grants)
	require.NoDirExists(t, filepath.Join(os.Getenv("GOVMOMI_HOME"), "sessions"), "it keeps no session")
	calls := fleet.Calls()
	require.Equal(t, 2, calls["Login"])
	require.Equal(t, 1, calls["Logout"])
	for method := range calls {
		require.Contains(t, []string{
			"RetrieveServiceContent", "Login", "Logout", "CurrentTime", "CreateContainerView", "DestroyView", "RetrievePropertiesEx", "HasPrivilegeOnEntities",
			"QueryPerfProviderSummary", "QueryServiceList", "QueryOptions", "ContinueRetrievePropertiesEx",
		}, method, "it only reads")
	}
	code, _, stderr := vperf(t, append([]string{"audit", "--fail-on", "high", "--url", "https://" + fleet.URL().Host}, "--username", "nobody@vsphere.local", "-k")...)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, " --username nobody@vsphere.local --insecure checks the connection, the account and its privileges\n")
}

// TestProveRoleShortOfEachPrivilege takes each privilege away from the fleet's account in turn.
func TestProveRoleShortOfEachPrivilege(t *testing.T) {
	all := slices.Concat(privilege.Reading(), privilege.ToChange(true), privilege.ToChange(false), []string{privilege.ServiceManagers})
	slices.Sort(all)
	for _, p := range proof.Sample(t, 3, slices.Compact(all)) {
		t.Run(p, func(t *testing.T) {
			serveFleet(t, simfleet.Config{VCenterOnly: true, Lacks: []string{p}})
			_, stdout, _ := vperf(t, "doctor", "--color", "never")
			require.Contains(t, stdout, " "+p+": ")
			_, grants, found := strings.Cut(stdout, "Commands that grant missing privileges")
			require.True(t, found)
			if !slices.Contains(privilege.Reading(), p) {
				require.Contains(t, grants, " "+p)
			}
			require.Contains(t, strings.Join(strings.Fields(strings.ReplaceAll(grants, "\\", "")), " "), "-propagate=true / ")
		})
	}
}

func TestDoctorOnAHostAlone(t *testing.T) {
	fleet, err := simfleet.Start(simfleet.Config{})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	for _, e := range fleet.Endpoints()[1:2] {
		accountAt(t, e.URL.String())
		t.Setenv("GOVC_USERNAME", e.User)
		t.Setenv("GOVC_PASSWORD", e.Password)
		s := examined(t, exitIncomplete, "--thumbprint", e.Thumbprint)
		requireCheck(t, s, "product", doctor.OK, "without vCenter")
		requireCheck(t, s, "rest", doctor.Absent, "only vCenter")
		requireCommand(t, s, "audit", doctor.OK)
		requireCommand(t, s, "top", doctor.OK)
		require.Contains(t, requireCommand(t, s, "apply-host", doctor.Unknown).Cause, "licence")
		examined(t, exitClean, "--thumbprint", e.Thumbprint, "audit", "top", "exporter")
	}
}

// A stock simulator is an old server without REST, and without most counters.
func TestDoctorAtAnOldRelease(t *testing.T) {
	m := simulator.VPX()
	m.ServiceContent.About.Version, m.ServiceContent.About.FullName = "5.5.0", "VMware vCenter Server 5.5.0"
	serve(t, m)
	s := examined(t, exitIncomplete)
	requireCheck(t, s, "product", doctor.Unknown, "vperf supports 6.0 U3 and later")
	requireCommand(t, s, "audit", doctor.Unknown)
}

func TestDoctorWithoutREST(t *testing.T) {
	m := simulator.VPX()
	m.Cluster, m.Host, m.Machine = 0, 2, 1
	serve(t, m)
	s := examined(t, exitClean, "audit")
	requireCheck(t, s, "rest", doctor.Warning, "tags and content libraries are unread")
}

func TestDoctorAndAWrongClock(t *testing.T) {
	serveFleet(t, simfleet.Config{VCenterOnly: true, Now: func() time.Time { return time.Now().Add(10 * time.Minute) }})
	s := examined(t, exitClean)
	requireCheck(t, s, "clock", doctor.Warning, "ahead of this machine's")
	requireCheck(t, s, "clock", doctor.Warning, "check NTP")
}

// Two servers have a section each, and one that is down leaves the other alone.
func TestDoctorOfSeveralServers(t *testing.T) {
	configured(t, beside(t, "one", "pa55-one", small(t, "a")), nobody(t, "two"))
	code, stdout, stderr := vperf(t, "doctor", "--all-contexts", "--timeout", "1m")
	require.Equal(t, exitIncomplete, code)
	require.Contains(t, stdout, "(context one)")
	require.Contains(t, stdout, "(context two)")
	require.Contains(t, stdout, "connection refused")
	require.Contains(t, stdout, "  ok      audit, snapshot, plan")
	require.NotContains(t, stdout+stderr, "pa55")
}

// A server that two places name differently may be read, and not changed.
func TestDoctorAndTwoServers(t *testing.T) {
	configured(t, beside(t, "one", "pa55-one", small(t, "a")))
	t.Setenv("VPERF_CONTEXT", "one")
	t.Setenv("GOVC_URL", "https://192.0.2.1/sdk")
	s := examined(t, exitIncomplete)
	requireCheck(t, s, "config", doctor.Fail, "commands that write refuse")
	requireCommand(t, s, "audit", doctor.OK)
	requireCommand(t, s, "apply-vm", doctor.Fail)
	examined(t, exitClean, "audit")
}

func TestDoctorUsage(t *testing.T) {
	ownHome(t)
	for _, c := range [][]string{
		{"doctor", "audti", "--demo"}, {"doctor", "--demo", "--timeout", "0s"}, {"doctor", "--demo", "--url", "x"}, {"doctor", "--scenario", "denied-user"}, {"doctor"},
	} {
		code, _, stderr := vperf(t, c...)
		require.Equal(t, exitUsage, code, stderr)
	}
	_, _, stderr := vperf(t, "doctor", "audti", "--demo")
	require.Contains(t, stderr, `did you mean "audit"?`)
}

// fitsAScreen is the script command `screen FILE`: the text has 24 to 40 lines of a terminal with 80 columns.
func fitsAScreen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: screen FILE")
	}
	lines := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n") {
		lines += 1 + max(0, len(line)-1)/80
	}
	if lines < 24 || lines > 40 {
		ts.Fatalf("%d lines", lines)
	}
}

// The age is that of the stamped commit, or of the program's file.
func TestAgeOfTheProgram(t *testing.T) {
	before := Date
	t.Cleanup(func() { Date = before })
	Date = "2026-05-01T10:00:00Z"
	at, ofFile := built()
	require.False(t, ofFile)
	require.Equal(t, "2026-05-01", at.Format(time.DateOnly))
	Date = ""
	if thisVersion().Date == "" {
		_, ofFile = built()
		require.True(t, ofFile)
	}
}

package doctor

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/privilege"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

func (s Server) check(t *testing.T, id string) Result {
	t.Helper()
	i := slices.IndexFunc(s.Checks, func(r Result) bool { return r.ID == id })
	require.GreaterOrEqual(t, i, 0, "no check %s", id)
	return s.Checks[i]
}

func (s Server) command(t *testing.T, id string) Command {
	t.Helper()
	i := slices.IndexFunc(s.Commands, func(c Command) bool { return c.ID == id })
	require.GreaterOrEqual(t, i, 0, "no command %s", id)
	return s.Commands[i]
}

func TestEverythingWorks(t *testing.T) {
	f := aVCenter()
	s := f.run(t.Context())
	require.Equal(t, OK, s.Status)
	for _, c := range s.Checks {
		require.Equal(t, OK, c.Status, c)
	}
	require.Len(t, s.Commands, len(CommandIDs()))
	for _, c := range s.Commands {
		require.Equal(t, OK, c.Status, c)
		require.Empty(t, c.Missing)
	}
	require.Empty(t, s.Grants)
	require.True(t, f.closed, "it logs out")
}

// TestDamagedAnswersAreNamed: a value that cannot be decoded is a warning that names it; without one there is no such check.
func TestDamagedAnswersAreNamed(t *testing.T) {
	f := aVCenter()
	f.damaged = []string{`summary.memoryMB of VM db-01: "x" is not a number of 32 bits`}
	answers := f.run(t.Context()).check(t, checkAnswers)
	require.Equal(t, Warning, answers.Status)
	require.Equal(t, f.damaged[0], answers.Cause)
}

// TestLostAnswersFail: a page that cannot be decoded stands in the way of the commands, also where values are damaged too.
func TestLostAnswersFail(t *testing.T) {
	f := aVCenter()
	f.damaged = []string{"a value"}
	f.lost = []string{`reading virtual machines: its answer to RetrievePropertiesEx is no SOAP from byte 1 on: "<html>"`}
	s := f.run(t.Context())
	answers := s.check(t, checkAnswers)
	require.Equal(t, Fail, answers.Status)
	require.Equal(t, f.lost[0]+"; a value", answers.Cause)
	require.Equal(t, Fail, s.Status)
	for _, c := range s.Commands {
		require.Equal(t, Fail, c.Status, c)
		require.Equal(t, "answers: "+answers.Text, c.Cause)
	}
	s = f.run(t.Context(), func(in *Input) { in.Commands = []string{"audit"} })
	require.Equal(t, Fail, s.Status, "also of one command")
}

// TestEachMissingPrivilege takes every privilege away in turn: exactly the commands that need it report it, and the grants have it.
func TestEachMissingPrivilege(t *testing.T) {
	for _, p := range needed() {
		t.Run(p, func(t *testing.T) {
			f := aVCenter()
			f.lacks = func(_, q string) bool { return q == p }
			s := f.run(t.Context())
			require.NotEqual(t, OK, s.Status)
			var reporting []string
			for _, c := range s.Commands {
				if len(c.Missing) == 0 {
					require.Equal(t, OK, c.Status, c)
					continue
				}
				require.Len(t, c.Missing, 1)
				require.Equal(t, p, c.Missing[0].Privilege)
				require.NotEmpty(t, c.Missing[0].For)
				require.Empty(t, c.Missing[0].Objects, "it is missing everywhere")
				reporting = append(reporting, c.ID)
			}
			require.Equal(t, needing(p), reporting)
			require.Len(t, s.Grants, 1)
			require.Equal(t, "/", s.Grants[0].Path)
			require.Contains(t, s.Grants[0].Privileges, p)
			if !slices.Contains(privilege.Reading(), p) {
				require.Contains(t, s.Grants[0].Lines()[0], " "+p)
			}
			require.Contains(t, strings.Join(s.Grants[0].Lines(), "\n"), "govc permissions.set -principal tuner@vsphere.local -role ")
		})
	}
}

// needing lists the commands that need a privilege, from the kinds of settings and not from the table of commands.
func needing(p string) (ids []string) {
	places := map[inventory.Scope]bool{}
	trial := false
	for _, k := range inventory.SettingKinds() {
		if k.Applicable() && slices.Contains(k.Privileges(), p) {
			places[objectScope(k.Scope)] = true
			trial = trial || k.Activation == inventory.ActivationLive && k.Inverse == inventory.InverseExact
		}
	}
	switch p {
	case "System.Anonymous", "System.Read", "System.View":
		return []string{"audit", "advise", "top", "exporter"}
	case "Global.ServiceManagers":
		return []string{"advise", "top", "exporter"}
	case "Global.LogEvent":
		return []string{"apply-vm", "apply-pool", "apply-host", "apply-cluster", "apply-switch", "apply-datastore"}
	case "Host.Config.Maintenance":
		return []string{"apply-host-reboot"}
	case "VirtualMachine.Interact.PowerOff", "VirtualMachine.Interact.PowerOn":
		return []string{"apply-power-cycle"}
	case "Host.Config.Firmware":
		places[inventory.ScopeHost] = true
	case "VirtualMachine.Config.RawDevice":
		places[inventory.ScopeVM] = true
	}
	for _, scope := range []inventory.Scope{inventory.ScopeVM, inventory.ScopePool, inventory.ScopeHost, inventory.ScopeCluster, inventory.ScopeSwitch, inventory.ScopeDatastore} {
		if places[scope] {
			ids = append(ids, "apply-"+string(scope))
		}
	}
	if trial {
		ids = append(ids, "trial")
	}
	return ids
}

// Some privileges limit a command, and others prevent it.
func TestPrivilegesThatLimit(t *testing.T) {
	for p, want := range map[string]Status{
		"Global.ServiceManagers": Warning, "Global.LogEvent": Warning, "Host.Config.Firmware": Warning, "VirtualMachine.Config.RawDevice": Warning,
		"System.Read": Fail, "Host.Config.Power": Fail, "Resource.EditPool": Fail, "VirtualMachine.Interact.PowerOn": Fail,
	} {
		f := aVCenter()
		f.lacks = func(_, q string) bool { return q == p }
		require.Equal(t, want, f.run(t.Context()).Status, p)
	}
}

func TestReadOnlyUser(t *testing.T) {
	f := aVCenter()
	f.lacks = func(_, p string) bool { return !strings.HasPrefix(p, "System.") }
	s := f.run(t.Context())
	require.Equal(t, Fail, s.Status)
	require.Equal(t, OK, s.command(t, "audit").Status)
	require.Equal(t, "0 of 22 settings can be changed", s.command(t, "apply-vm").Text)
	var named []string
	for _, c := range s.Commands {
		for _, m := range c.Missing {
			named = append(named, m.Privilege)
		}
	}
	for _, p := range needed() {
		if !strings.HasPrefix(p, "System.") {
			require.Contains(t, named, p)
			require.Contains(t, s.Grants[0].Privileges, p)
		}
	}
	require.Equal(t, "vperf-all", s.Grants[0].Role)
	require.True(t, s.Grants[0].Changes)

	chosen := f.run(t.Context(), func(in *Input) { in.Commands = []string{"audit"} })
	require.Equal(t, OK, chosen.Status, "only the chosen commands count")
	require.Len(t, chosen.Commands, 1)
	top := f.run(t.Context(), func(in *Input) { in.Commands = []string{"top"} })
	require.Equal(t, Warning, top.Status)
	require.Equal(t, []Grant{{
		Role: "vperf-counters", Privileges: []string{"System.Anonymous", "System.Read", "System.View", "Global.ServiceManagers"}, Principal: "tuner@vsphere.local", Path: "/",
	}}, top.Grants)
}

// Where a role does not reach, the objects are named, and the permission is for the highest of them.
func TestRoleDoesNotReach(t *testing.T) {
	f := aVCenter()
	f.lacks = func(o, p string) bool {
		return p == "System.Read" && (o == "Folder:vm" || o == "Folder:db") || p == "Host.Config.Power" && o == "HostSystem:2"
	}
	s := f.run(t.Context())
	require.Equal(t, []Missing{{Privilege: "System.Read", For: []string{"reading"}, Objects: []string{"/dc/vm", "/dc/vm/db"}, Of: 10}}, s.command(t, "audit").Missing)
	host := s.command(t, "apply-host")
	require.Equal(t, []Missing{{Privilege: "Host.Config.Power", For: []string{"power-policy"}, Objects: []string{"/dc/host/c/esx2"}, Of: 2}}, host.Missing)
	require.Equal(t, "4 of 5 settings can be changed everywhere", host.Text)
	var lines []string
	for _, g := range s.Grants {
		lines = append(lines, g.Role+" "+g.Path)
	}
	require.Equal(t, []string{"vperf-change-vms /dc/vm", "vperf-change-hosts /dc/host/c/esx2"}, lines, "what the account has there stays in the role")
}

// A role of one object keeps what the account has there.
func TestGrantKeepsOtherGroups(t *testing.T) {
	f := aVCenter()
	f.lacks = func(_, p string) bool { return p == "Global.ServiceManagers" || p == "Resource.EditPool" }
	s := f.run(t.Context())
	require.Len(t, s.Grants, 1)
	require.Equal(t, "vperf-all", s.Grants[0].Role)
	require.Contains(t, s.Grants[0].Privileges, "Host.Config.Power")
}

func TestHostileNamesAreQuoted(t *testing.T) {
	g := Grant{Role: "ReadOnly", BuiltIn: true, Principal: "a b@vsphere.local", Path: "/dc/vm/x'; rm -rf /\x1b[2J"}
	require.Equal(t, []string{`govc permissions.set -principal 'a b@vsphere.local' -role ReadOnly -propagate=true $'/dc/vm/x\x27; rm -rf /\x1b[2J'`}, g.Lines())
}

// What could not be read is unknown, and never ok.
func TestUnreadIsUnknown(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fake)
		check  string
		all    bool // no command is judged
	}{
		"privileges":        {func(f *fake) { f.grantErr = errors.New("not supported") }, checkPrivileges, true},
		"inventory":         {func(f *fake) { f.listErr = errors.New("no answer") }, checkHosts, true},
		"some privileges":   {func(f *fake) { f.silent = map[string]bool{"HostSystem:2": true} }, checkPrivileges, false},
		"clock":             {func(f *fake) { f.clockErr = errors.New("no answer") }, checkClock, false},
		"statistics":        {func(f *fake) { f.offersErr = errors.New("no answer") }, checkStatistics, false},
		"server's release":  {func(f *fake) { f.product.Version = inventory.Unread[inventory.Version]("odd") }, checkProduct, false},
		"release of a host": {func(f *fake) { f.objects[6].Version = inventory.Unread[inventory.Version]("no permission") }, checkHosts, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := aVCenter()
			c.change(f)
			s := f.run(t.Context())
			require.Equal(t, Unknown, s.Status)
			require.Equal(t, Unknown, s.check(t, c.check).Status)
			for _, command := range s.Commands {
				if c.all {
					require.Equal(t, Unknown, command.Status, command)
				}
			}
		})
	}
	f := aVCenter()
	f.silent = map[string]bool{"HostSystem:2": true}
	s := f.run(t.Context())
	require.Equal(t, Unknown, s.command(t, "apply-host").Status)
	require.Equal(t, Unknown, s.command(t, "audit").Status)
	require.Equal(t, OK, s.command(t, "apply-pool").Status)
}

func TestConnection(t *testing.T) {
	lookup := &net.DNSError{Err: "no such host", Name: "vc.example", IsNotFound: true}
	for name, c := range map[string]struct {
		route  session.Route
		err    error
		check  string
		status Status
		text   string
		try    string
	}{
		"no DNS": {
			session.Route{LookupErr: lookup}, &session.ConnectError{Why: "no such host"}, checkName, Fail, "vc.example is not in DNS", "give the IP address",
		},
		"DNS hangs": {session.Route{}, &limitError{time.Second}, checkName, Unknown, "DNS did not answer", "vperf doctor --timeout 30s --context prod waits longer"},
		"closed port": {
			session.Route{Dialled: true, ConnectErr: errors.New("refused")}, &session.ConnectError{Why: "connection refused"}, checkPort, Fail, "no connection", "443",
		},
		"dropped packets": {session.Route{Dialled: true}, &limitError{time.Second}, checkPort, Fail, "does not answer", "waits longer"},
		"silent port":     {session.Route{Dialled: true, Address: "192.0.2.1:443", TLSBegun: true}, &limitError{time.Second}, checkTLS, Fail, "does not answer in TLS", "waits longer"},
		"no TLS": {
			session.Route{Dialled: true, Address: "192.0.2.1:80", TLSBegun: true}, &session.ConnectError{Why: "it does not speak TLS on this port"}, checkTLS, Fail, "does not speak TLS", "URL",
		},
		"certificate": {
			session.Route{Dialled: true, Address: "192.0.2.1:443", TLSBegun: true}, &session.TLSError{Host: "vc.example:443", Thumbprint: "AA:BB", Err: errors.New("unknown authority")},
			checkTLS, Fail, "not trusted: unknown authority", "--thumbprint AA:BB",
		},
		"password": {
			session.Route{Dialled: true, Address: "192.0.2.1:443", Secure: true}, &session.LoginError{User: "x"}, checkLogin, Fail, "wrong user name or password", "with its domain",
		},
		"lockdown": {
			session.Route{Dialled: true, Address: "192.0.2.1:443", Secure: true}, &session.PermissionError{Privilege: "System.View"}, checkLogin, Fail, "System.View is missing", "Read-only",
		},
		"hung login": {session.Route{Dialled: true, Address: "192.0.2.1:443", Secure: true}, &limitError{time.Second}, checkLogin, Unknown, "did not answer the login", "waits longer"},
		"web server": {
			session.Route{Dialled: true, Address: "192.0.2.1:443", Secure: true}, &session.ConnectError{Why: "it answered text/html instead of SOAP"}, checkLogin, Fail, "text/html", "ESXi host",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := aVCenter()
			f.route, f.opens = c.route, c.err
			s := f.run(t.Context())
			require.Equal(t, Fail, worse(s.Status, Fail))
			r := s.check(t, c.check)
			require.Equal(t, c.status, r.Status)
			require.Contains(t, r.Text, c.text)
			require.Contains(t, strings.Join(r.Try, "\n"), c.try)
			after := false
			for _, other := range s.Checks {
				if after {
					require.Equal(t, Unknown, other.Status, other)
					require.Equal(t, c.check, other.BlockedBy)
				}
				after = after || other.ID == c.check
			}
			for _, command := range s.Commands {
				require.Equal(t, c.status, command.Status)
				require.Equal(t, c.check, command.BlockedBy)
			}
		})
	}
}

func TestNoPassword(t *testing.T) {
	s := aVCenter().run(t.Context(), func(in *Input) { in.NoPassword = errors.New("no password for x: set VPERF_PASSWORD") })
	require.Equal(t, Fail, s.Status)
	require.Contains(t, s.check(t, checkLogin).Cause, "VPERF_PASSWORD")
	for _, c := range s.Commands {
		require.Equal(t, Fail, c.Status)
	}
}

func TestCertificates(t *testing.T) {
	f := aVCenter()
	f.insecure = true
	require.Equal(t, Warning, f.run(t.Context()).check(t, checkTLS).Status)
	f = aVCenter()
	f.route.Certificate = &x509.Certificate{NotAfter: time.Now().Add(time.Hour)}
	require.Contains(t, f.run(t.Context()).check(t, checkTLS).Cause, "ends soon")
}

func TestReleases(t *testing.T) {
	for _, c := range []struct {
		server, host  string
		vcenter       bool
		product, list Status
		cause         string
	}{
		{"8.0.3", "8.0.3", true, OK, OK, ""},
		{"6.0.0", "6.0.0", true, OK, OK, ""},
		{"5.5.0", "5.5.0", true, Unknown, Unknown, "older than 6.0 U3"},
		{"9.1.0", "9.1.0", true, Warning, Warning, "newer than vperf's tables"},
		{"9.1.0", "9.1.0", false, OK, Warning, "newer than vperf's tables"},
	} {
		f := aVCenter()
		f.product.Version, f.product.IsVCenter = version(c.server), c.vcenter
		f.objects[6].Version = version(c.host)
		s := f.run(t.Context())
		require.Equal(t, c.product, s.check(t, checkProduct).Status, c)
		require.Equal(t, c.list, s.check(t, checkHosts).Status, c)
		require.Contains(t, s.check(t, checkHosts).Cause, c.cause)
	}
}

func TestClocks(t *testing.T) {
	for ahead, want := range map[time.Duration]Status{
		0: OK, time.Second: OK, 20 * time.Second: OK, -20 * time.Second: OK, 10 * time.Minute: Warning, -10 * time.Minute: Warning,
	} {
		f := aVCenter()
		f.ahead = ahead
		require.Equal(t, want, f.run(t.Context()).check(t, checkClock).Status, ahead)
	}
	f := aVCenter()
	f.ahead = -10 * time.Minute
	require.Equal(t, "the server's clock is 10m0s behind this machine's", f.run(t.Context()).check(t, checkClock).Text)
	f.took = 300 * time.Millisecond
	require.Equal(t, Warning, f.run(t.Context()).check(t, checkRoundTrip).Status)
}

func TestSources(t *testing.T) {
	f := aVCenter()
	f.esxtopErr = &session.PermissionError{Privilege: "Global.ServiceManagers"}
	f.restErr = errors.New("it answered HTTP 404 Not Found")
	s := f.run(t.Context())
	require.Equal(t, Warning, s.check(t, checkEsxtop).Status)
	require.Contains(t, s.check(t, checkREST).Cause, "tags and content libraries are unread")
	require.Equal(t, "PerformanceManager only", s.command(t, "top").Text)

	f.offers = Statistics{}
	s = f.run(t.Context())
	require.Equal(t, Fail, s.check(t, checkStatistics).Status)
	require.Equal(t, Fail, s.command(t, "top").Status)
	require.Equal(t, OK, s.command(t, "audit").Status)
}

// On a host without vCenter some kinds of object do not exist, and the licence is not known.
func TestHostAlone(t *testing.T) {
	f := aVCenter()
	f.product = Product{Name: "VMware ESXi 8.0.3", Version: version("8.0.3")}
	f.objects = slices.DeleteFunc(f.objects, func(o Object) bool { return o.Scope == inventory.ScopeCluster || o.Scope == inventory.ScopeSwitch })
	s := f.run(t.Context())
	require.Equal(t, Absent, s.check(t, checkREST).Status)
	require.Equal(t, Absent, s.command(t, "apply-cluster").Status)
	require.Equal(t, Absent, s.command(t, "apply-switch").Status)
	require.Equal(t, OK, s.command(t, "audit").Status)
	require.Equal(t, Unknown, s.command(t, "apply-host").Status)
	require.Contains(t, s.command(t, "apply-host").Cause, "licence")
	f.grantErr = errors.New("not supported")
	require.Equal(t, Unknown, f.run(t.Context()).command(t, "audit").Status)
}

func TestNoHost(t *testing.T) {
	f := aVCenter()
	f.objects = f.objects[:1]
	s := f.run(t.Context())
	require.Equal(t, Fail, s.check(t, checkHosts).Status)
	require.Equal(t, []string{"govc permissions.set -principal tuner@vsphere.local -role ReadOnly -propagate=true /"}, s.check(t, checkHosts).Try)
	require.Equal(t, Fail, s.command(t, "audit").Status)
}

func TestAmbiguousServer(t *testing.T) {
	s := aVCenter().run(t.Context(), func(in *Input) {
		in.Config = []Value{{"url", "https://vc", "context prod (/etc/x)"}, {"password", "", "VPERF_PASSWORD"}}
		in.Ambiguous = errors.New("GOVC_URL (a) and context prod (b) name different servers")
	})
	require.Equal(t, Fail, s.check(t, checkConfig).Status)
	require.Equal(t, "url https://vc (context prod), password (VPERF_PASSWORD)", s.check(t, checkConfig).Text)
	require.Equal(t, OK, s.command(t, "audit").Status)
	require.Equal(t, Fail, s.command(t, "apply-vm").Status)
}

// A server that hangs after the login delays the report by the limit only.
func TestHungServer(t *testing.T) {
	f := aVCenter()
	f.hang = true
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&limitError{time.Second}) // as if the limit had passed
	s := f.run(ctx)
	for _, id := range []string{checkClock, checkRoundTrip, checkREST, checkHosts, checkPrivileges} {
		require.NotEqual(t, OK, s.check(t, id).Status, id)
	}
	require.Equal(t, "no answer within 1s", s.check(t, checkClock).Cause)
	require.Equal(t, Unknown, s.command(t, "audit").Status)
}

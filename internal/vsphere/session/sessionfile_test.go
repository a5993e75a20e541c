package session_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/session/cache"
	"github.com/vmware/govmomi/vim25"

	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// keeping returns an endpoint whose session is saved. govmomi's cache does not support pinned certificates, so none is checked.
func keeping(t *testing.T, s *vspheretest.Sim) session.Endpoint {
	t.Helper()
	e := s.Endpoint()
	e.CertificatePEM, e.Insecure = nil, true
	e.SessionDir = filepath.Join(t.TempDir(), "govmomi", "sessions")
	return e
}

// govcSession returns govc's session for the same endpoint.
func govcSession(e session.Endpoint) *cache.Session {
	u := *e.URL
	u.User = url.UserPassword(e.User, string(e.Password))
	return &cache.Session{URL: &u, Insecure: e.Insecure, DirSOAP: e.SessionDir}
}

func readOnce(t *testing.T, e session.Endpoint) (calls map[string]int) {
	t.Helper()
	session, err := session.Dial(t.Context(), e)
	require.NoError(t, err)
	vc, err := read.Inventory(t.Context(), session, tree.Scope{}, vspheretest.NeedsOf("Host.cores"), nil)
	require.NoError(t, err)
	require.Equal(t, inventory.Known(int64(2)), vc.Hosts[0].Cores)
	require.NoError(t, session.Close(t.Context()))
	return session.Calls()
}

func onlyFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
	return filepath.Join(dir, files[0].Name())
}

func TestSecondRunNeedsNoLogin(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	e := keeping(t, s)
	calls := readOnce(t, e)
	require.Equal(t, 1, calls["Login"])
	require.Zero(t, calls["Logout"], "the session stays open for the next command")
	e.Password = "" // not needed any more
	calls = readOnce(t, e)
	require.Zero(t, calls["Login"])
	require.Zero(t, calls["Logout"])

	e = keeping(t, s)
	e.SessionDir = ""
	calls = readOnce(t, e)
	require.Equal(t, 1, calls["Login"])
	require.Equal(t, 1, calls["Logout"])
}

// A session file that is larger than any is not read: vperf logs in.
func TestSwollenSessionFileIsNotRead(t *testing.T) {
	t.Parallel()
	e := keeping(t, vspheretest.Start(t, vspheretest.SmallVPX(1), nil))
	readOnce(t, e)
	require.NoError(t, os.Truncate(onlyFile(t, e.SessionDir), userfile.Session.Limit+1))
	require.Equal(t, 1, readOnce(t, e)["Login"])
}

func TestSessionFileIsPrivateAndHoldsNoSecret(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	e := keeping(t, s)
	readOnce(t, e)
	file := onlyFile(t, e.SessionDir)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	info, err = os.Stat(e.SessionDir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700)|os.ModeDir, info.Mode())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(text), vspheretest.TestPassword)
	require.Contains(t, string(text), "vmware_soap_session")
}

// TestSessionsAreShared: govc resumes the sessions that vperf saves, and the other way round.
func TestSessionsAreShared(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	e := keeping(t, s)
	readOnce(t, e)
	ok, err := govcSession(e).Load(t.Context(), new(vim25.Client), nil)
	require.NoError(t, err)
	require.True(t, ok, "govmomi's cache takes our file")

	e = keeping(t, s)
	require.NoError(t, govcSession(e).Login(t.Context(), new(vim25.Client), nil))
	onlyFile(t, e.SessionDir)
	require.Zero(t, readOnce(t, e)["Login"], "we take theirs")
	file := onlyFile(t, e.SessionDir)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(text, `rest of a longer one"}`...), 0o600))
	require.Zero(t, readOnce(t, e)["Login"], "govc does not truncate files")
}

func TestSessionFileIsOneOfItsEndpoint(t *testing.T) {
	base := session.Endpoint{URL: mustURL("https://vc.example/sdk"), User: "a@b", SessionDir: "/d"}
	names := map[string]bool{base.SessionFile(): true}
	for _, set := range []func(*session.Endpoint){
		func(e *session.Endpoint) { e.User = "c@d" },
		func(e *session.Endpoint) { e.Insecure = true },
		func(e *session.Endpoint) { e.URL = mustURL("https://vc.example:444/sdk") },
	} {
		e := base
		set(&e)
		names[e.SessionFile()] = true
	}
	require.Len(t, names, 4)
	for _, set := range []func(*session.Endpoint){func(e *session.Endpoint) { e.User = "" }, func(e *session.Endpoint) { e.SessionDir = "" }} {
		e := base
		set(&e)
		require.Empty(t, e.SessionFile())
	}
}

func TestKeptSessionThatIsOver(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	e := keeping(t, s)
	readOnce(t, e)
	file := onlyFile(t, e.SessionDir)
	good, err := os.ReadFile(file)
	require.NoError(t, err)
	_, cookie, _ := strings.Cut(string(good), `"Value":"`)
	cookie, _, _ = strings.Cut(cookie, `"`)
	require.NotEmpty(t, cookie)
	for name, text := range map[string]string{
		"over":       strings.ReplaceAll(string(good), cookie, "00000000-0000-0000-0000-000000000000"),
		"empty":      "",
		"no JSON":    "cookies? here you are",
		"no cookies": `{"SoapClient":{"cookies":[null]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			require.Equal(t, 1, readOnce(t, e)["Login"])
			require.Zero(t, readOnce(t, e)["Login"], "the file was replaced")
			onlyFile(t, e.SessionDir)
		})
	}
}

// TestKeptSessionExpiresMeanwhile: the new session is kept, too.
func TestKeptSessionExpiresMeanwhile(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	x := new(vspheretest.FailingRequest)
	s.Tamper(x.Handle)
	e := keeping(t, s)
	readOnce(t, e)
	x.Arm(4) // content and session are read first; then the clock, and the view
	calls := readOnce(t, e)
	require.Equal(t, 1, calls["Login"])
	x.Arm(0)
	require.Zero(t, readOnce(t, e)["Login"])
}

// TestSessionThatCannotBeKept: a session that cannot be saved ends with the command.
func TestSessionThatCannotBeKept(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	e := keeping(t, s)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	e.SessionDir = filepath.Join(file, "sessions")
	calls := readOnce(t, e)
	require.Equal(t, 1, calls["Login"])
	require.Equal(t, 1, calls["Logout"])
}

// TestCtrlCFreesTheViewOfAKeptSession: otherwise the view would exist as long as the session is in use.
func TestCtrlCFreesTheViewOfAKeptSession(t *testing.T) {
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	ctx, cancel := context.WithCancel(t.Context())
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if strings.Contains(string(body), "<RetrievePropertiesEx ") {
			cancel()
			<-r.Context().Done()
			return
		}
		next.ServeHTTP(w, r)
	})
	session := vspheretest.Dial(t, keeping(t, s))
	start := time.Now()
	_, err := read.Inventory(ctx, session, tree.Scope{}, vspheretest.NeedsOf("Host.cores"), nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, session.Calls()["DestroyView"])
	require.Less(t, time.Since(start), time.Minute)
}

func TestServerThatIsGoneWhileResuming(t *testing.T) {
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	e := keeping(t, s)
	readOnce(t, e)
	e.CallTimeout = 50 * time.Millisecond
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if strings.Contains(string(body), "currentSession") {
			<-r.Context().Done()
			return
		}
		next.ServeHTTP(w, r)
	})
	_, err := session.Dial(t.Context(), e)
	var broken *session.ConnectError
	require.ErrorAs(t, err, &broken)
}

package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/faulty"
)

// startFleet [FLAG...] serves a fleet that can be changed, to the commands that follow and to the command option.
func startFleet(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: fleet [FLAG...]")
	}
	ts.Check(ts.Exec("vperf", append([]string{"sim", "--background", "--idle", "60s"}, args...)...))
	_, lines, _ := strings.Cut(ts.ReadFile("stdout"), "\nexport ")
	line, _, _ := strings.Cut(lines, "\n")
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		ts.Setenv(key, strings.Trim(value, "'"))
	}
	ts.Defer(func() { _ = ts.Exec("vperf", "sim", "--stop") })
}

// stopREST puts a proxy before the fleet that answers nothing over REST, such as tags.
func stopREST(t *testing.T, ts *testscript.TestScript) {
	to, err := url.Parse(ts.Getenv("GOVC_URL"))
	ts.Check(err)
	proxy := faulty.New(t, to, faulty.Hooks{Serve: func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if strings.HasSuffix(r.URL.Path, "/sdk") {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}})
	known := ts.MkAbs("known_hosts")
	ts.Check(os.WriteFile(known, []byte(proxy.URL.Host+" "+thumbprint(t, proxy)+"\n"), 0o600))
	ts.Setenv("GOVC_URL", proxy.URL.String())
	ts.Setenv("GOVC_TLS_KNOWN_HOSTS", known)
}

// optionIs HOST KEY VALUE asks the fleet with a client that is not ours; a fourth word is written there instead.
func optionIs(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: [!] option HOST KEY VALUE [NEW]")
	}
	got, err := option(context.Background(), ts.Getenv, args[0], args[1], args[3:]...)
	ts.Check(err)
	if (got == args[2]) == neg {
		ts.Fatalf("%s of %s is %q", args[1], args[0], got)
	}
}

// option reads a host's option with govmomi alone, and sets it where a value is given.
func option(ctx context.Context, env func(string) string, host, key string, to ...string) (string, error) {
	u, err := url.Parse(env("GOVC_URL"))
	if err != nil {
		return "", err
	}
	wire := soap.NewClient(u, true)
	c, err := vim25.NewClient(ctx, wire)
	if err != nil {
		return "", err
	}
	m := session.NewManager(c)
	if err := m.Login(ctx, url.UserPassword(env("GOVC_USERNAME"), env("GOVC_PASSWORD"))); err != nil {
		return "", err
	}
	defer func() { _ = m.Logout(ctx) }()
	h, err := find.NewFinder(c).HostSystem(ctx, "/*/host/*/"+host)
	if err != nil {
		return "", err
	}
	options, err := h.ConfigManager().OptionManager(ctx)
	if err != nil {
		return "", err
	}
	return optionOf(ctx, options, key, to)
}

// optionOf returns the value of an option, and sets it to a number if one is given.
func optionOf(ctx context.Context, m *object.OptionManager, key string, to []string) (string, error) {
	found, err := m.Query(ctx, key)
	if err != nil || len(found) != 1 {
		return "", err
	}
	was := fmt.Sprint(found[0].GetOptionValue().Value)
	if len(to) == 0 {
		return was, nil
	}
	n, err := strconv.ParseInt(to[0], 10, 64)
	if err != nil {
		return "", err
	}
	return was, m.Update(ctx, []types.BaseOptionValue{&types.OptionValue{Key: key, Value: n}})
}

func TestScriptsReadOptionsWithAnotherClient(t *testing.T) {
	serveDemo(t)
	got, err := option(t.Context(), os.Getenv, "host01.demo.local", "Net.NetNetqNumaIOCpuPinThreshold", "12")
	require.NoError(t, err)
	require.Equal(t, "0", got)
	got, err = option(t.Context(), os.Getenv, "host01.demo.local", "Net.NetNetqNumaIOCpuPinThreshold")
	require.NoError(t, err)
	require.Equal(t, "12", got)
}

package cli

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"

	"github.com/vperf/vperf/internal/iostreams"
)

// typing runs the command line with something on standard input.
func typing(t *testing.T, in string, args ...string) (code int, stderr string) {
	t.Helper()
	io, _, errs := iostreams.Test()
	io.In = strings.NewReader(in)
	return run(t.Context(), NewFactory(io), args), errs.String()
}

// A password goes into the keyring once, is used from there, and is gone with the last context that needs it.
func TestContextWithKeyring(t *testing.T) {
	keyring.MockInit()
	t.Cleanup(keyring.MockInit)
	lines := beside(t, "x", "pa55", small(t, ""))
	_, after, _ := strings.Cut(lines, "url: ")
	host, _, _ := strings.Cut(after, "\n")
	_, after, _ = strings.Cut(lines, "tls-ca-certs: ")
	configured(t)

	for _, name := range []string{"one", "two"} {
		code, stderr := typing(t, "pa55\n", "context", "add", name, "--url", host, "--username", "audit",
			"--tls-ca-certs", strings.TrimSpace(after), "--keyring", "--check", "--use="+strconv.FormatBool(name == "one"))
		require.Zero(t, code, stderr)
		require.Contains(t, stderr, "logged in as audit: "+name+" ("+host+"), VMware vCenter Server 6.5.0 build-5973321\n")
		require.NotContains(t, stderr, "pa55")
	}
	code, stderr := typing(t, "wrong\n", "context", "add", "three", "--url", host, "--username", "audit",
		"--tls-ca-certs", strings.TrimSpace(after), "--keyring", "--check")
	require.Equal(t, exitFailed, code, stderr)
	require.Contains(t, stderr, "vperf: checking context three, which was not added: ")
	kept, err := keyring.Get("vperf", "audit@"+host)
	require.NoError(t, err)
	require.Equal(t, "pa55", kept, "a password that was refused is not kept")
	text, err := os.ReadFile(os.Getenv("VPERF_CONFIG"))
	require.NoError(t, err)
	require.NotContains(t, string(text), "pa55")
	s, _ := snapshotOf(t)
	require.Equal(t, "one", s.Source, "the one that was chosen")
	_, stdout, _ := vperf(t, "context", "show")
	require.Regexp(t, `password +set \(from context one \(.*\): keyring\)`, stdout)

	account := "audit@" + host
	code, stderr = typing(t, "", "context", "remove", "two")
	require.Zero(t, code, stderr)
	_, err = keyring.Get("vperf", account)
	require.NoError(t, err, "the other context needs it")
	code, stderr = typing(t, "", "context", "remove", "one", "--force")
	require.Zero(t, code, stderr)
	_, err = keyring.Get("vperf", account)
	require.ErrorIs(t, err, keyring.ErrNotFound)
}

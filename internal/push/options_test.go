package push

import (
	"bytes"
	"cmp"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func file(t *testing.T, dir, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), mode))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

// TestOptionsThatAreWrong: each mistake is explained, and no secret is repeated.
func TestOptionsThatAreWrong(t *testing.T) {
	dir := t.TempDir()
	file(t, dir, "open", "pass-word", 0o644)
	config := func(text string) Receiver {
		return Receiver{URL: "https://it", ConfigFile: file(t, t.TempDir(), "http.yaml", text, 0o644)}
	}
	for want, o := range map[string]Options{
		"--remote-write: this is not a URL: write for example https://HOST/api/v1/write":     {RemoteWrite: Receiver{URL: "prometheus:9090"}},
		"--otlp: this is not a URL: write for example https://HOST/v1/metrics":               {OTLP: Receiver{URL: "https://u:pass-word@it:x/"}},
		"--otlp: the URL contains a user or a password: put them into --otlp.config.file":    {OTLP: Receiver{URL: "https://u:pass-word@it/"}},
		"the URL contains a fragment (#)":                                                    {OTLP: Receiver{URL: "https://it/#x"}},
		"--remote-write.config.file: there is no receiver: add --remote-write URL":           {RemoteWrite: Receiver{ConfigFile: "x"}},
		"--otlp.config.file " + dir + "/none: no such file":                                  {OTLP: Receiver{URL: "https://it", ConfigFile: dir + "/none"}},
		"field basic_aut not found":                                                          {OTLP: config("basic_aut: {}\n")},
		"at most one of basic_auth":                                                          {OTLP: config("basic_auth: {username: u}\nauthorization: {credentials_file: x}\n")},
		"it contains a secret: write the secret into a file of its own":                      {OTLP: config("basic_auth: {username: u, password: pass-word}\n")},
		"it contains a secret":                                                               {OTLP: config("authorization: {credentials: pass-word}\n")},
		"it contains a secret: ":                                                             {OTLP: config("http_headers: {X-Key: {secrets: [pass-word]}}\n")},
		dir + "/open: other users can read it (mode 0644): run chmod 600 " + dir + "/open":   {OTLP: config("authorization: {credentials_file: " + dir + "/open}\n")},
		"/absent: no such file":                                                              {OTLP: config("basic_auth: {username: u, password_file: absent}\n")},
		"unable to read CA cert":                                                             {OTLP: config("tls_config: {ca_file: absent}\n")},
		"--push.interval: 1s is out of range: from 20s, the interval of the counters, to 5m": {Interval: time.Second},
		"--push.buffer: -1 is out of range":                                                  {BufferMiB: -1},
		`--push.label: "site" is not a label: write NAME=VALUE`:                              {Labels: []string{"site"}},
		`--push.label: "__name__=x" is not a label`:                                          {Labels: []string{"__name__=x"}},
		"--push.label: instance is set by vperf":                                             {Labels: []string{"instance=x"}},
		"--push.label: there are two labels a":                                               {Labels: []string{"a=x", "a=y"}},
	} {
		o = withDefaults(o)
		err := o.Check()
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "pass-word")
		if len(o.receivers()) > 0 {
			_, err = New(o)
			require.ErrorContains(t, err, want)
		}
	}
	o := withDefaults(Options{})
	require.NoError(t, o.Check())
	o.BufferMiB = 0
	require.ErrorContains(t, o.Check(), "--push.buffer: 0 is out of range: from 1 to 65536 MiB")
}

// withDefaults sets the values of flags that are not typed.
func withDefaults(o Options) Options {
	o.Interval, o.BufferMiB = cmp.Or(o.Interval, DefaultInterval), cmp.Or(o.BufferMiB, DefaultBufferMiB)
	return o
}

func TestAddresses(t *testing.T) {
	o := Options{RemoteWrite: Receiver{URL: "http://127.0.0.1:9090"}, OTLP: Receiver{URL: "https://it/x/v1/metrics?token=secret"}}
	require.Equal(t, []string{"remote-write http://127.0.0.1:9090/api/v1/write", "otlp https://it/x/v1/metrics"}, o.Addresses())
	require.True(t, o.Enabled())
	require.False(t, new(Options).Enabled())
}

// TestCredentials come from files at each request, and certificates are verified.
func TestCredentials(t *testing.T) {
	dir := t.TempDir()
	var got *http.Request
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got = r; r.URL.Path == "/moved" {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}
	}))
	defer s.Close()
	ca := file(t, dir, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})), 0o644)
	secret := file(t, dir, "secret", "pass-word\n", 0o600)
	send := func(path, config string) outcome {
		t.Helper()
		r := receiver{kindOTLP, Receiver{URL: s.URL + path}}
		if config != "" {
			r.ConfigFile = file(t, dir, "http.yaml", config, 0o644)
		}
		c, err := r.client("1.2.3")
		require.NoError(t, err)
		to, err := r.address()
		require.NoError(t, err)
		return newOTLP(to, c.Client, nil, "").send(t.Context(), nil)
	}
	o := send("", "")
	require.Equal(t, failed, o.verdict)
	require.ErrorContains(t, o.err, "certificate")
	require.Nil(t, got)

	trust := "tls_config: {ca_file: " + ca + "}\n"
	require.NoError(t, send("", trust+"basic_auth: {username: u, password_file: secret}\n").err)
	user, password, _ := got.BasicAuth()
	require.Equal(t, [4]string{"u", "pass-word", "/v1/metrics", "vperf/1.2.3"}, [4]string{user, password, got.URL.Path, got.UserAgent()})

	require.NoError(t, os.WriteFile(secret, []byte("newer"), 0o600))
	require.NoError(t, send("", trust+"authorization: {credentials_file: secret}\nhttp_headers: {X-Scope-OrgID: {values: [t1]}}\n").err)
	require.Equal(t, [2]string{"Bearer newer", "t1"}, [2]string{got.Header.Get("Authorization"), got.Header.Get("X-Scope-Orgid")})

	require.Equal(t, doubtful, send("/moved", trust).verdict)
	require.Equal(t, "/moved", got.URL.Path, "vperf connects to no address that is not configured")
}

func TestWarnings(t *testing.T) {
	dir := t.TempDir()
	secret := file(t, dir, "secret", "x", 0o600)
	config := file(t, dir, "http.yaml", "authorization: {credentials_file: "+secret+"}\ntls_config: {insecure_skip_verify: true}\n", 0o644)
	for url, want := range map[string][2]bool{"http://it": {true, true}, "http://127.0.0.1": {false, true}, "https://it": {false, true}} {
		var log bytes.Buffer
		_, err := New(withDefaults(Options{RemoteWrite: Receiver{url, config}, Log: slog.New(slog.NewTextHandler(&log, nil))}))
		require.NoError(t, err)
		require.Equal(t, want, [2]bool{bytes.Contains(log.Bytes(), []byte("without encryption")), bytes.Contains(log.Bytes(), []byte("is not verified"))}, url)
	}
}

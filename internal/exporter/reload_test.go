package exporter

import (
	"context"
	"errors"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReloadRequest(t *testing.T) {
	var fails error
	o := ServerOptions{Reload: func(ctx context.Context) ([]TargetConfig, error) {
		if _, bounded := ctx.Deadline(); !bounded || ctx.Err() != nil {
			t.Error("reading the configuration has to end, and not because somebody went away")
		}
		return []TargetConfig{{Name: "new"}}, fails
	}}
	s, f := aServer(t, o, named("demo"))
	require.Contains(t, get(s, "/metrics").Body.String(), "\nvperf_config_last_reload_successful 1\n", "the initial configuration is in force")

	for _, method := range []string{http.MethodPost, http.MethodPut} {
		w := request(s, method, "/-/reload")
		require.Equal(t, http.StatusOK, w.Code)
	}
	require.Equal(t, [][]TargetConfig{{{Name: "new"}}, {{Name: "new"}}}, f.configured)
	require.Equal(t, http.StatusMethodNotAllowed, get(s, "/-/reload").Code)

	fails = errors.New("config.yaml, line 3: no module \"bsic\"\x1b")
	s.now = func() time.Time { return noon.Add(time.Hour) }
	w := request(s, http.MethodPost, "/-/reload")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Equal(t, "the new configuration is not used, the old one stays in force: config.yaml, line 3: no module \"bsic\"\\x1b\n", w.Body.String())
	require.Len(t, f.configured, 2, "the old one goes on")
	metrics := get(s, "/metrics").Body.String()
	require.Contains(t, metrics, "\nvperf_config_last_reload_successful 0\n")
	require.Contains(t, metrics, "\nvperf_config_last_reload_success_timestamp_seconds 1.777896e+09\n")
	require.Contains(t, get(s, "/").Body.String(), "The new configuration could not be loaded")

	fails, f.refuses = nil, errors.New("two targets are called new")
	require.Equal(t, http.StatusInternalServerError, request(s, http.MethodPost, "/-/reload").Code)
	f.refuses = nil
	require.Equal(t, http.StatusOK, request(s, http.MethodPost, "/-/reload").Code)
	require.Contains(t, get(s, "/metrics").Body.String(), "\nvperf_config_last_reload_successful 1\n")
}

func TestReloadOutlivesWhoAskedForIt(t *testing.T) {
	s, f := aServer(t, ServerOptions{Reload: func(ctx context.Context) ([]TargetConfig, error) { return nil, ctx.Err() }})
	gone, leave := context.WithCancel(t.Context())
	leave()
	require.NoError(t, s.reloads.reload(gone))
	require.Len(t, f.configured, 1)
}

func TestNothingToReload(t *testing.T) {
	s, _ := aServer(t, ServerOptions{})
	w := request(s, http.MethodPost, "/-/reload")
	require.Equal(t, http.StatusNotImplemented, w.Code)
	require.Contains(t, w.Body.String(), "without a configuration")
	require.Contains(t, get(s, "/metrics").Body.String(), "\nvperf_config_last_reload_successful 1\n", "nothing failed")
}

func TestOtherSitesMayNotReload(t *testing.T) {
	s, f := aServer(t, ServerOptions{Reload: func(context.Context) ([]TargetConfig, error) { return nil, nil }})
	require.Equal(t, http.StatusForbidden, request(s, http.MethodPost, "/-/reload", "Sec-Fetch-Site", "cross-site").Code)
	require.Empty(t, f.configured)
	require.Equal(t, http.StatusOK, request(s, http.MethodPost, "/-/reload", "Sec-Fetch-Site", "same-origin").Code)
}

func TestHangupReloads(t *testing.T) {
	done := make(chan struct{})
	s, _ := aServer(t, ServerOptions{Reload: func(context.Context) ([]TargetConfig, error) { done <- struct{}{}; return nil, nil }})
	hangup := make(chan os.Signal)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { s.reloads.follow(ctx, hangup); close(ended) }()
	for range 2 {
		hangup <- syscall.SIGHUP
		<-done
	}
	stop()
	<-ended
}

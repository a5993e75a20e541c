package release

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// page is a release page that gives one answer.
func page(t *testing.T, status int, location string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead || r.URL.Path != "/latest" {
			http.Error(w, "one request without a body is enough", http.StatusTeapot)
			return
		}
		if location != "" {
			w.Header().Set("Location", location)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/latest"
}

func TestAsk(t *testing.T) {
	for _, c := range []struct {
		name     string
		status   int
		location string
		version  string
		err      string
	}{
		{name: "a release", status: 302, location: "/vperf/releases/tag/v0.2.0", version: "v0.2.0"},
		{name: "no release", status: 302, location: "/vperf/releases", err: "no release yet"},
		{name: "no page", status: 404, err: "no release yet"},
		{name: "a proxy's login", status: 302, location: "/login", err: `unexpected redirect to "`},
		{name: "no redirect", status: 200, err: "unexpected answer 200 OK"},
		{name: "broken", status: 503, err: "unexpected answer 503"},
	} {
		t.Run(c.name, func(t *testing.T) {
			latest, err := Ask(t.Context(), page(t, c.status, c.location))
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.version, latest.Version)
			require.Contains(t, latest.URL, c.location)
		})
	}
}

func TestAskWithoutNetwork(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	_, err := Ask(t.Context(), s.URL)
	require.ErrorContains(t, err, "asking "+s.URL+" for the latest release: ")
	require.ErrorContains(t, err, "refused")
}

// TestAskEnds: a page that never answers does not keep vperf.
func TestAskEnds(t *testing.T) {
	asked, ctx := make(chan struct{}), t.Context()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	defer s.Close()
	ctx, cancel := context.WithCancel(ctx)
	go func() { <-asked; cancel() }()
	_, err := Ask(ctx, s.URL)
	require.ErrorIs(t, err, context.Canceled)
}

func TestVersions(t *testing.T) {
	require.True(t, IsRelease("v0.1.0"))
	for _, other := range []string{"", "(devel)", "v0.1.0-rc.1", "v0.1.1-0.20261124185518-a7933874c8b1", "v0.1.0+dirty", "0.1.0"} {
		require.False(t, IsRelease(other), other)
	}
	l := Latest{Version: "v0.10.0"}
	require.True(t, l.IsNewer("v0.9.0"))
	require.False(t, l.IsNewer("v0.10.0"))
	require.False(t, l.IsNewer("v0.11.0"))
}

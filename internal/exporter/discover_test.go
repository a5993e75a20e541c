package exporter

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiscover(t *testing.T) {
	one, two := named("one"), named("two")
	one.groups = []Group{{Targets: []string{"esx01.example.com"}, Labels: map[string]string{"__meta_vsphere_host": "esx01<b>"}}}
	two.groups = []Group{{Targets: []string{"esx02.example.com"}, Labels: map[string]string{}}}
	s, _ := aServer(t, ServerOptions{}, one, two, named("empty"))
	first := `{"targets":["esx01.example.com"],"labels":{"__meta_vsphere_host":"esx01\u003cb\u003e"}}`
	second := `{"targets":["esx02.example.com"],"labels":{}}`
	for path, want := range map[string]string{
		"/sd/hosts":              "[" + first + "," + second + "]",
		"/sd/hosts?target=one":   "[" + first + "]",
		"/sd/hosts?target=two":   "[" + second + "]",
		"/sd/hosts?target=empty": "[]",
	} {
		w := get(s, path)
		require.Equal(t, http.StatusOK, w.Code, path)
		require.Equal(t, want, w.Body.String(), path)
		require.Equal(t, "application/json", w.Header().Get("Content-Type"), path)
	}
	require.Equal(t, http.StatusNotFound, get(s, "/sd/hosts?target=three").Code)
	require.Equal(t, http.StatusBadRequest, get(s, "/sd/hosts?target=one&target=two").Code)

	s, _ = aServer(t, ServerOptions{})
	require.Equal(t, "[]", get(s, "/sd/hosts").Body.String())
}

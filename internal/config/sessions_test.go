package config

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSessionsAreKeptWhereGovcKeepsThem(t *testing.T) {
	home := t.TempDir()
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"default":         {nil, filepath.Join(home, ".govmomi", "sessions")},
		"moved":           {map[string]string{"GOVMOMI_HOME": "/elsewhere"}, "/elsewhere/sessions"},
		"off for govc":    {map[string]string{"GOVC_PERSIST_SESSION": "false"}, ""},
		"on for vperf":    {map[string]string{"GOVC_PERSIST_SESSION": "false", "VPERF_PERSIST_SESSION": "true"}, filepath.Join(home, ".govmomi", "sessions")},
		"nobody's home":   {map[string]string{"HOME": ""}, ""},
		"on as by itself": {map[string]string{"GOVC_PERSIST_SESSION": "1"}, filepath.Join(home, ".govmomi", "sessions")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range []string{"GOVMOMI_HOME", "GOVC_PERSIST_SESSION", "VPERF_PERSIST_SESSION"} {
				t.Setenv(v, "")
			}
			t.Setenv("HOME", home)
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			got, err := sessionDir()
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
	t.Setenv("VPERF_PERSIST_SESSION", "maybe")
	_, err := sessionDir()
	require.ErrorContains(t, err, `VPERF_PERSIST_SESSION is "maybe": write true or false`)
}

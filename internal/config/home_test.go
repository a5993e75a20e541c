package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// planted must never occur in any output.
const planted = "gEh3im-pa55"

// clean returns a machine without settings of vperf or govc, except the given config file.
func clean(t *testing.T, text string) string {
	t.Helper()
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "VPERF_") || strings.HasPrefix(name, "GOVC_") {
			t.Setenv(name, "")
		}
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	path := filepath.Join(home, ".config", "vperf", "config.yaml")
	if text != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return path
}

func setAll(t *testing.T, env map[string]string) {
	t.Helper()
	for name, value := range env {
		t.Setenv(name, value)
	}
}

// settings loads, chooses and resolves like a command.
func settings(t *testing.T, f Flags, names ...string) *Settings {
	t.Helper()
	s, err := trySettings(f, names...)
	require.NoError(t, err)
	return s
}

func trySettings(f Flags, names ...string) (*Settings, error) {
	file, err := Load()
	if err != nil {
		return nil, err
	}
	chosen, err := file.Choose(names, false)
	if err != nil {
		return nil, err
	}
	return Resolve(f, chosen[0])
}

// write creates a file with that mode, whatever the umask.
func write(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

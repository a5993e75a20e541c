package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMachine(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	m := Machine{Version: "vperf v1", Built: now.AddDate(0, -1, 0), Now: now, ConfigFile: "/etc/x.yaml", ConfigExists: true, StateDir: filepath.Join(dir, "a", "b")}
	require.Equal(t, []Result{
		{ID: "vperf", Status: OK, Text: "vperf v1; built on 2026-05-01"}, {ID: "config file", Status: OK, Text: "/etc/x.yaml"},
		{ID: "journals", Status: OK, Text: m.StateDir + " can be made"},
	}, m.Check())
	require.NoDirExists(t, filepath.Join(dir, "a"), "it makes nothing")

	m.Built, m.ConfigExists = now.AddDate(-2, 0, 0), false
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	m.StateDir = filepath.Join(file, "runs")
	r := m.Check()
	require.Equal(t, Warning, r[0].Status)
	require.Equal(t, Absent, r[1].Status)
	require.Equal(t, Fail, r[2].Status)
	require.NotEmpty(t, r[2].Try)

	m.StateErr = errors.New("no home")
	require.Equal(t, "no home", m.Check()[2].Cause)
	require.Equal(t, Fail, NewReport(now, m.Check(), nil).Status)

	if os.Getuid() == 0 {
		return // root may write everywhere
	}
	closed := filepath.Join(dir, "closed")
	require.NoError(t, os.Mkdir(closed, 0o500))
	_, err := writableFolder(filepath.Join(closed, "runs"))
	require.ErrorContains(t, err, "permission denied")
}

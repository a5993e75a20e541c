package vspheretest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
)

// Recorded loads a recording of a real vCenter 8.0.1 into the simulator.
func Recorded(t *testing.T) *simulator.Model {
	t.Helper()
	file, err := filepath.Abs("../../../../shared/testdata/vcenter/recorded-vcenter-8.0.1.tar.xz")
	require.NoError(t, err)
	if _, err := os.Stat(file); err != nil {
		t.Skip("recorded vCenter not present: the test of a real host's facts needs it")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "tar", "xJf", file, "-C", dir).CombinedOutput(); err != nil {
		t.Skipf("recorded vCenter not present: it cannot be unpacked: %s", out)
	}
	dir = filepath.Join(dir, "test-data", "SDDC-Datacenter")
	for _, large := range []string{
		"*ExtensionManager*", "*LocalizationManager*", "*HostVirtualNicManager*",
	} {
		files, _ := filepath.Glob(filepath.Join(dir, large)) // nothing of it is read here
		for _, f := range files {
			require.NoError(t, os.RemoveAll(f))
		}
	}
	for _, large := range []string{"*-HostSystem-host-*", "*-EventManager-*", "*-TaskManager-*", "*-AuthorizationManager-*", "*-Folder-*", "*-PerformanceManager-*"} {
		files, _ := filepath.Glob(filepath.Join(dir, large+".xml"))
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			slim := withoutProperties(string(text), "systemResources", "declaredAlarmState", "description", "perfCounter")
			require.NoError(t, os.WriteFile(f, []byte(slim), 0o600))
		}
	}
	m := new(simulator.Model)
	Building.Lock()
	defer Building.Unlock()
	require.NoError(t, m.Load(dir))
	return m
}

// withoutProperties returns a recorded object without properties that no test needs and that take long to load.
func withoutProperties(object string, names ...string) string {
	for _, name := range names {
		object = withoutPart(object, "<propSet>\n    <name>"+name+"</name>", "\n  </propSet>")
	}
	return withoutPart(object, "\n      <systemResources>", "\n      </systemResources>") // config has a copy of it
}

func withoutPart(text, from, to string) string {
	before, rest, found := strings.Cut(text, from)
	if _, after, ends := strings.Cut(rest, to); found && ends {
		return before + after
	}
	return text
}

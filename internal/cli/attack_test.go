package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/proof"
)

// allocated is how many bytes a call allocates.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// laughs is YAML whose value has 9 to the power of 9 words once its aliases are expanded. key is what the file begins with.
func laughs(key string) string {
	var text strings.Builder
	text.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		fmt.Fprintf(&text, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), ", "))
	}
	return text.String() + key + ": *a9\n"
}

// Aliases in YAML are not expanded, or are refused: a file of 500 bytes does not take all memory.
func TestAliasesThatMultiply(t *testing.T) {
	proof.NotRaced(t)
	const most = 512 << 20 // bytes; compiling the rules takes a part of it
	for key, command := range map[string][]string{
		"want":              {"rules", "lint", "%s.yaml"},
		"examples":          {"rules", "test", "%s.yaml"},
		"waivers":           {"audit", "--from", "testdata/none.json", "--waivers", "%s.yaml"},
		"contexts":          {"config", "show"},
		"protect":           {"context", "list"},
		"tls_server_config": {"exporter", "--demo", "--config.check", "--web.config.file", "%s.yaml"},
		"basic_auth_users":  {"exporter", "--demo", "--config.check", "--web.config.file", "%s.yaml"},
		"exporter":          {"exporter", "--config.check"},
		"profiles":          {"audit", "--demo"},
		"audit":             {"audit", "--demo"},
	} {
		t.Run(key, func(t *testing.T) {
			ownHome(t)
			path := filepath.Join(t.TempDir(), "laughs")
			require.NoError(t, os.WriteFile(path+".yaml", []byte(laughs(key)), 0o600))
			t.Setenv("VPERF_CONFIG", path+".yaml")
			if strings.Contains(strings.Join(command, " "), "%s") {
				t.Setenv("VPERF_CONFIG", "")
			}
			if key == "waivers" {
				serve(t, simulator.ESX())
				command = []string{"audit", "--waivers", "%s.yaml"}
			}
			var code int
			var stdout, stderr string
			used := allocated(func() { code, stdout, stderr = vperf(t, replaced(command, path)...) })
			require.Contains(t, []int{exitFailed, exitUsage}, code, "%s%s", stdout, stderr)
			require.Less(t, used, uint64(most))
			require.Contains(t, stdout+stderr, path+".yaml")
			require.NotContains(t, stderr, "goroutine")
		})
	}
}

// writeRule writes a rule of the user's over VMs.
func writeRule(t *testing.T, id, want string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), id+".yaml")
	text := "id: " + id + "\ntitle: A rule\ncategory: vm\nscope: vm\nseverity: low\nwant: |-\n  " + want + "\nwhy: It matters.\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// A rule that walks all VMs for each VM, and again for each pair of them, ends at the cost limit. Its result is unknown, with its name.
func TestRulesThatWalkAllForEach(t *testing.T) {
	proof.NotRaced(t)
	model := simulator.VPX()
	model.Machine = 12
	serve(t, model)
	want := `a0.name + a1.name != "x"`
	for i := 5; i >= 0; i-- {
		want = fmt.Sprintf("cluster.hosts.all(h%d, h%d.vms.all(a%d, %s))", i, i, i, want)
	}
	code, stdout, stderr := vperf(t, "audit", "--rules", writeRule(t, "walks-all", want), "--rule", "walks-all")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "UNKNOWN  walks-all")
	require.Contains(t, stdout, "exceed the cost limit of 1000000 steps")
	code, _, stderr = vperf(t, "audit", "--rules", writeRule(t, "walks-all", want), "--rule", "walks-all", "--fail-on", "low")
	require.Equal(t, exitIncomplete, code, "what could not be judged does not pass")
	require.Contains(t, stderr, "walks-all")
}

// Regular expressions are RE2's: they take time in proportion to the text, not to the power of its length.
func TestRegularExpressionsAreLinear(t *testing.T) {
	proof.NotRaced(t)
	model := simulator.VPX()
	require.NoError(t, model.Create())
	for _, o := range model.Map().All("VirtualMachine") {
		vm := o.(*simulator.VirtualMachine)
		vm.Name = strings.Repeat("a", 5000) + "!"
		vm.Config.Name = vm.Name
		vm.Summary.Config.Name = vm.Name
	}
	serve(t, model)
	for want, result := range map[string]string{
		`!vm.name.matches("^(a+)+$")`:             " pass",
		`!vm.name.matches("^(a|a|aa)*(a*)*b?!$")`: " fail",
	} {
		code, stdout, stderr := vperf(t, "audit", "--rules", writeRule(t, "slow-pattern", want), "--rule", "slow-pattern", "--all")
		require.Zero(t, code, stderr)
		require.Regexp(t, `[1-9]\d*`+result+`\b`, stdout, want)
	}
	code, _, stderr := vperf(t, "audit", "--rules", writeRule(t, "backreference", `vm.name.matches("(a)\\1")`), "--rule", "backreference")
	require.Equal(t, exitUsage, code, "what only a backtracking engine can do is refused")
	require.Contains(t, stderr, "backreference")
}

// Answers nested deeper than any of vCenter are refused, and do not end the process.
func TestAnswersNestedDeeply(t *testing.T) {
	proof.NotRaced(t)
	const envelope = `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>`
	for name, body := range map[string]string{
		"10,000":    strings.Repeat("<a>", 10_000) + strings.Repeat("</a>", 10_000),
		"1 million": strings.Repeat("<a>", 1_000_000),
		"inside":    `<RetrieveServiceContentResponse xmlns="urn:vim25"><returnval><rootFolder type="Folder">x</rootFolder>` + strings.Repeat("<about>", 500_000),
	} {
		t.Run(name, func(t *testing.T) {
			stub(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/xml")
				_, _ = io.WriteString(w, envelope+body+"</soapenv:Body></soapenv:Envelope>")
			})
			requireClear(t, exitFailed, []string{"127.0.0.1:"}, "audit")
		})
	}
}

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// exporterConfig writes a config file with two contexts, and more.
func exporterConfig(t *testing.T) (write func(text string), dir string) {
	t.Helper()
	dir = t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	for name, value := range map[string]string{"HOME": dir, "VPERF_CONFIG": path, "VPERF_PASSWORD": "pass-word"} {
		t.Setenv(name, value)
	}
	return func(text string) {
		const contexts = "contexts:\n- {name: one, url: 127.0.0.1:1, username: u}\n- {name: two, url: 127.0.0.1:1, username: u}\n"
		require.NoError(t, os.WriteFile(path, []byte(contexts+text), 0o600))
	}, dir
}

// TestExporterConfigCheck: each mistake is reported with its position, and a wrong config has one exit code.
func TestExporterConfigCheck(t *testing.T) {
	write, dir := exporterConfig(t)
	web := filepath.Join(dir, "web.yaml")
	require.NoError(t, os.WriteFile(web, []byte("tls_server_confg: {}\n"), 0o600))
	for name, tc := range map[string]struct {
		text, want string
		flags      []string
	}{
		"module":     {"exporter:\n  modules: [basic, dsk]\n", `config.yaml:5:20: no module "dsk" (did you mean "disk"?)`, nil},
		"metrics":    {"exporter:\n  include-metrics: [\"esxi_vm_cpu_redy*\"]\n", `target one: include-metrics: "esxi_vm_cpu_redy*" matches no metric (did you mean esxi_vm_cpu_ready`, nil},
		"attributes": {"exporter:\n  custom-attributes: [cost-centre, cost_centre]\n", `"cost-centre" and "cost_centre" would both be the label attribute_cost_centre`, nil},
		"rule":       {"exporter:\n  rules: [cpu-limit, cpu-limits]\n", `config.yaml:5:22: no rule "cpu-limits"`, nil},
		"rule file":  {"exporter:\n  rule-files: [none.yaml]\n", "config.yaml:5:16: reading rules: there is no file or folder " + filepath.Join(dir, "none.yaml"), nil},
		"web config": {"", "field tls_server_confg not found", []string{"--web.config.file", web}},
		"address":    {"", "write HOST:PORT, or :10048", []string{"--web.listen-address", "vperf.example.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			write(tc.text)
			code, _, errs := vperf(t, append([]string{"exporter", "--config.check"}, tc.flags...)...)
			require.Equal(t, 2, code)
			require.Contains(t, errs, tc.want)
			require.NotContains(t, errs, "pass-word")
		})
	}
	write("exporter:\n  targets:\n  - context: one\n  - {name: more, context: two, modules: [basic]}\n")
	code, out, errs := vperf(t, "exporter", "--config.check")
	require.Zero(t, code, errs)
	require.Equal(t, "one at 127.0.0.1:1: basic, datastore, cluster, snapshot, hardware, vsan, audit\nmore at 127.0.0.1:1: basic\n", out)
}

// TestWhatAReloadRestarts: a target begins anew, and its counters with it, when something about it changed, and only then.
func TestWhatAReloadRestarts(t *testing.T) {
	write, dir := exporterConfig(t)
	code, rule, errs := vperf(t, "rules", "new", "house-rule", "--scope", "vm")
	require.Zero(t, code, errs)
	own := filepath.Join(dir, "own.yaml")
	require.NoError(t, os.WriteFile(own, []byte(rule), 0o600))
	prints := func() (one, two string) {
		io, _, _ := iostreams.Test()
		targets, err := new(exporterOptions).targets(t.Context(), NewFactory(io), new(config.Console))
		require.NoError(t, err)
		require.Len(t, targets, 2)
		return targets[0].Fingerprint, targets[1].Fingerprint
	}
	const targets = "  targets:\n  - {context: one, modules: [basic, audit], rule-files: own.yaml}\n  - {context: two, rules: cpu-limit}\n"
	write("exporter:\n" + targets)
	one, two := prints()

	write("# a line more\nexporter:\n  stale: 1m\n" + targets)
	_, changed := prints()
	require.NotEqual(t, two, changed, "a setting of all")
	write("# a line more\n\nexporter:\n" + targets)
	sameOne, sameTwo := prints()
	require.Equal(t, one, sameOne, "lines above are no settings")
	require.Equal(t, two, sameTwo)

	require.NoError(t, os.WriteFile(own, []byte(rule+"# edited\n"), 0o600))
	otherOne, sameTwo := prints()
	require.NotEqual(t, one, otherOne, "its rules are others")
	require.Equal(t, two, sameTwo, "whose rules they are not")
}

// TestRulesAreOfTheTargetThatNamesThem and of no other.
func TestRulesAreOfTheTargetThatNamesThem(t *testing.T) {
	proof.NotRaced(t)
	_, dir := exporterConfig(t)
	code, rule, errs := vperf(t, "rules", "new", "house-rule", "--scope", "vm")
	require.Zero(t, code, errs)
	own := filepath.Join(dir, "own.yaml")
	require.NoError(t, os.WriteFile(own, []byte(rule), 0o600))
	io, _, _ := iostreams.Test()
	all := &judgeCache{factory: NewFactory(io), ready: map[string]*judge{}}
	with, err := all.of(config.Sampling{RuleFiles: []config.Word{{Text: own}}})
	require.NoError(t, err)
	require.Contains(t, with.library.IDs(), "house-rule")
	without, err := all.of(config.Sampling{})
	require.NoError(t, err)
	require.NotContains(t, without.library.IDs(), "house-rule")
	again, err := all.of(config.Sampling{})
	require.NoError(t, err)
	require.Same(t, without, again, "rules are compiled once")
}

// TestRefusedPasswordOfAContext: whoever has contexts does not set GOVC_PASSWORD.
func TestRefusedPasswordOfAContext(t *testing.T) {
	refused := errors.Join(&session.LoginError{Host: "vc01", User: "audit"})
	require.ErrorContains(t, correct(refused, ""), "GOVC_PASSWORD")
	err := correct(refused, "prod")
	require.ErrorContains(t, err, "vperf context show prod")
	require.NotContains(t, err.Error(), "GOVC_")
	require.NoError(t, correct(nil, "prod"))
}

package deploy

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// owners lists the kinds of objects of vmware_exporter: the prefix of its metrics, the series with its labels, those labels, and the vperf
// labels that they replace.
var owners = []struct{ prefix, info, labels, without string }{
	{"vmware_vm_", "vmware:vm_labels", "vm_name, host_name, dc_name, cluster_name, ds_name", "vm"},
	{"vmware_host_", "vmware:host_labels", "host_name, dc_name, cluster_name", "host, host_moid"},
	{"vmware_datastore_", "vmware:datastore_labels", "ds_name, dc_name, ds_cluster", "datastore"},
}

// asTheirs returns an expression with the labels of vmware_exporter.
func asTheirs(t *testing.T, name, expr string) string {
	t.Helper()
	for _, o := range owners {
		if strings.HasPrefix(name, o.prefix) {
			return fmt.Sprintf("sum without (%s) (\n  (%s)\n  * on (job, instance, moid) group_left (%s) %s\n)", o.without, expr, o.labels, o.info)
		}
	}
	require.Fail(t, name+" is of no object of vmware_exporter")
	return ""
}

// TestMovingPage checks that the page lists every vmware_exporter metric once: with the expression of its recording rule, or with the reason
// why there is none.
func TestMovingPage(t *testing.T) {
	const page = "../docs/moving-from-vmware-exporter.md"
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	_, after, found := bytes.Cut(b, []byte("## Name by name\n"))
	require.True(t, found)
	rules := map[string]rule{}
	for _, r := range rulesOf(t, compatFile) {
		if !strings.HasPrefix(r.Record, "vmware:") { // the series with labels
			rules[r.Record] = r
		}
	}
	require.Greater(t, len(rules), 70)
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(vmware_\\w+)` \\| (.+?) \\| (none|`.+?`) \\| (.*?) ?\\|$").FindAllStringSubmatch(string(after), -1) {
		name, expr, note := m[1], strings.ReplaceAll(strings.Trim(m[3], "`"), `\|`, "|"), m[4]
		require.False(t, seen[name], "%s is duplicated", name)
		seen[name] = true
		r, is := rules[name]
		if expr == "none" {
			require.NotEmpty(t, note, name)
			require.False(t, is, "%s: the page says none", place(compatFile, r.Expr.line))
			continue
		}
		require.Equal(t, asTheirs(t, name, expr), r.Expr.s, "%s: %s on the page", place(compatFile, r.Expr.line), name)
		delete(rules, name)
	}
	require.Empty(t, rules, "recorded, but not on the page")
	require.Equal(t, len(seen), strings.Count(string(after), "\n| `"), "a row does not match the pattern")
}

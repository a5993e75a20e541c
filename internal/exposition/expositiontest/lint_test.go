package expositiontest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// TestCatalogue checks every exported name, help and type of measurements.
func TestCatalogue(t *testing.T) {
	var b bytes.Buffer
	w := exposition.NewWriter(&b, exposition.Text)
	for _, f := range catalogue() {
		if f.Name != "" {
			w.Family(f)
			w.Sample(exposition.NewLabels("host", "esx01", "moid", "host-1"), 1)
		}
	}
	require.NoError(t, w.Close())
	require.Greater(t, bytes.Count(b.Bytes(), []byte("# TYPE")), len(esxtop.Catalogue()))
	Lint(t, b.Bytes())
}

func TestProblems(t *testing.T) {
	const good = "# HELP esxi_vm_a_ratio A (esxtop %A).\n# TYPE esxi_vm_a_ratio gauge\nesxi_vm_a_ratio{moid=\"vm-1\",vm=\"a\"} 0.5\n"
	family := func(name, help, kind, series string) string {
		return "# HELP " + name + " " + help + "\n# TYPE " + name + " " + kind + "\n" + name + series + "\n"
	}
	const vm = `{moid="vm-1",vm="a"} 1`
	for name, tc := range map[string]struct{ page, want string }{
		"nothing wrong":        {good, ""},
		"of others":            {family("go_thing_percent", "x", "gauge", ` 1`), ""},
		"a pair of brackets":   {family("esxi_vm_x_bytes", "X (esxtop CAP (MB); mem.x)", "gauge", vm), ""},
		"empty":                {"", "the page is empty"},
		"no page":              {"{", `text format parsing error in line 1: unexpected end of input stream`},
		"help twice":           {good + good, `text format parsing error in line 4: second HELP line for metric name "esxi_vm_a_ratio"`},
		"percent":              {family("esxi_vm_used_percent", "X (esxtop %A)", "gauge", vm), "esxi_vm_used_percent: it is in percent: use a ratio from 0 to 1"},
		"no unit":              {family("esxi_vm_latency", "X (esxtop %A)", "gauge", vm), "esxi_vm_latency: it ends with no unit that is allowed, and with no word that needs none"},
		"promlint's":           {family("esxi_vm_a_total", "X (esxtop %A)", "gauge", vm), `esxi_vm_a_total: it ends with no unit that is allowed, and with no word that needs none|esxi_vm_a_total: non-counter metrics should not have "_total" suffix`},
		"counter without":      {family("esxi_vm_a", "X (esxtop %A)", "counter", vm), `esxi_vm_a: counter metrics should have "_total" suffix`},
		"no source":            {family("esxi_vm_a_bytes", "X.", "gauge", vm), "esxi_vm_a_bytes: its help does not end with where it comes from, in parentheses"},
		"empty source":         {family("esxi_vm_a_bytes", "X. ()", "gauge", vm), "esxi_vm_a_bytes: its help does not end with where it comes from, in parentheses"},
		"info needs none":      {family("esxi_vm_info", "X", "gauge", `{moid="vm-1",vm="a",host="b",host_moid="host-1",tag_owner="x"} 1`), ""},
		"a forbidden label":    {family("esxi_vm_a_bytes", "X (y)", "gauge", `{cluster="c",moid="vm-1",vm="a"} 1`), "esxi_vm_a_bytes: it may not have the label cluster"},
		"only for info":        {family("esxi_vm_a_bytes", "X (y)", "gauge", `{vsphere_cluster="c",moid="vm-1",vm="a"} 1`), "esxi_vm_a_bytes: it may not have the label vsphere_cluster"},
		"of clusters":          {family("esxi_cluster_hosts", "X (y)", "gauge", `{vsphere_cluster="c",moid="domain-c1"} 1`), ""},
		"a label of data":      {family("vperf_up", "X", "gauge", `{vm="c"} 1`), "vperf_up: it may not have the label vm"},
		"no id":                {family("esxi_vm_a_bytes", "X (y)", "gauge", `{vm="c"} 1`), "esxi_vm_a_bytes: a series has no moid"},
		"vm and host":          {family("esxi_vm_a_bytes", "X (y)", "gauge", `{moid="vm-1",vm="c",host="d"} 1`), "esxi_vm_a_bytes: it has both vm and host: a move of the VM would begin another series"},
		"no number":            {family("esxi_vm_a_bytes", "X (y)", "gauge", `{moid="vm-1",vm="c"} NaN`), `esxi_vm_a_bytes: NaN of {moid="vm-1",vm="c"} is not a number`},
		"below zero":           {family("esxi_vm_a_bytes_total", "X (y)", "counter", `{moid="vm-1",vm="c"} -1`), `esxi_vm_a_bytes_total: counter {moid="vm-1",vm="c"} is below zero: -1`},
		"a gauge may be":       {family("esxi_host_sensor_celsius", "X (y)", "gauge", `{moid="host-1",host="c",sensor="s"} -1`), ""},
		"a time stamp":         {family("vperf_up", "X", "gauge", ` 1 1000`), `vperf_up:  has a time stamp`},
		"not the catalogue's":  {family("esxi_vm_cpu_ready_seconds_total", "X (y)", "counter", vm), "esxi_vm_cpu_ready_seconds_total: its help is not that of the catalogue"},
		"another type":         {family("esxi_host_power_watts", esxtop.Lookup("power.usage").Help(), "untyped", `{moid="host-1",host="a"} 1`), "esxi_host_power_watts: the catalogue has it as another type"},
		"a series, many times": {good + "esxi_vm_a_ratio{moid=\"vm-1\",vm=\"a\"} 2\n", `esxi_vm_a_ratio: {moid="vm-1",vm="a"} is there twice|esxi_vm_a_ratio: metric not unique`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, strings.Join(problems([]byte(tc.page)), "|"))
		})
	}
}

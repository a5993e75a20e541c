package advice

import (
	"errors"
	"strings"
	"testing"

	"cel.dev/cel-go/common/types"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/internal/memo"
	"github.com/vperf/vperf/pkg/inventory"
)

// logicHost returns a host with facts in every state: a device list with one unread element, options with and without a
// definition.
func logicHost() *inventory.Host {
	least, most := int64(0), int64(60)
	h := &inventory.Host{
		Version:     inventory.Known(inventory.Version{Major: 6, Minor: 7}),
		ClusterID:   inventory.Absent[string](),
		PowerPolicy: inventory.Absent[string](),
		NUMANodes:   inventory.Known([]*inventory.NUMANode{{ID: 0}, {ID: 1}}),
		PNICs: inventory.Known([]*inventory.PNIC{
			{Device: "vmnic0", LinkMbps: inventory.Known(int64(1000)), NUMANode: inventory.Unread[int64]("no PCI list")},
			{Device: "vmnic1", LinkMbps: inventory.Known(int64(40000)), NUMANode: inventory.Known(int64(1))},
		}),
		Options: inventory.Known(map[string]inventory.Option{
			"Net.NetNetqNumaIOCpuPinThreshold": {Value: inventory.LongValue(0), Min: &least, Max: &most},
			"Numa.PreferHT":                    {Value: inventory.IntValue(1)},
			"Power.CpuPolicy":                  {Value: inventory.StringValue("Balanced")},
			"CBRC.Enable":                      {Value: inventory.BoolValue(true)},
		}),
	}
	h.Live = inventory.NewLive(map[string]inventory.Series{"mem.state": {Worst: 2, Samples: 3}, "net.droppedRx": {}})
	h.Name, h.ID = "host01", "host-1"
	s := &inventory.Snapshot{VCenters: []*inventory.VCenter{{Hosts: []*inventory.Host{h}}}}
	s.Link()
	return h
}

func TestThreeValuedLogic(t *testing.T) {
	const (
		yes, no = "true", "false"
		absent  = "absent"
		broken  = "error"
	)
	for expression, want := range map[string]string{
		`host.version.atLeast("6.0")`:                                 yes,
		`host.version.atLeast("6.7.1")`:                               no,
		`host.pnics.exists(n, n.linkMbps >= 40000)`:                   yes,
		`host.option("Net.NetNetqNumaIOCpuPinThreshold") > 0`:         no,
		`host.optionMax("Net.NetNetqNumaIOCpuPinThreshold") == 60`:    yes,
		`host.option("Numa.PreferHT") == 1`:                           yes,
		`host.optionText("Power.CpuPolicy") == "Balanced"`:            yes,
		`host.optionBool("CBRC.Enable")`:                              yes,
		`min(3, 2) == 2 && min(2, 3) == 2 && max(3, 2) == 3`:          yes,
		`max(2, 3) == 3 && math.bitAnd(5, 4) == 4`:                    yes,
		`host.live("mem.state").worst == 2.0`:                         yes,
		`host.live("net.droppedRx").p95 <= 1.0`:                       absent, // nothing came, so nothing was measured
		`host.live("disk.aborts").worst > 0.0`:                        "disk.aborts",
		`host.cores > 3`:                                              "Host.cores",
		`!(host.cores > 3)`:                                           "Host.cores",
		`host.cores == 4 || host.cores != 4`:                          "Host.cores",
		`host.cores > 3 ? true : false`:                               "Host.cores",
		`string(host.cores) == ""`:                                    "Host.cores",
		`host.cores > 3 || true`:                                      yes,
		`1 > 2 && host.cores > 3`:                                     no,
		`host.pnics.exists(n, n.numaNode == 1)`:                       yes,
		`host.pnics.exists(n, n.numaNode == 7)`:                       "PNIC.numaNode",
		`host.pnics.all(n, n.numaNode == 0)`:                          no,
		`host.pnics.all(n, n.numaNode == 1)`:                          "PNIC.numaNode",
		`host.pnics.filter(n, n.numaNode == 1).size() >= 1`:           "PNIC.numaNode",
		`host.pnics.exists(n, n.driver == "ixgben")`:                  "PNIC.driver PNIC.driver",
		`host.pnics.map(n, n.driver) == ["a", "b"]`:                   "PNIC.driver PNIC.driver",
		`host.powerPolicy == "static"`:                                absent,
		`host.powerPolicy == "static" || host.cores > 3`:              "Host.cores",
		`host.powerPolicy == "static" || host.pnics.size() == 2`:      yes,
		`host.option("Mem.ShareForceSalting") == 2`:                   absent,
		`host.optionMax("Numa.PreferHT") == 1`:                        "Numa.PreferHT maximum",
		`cluster.name == "a"`:                                         absent,
		`cluster.hosts.exists(h, h.cores > 1)`:                        absent,
		`host.pnics[5].linkMbps > 1`:                                  broken,
		`host.numaNodes.size() / 0 == 1`:                              broken,
		`host.numaNodes.exists(n, n.pci.size() > 0)`:                  "NUMANode.pci",
		`profile == "general" && vcenter.kind == ""`:                  yes,
		`host.pnics.filter(n, n.linkMbps > 1).map(n, n.device) == []`: no,
	} {
		t.Run(expression, func(t *testing.T) { require.Equal(t, want, answer(t, expression)) })
	}
}

// answer evaluates an expression on logicHost: true, false, absent, error, or the names of the unread facts.
func answer(t *testing.T, expression string) string {
	t.Helper()
	env, err := expr.ForScope(inventory.ScopeHost, false)
	require.NoError(t, err)
	ast, issues := env.Compile(expression)
	require.NoError(t, issues.Err())
	p, err := env.Program(ast)
	require.NoError(t, err)
	s := &subject{object: logicHost()}
	(&chooser{forced: ProfileGeneral}).prepare(s)
	v, err := run(memo.NewProgram(p, ast, nil), &activation{subject: s, params: nil})
	switch x := v.(type) {
	case *types.Unknown:
		var names []string
		for _, g := range expr.GapsOf(x) {
			require.NotEmpty(t, g.Reason)
			names = append(names, g.Fact)
		}
		return strings.Join(names, " ")
	case types.Bool:
		require.NoError(t, err)
		if x {
			return "true"
		}
		return "false"
	}
	require.Error(t, err)
	if errors.Is(err, expr.ErrAbsent) {
		return "absent"
	}
	return "error"
}

func TestGapsNameObjectFactAndReason(t *testing.T) {
	env, err := expr.ForScope(inventory.ScopeHost, false)
	require.NoError(t, err)
	ast, issues := env.Compile(`host.pnics.all(n, n.numaNode == 1) && host.cores == 3`)
	require.NoError(t, issues.Err())
	p, err := env.Program(ast)
	require.NoError(t, err)
	h := logicHost()
	h.Unread = "host does not respond"
	s := &subject{object: h}
	new(chooser).prepare(s)
	v, err := run(memo.NewProgram(p, ast, nil), &activation{subject: s, params: nil})
	require.NoError(t, err)
	gaps := expr.GapsOf(v.(*types.Unknown))
	require.Len(t, gaps, 2)
	require.Equal(t, "host01", gaps[0].Object.Name)
	require.Equal(t, "host does not respond", gaps[0].Reason)
	require.Equal(t, "host01/vmnic0", gaps[1].Object.Name)
	require.Equal(t, "no PCI list", gaps[1].Reason, "a fact's own reason beats its object's")
}

// TestRefusedWhenCompiled: expressions that would give unread facts a value, or hide an error until they are evaluated,
// do not compile.
func TestRefusedWhenCompiled(t *testing.T) {
	for expression, want := range map[string]string{
		`has(host.cores)`:                                       "undeclared reference to 'has'",
		`dyn(host).cores == 4`:                                  "undeclared reference to 'dyn'",
		`type(host.cores) == int`:                               "undeclared reference to 'type'",
		`host.?cores.orValue(3) == 3`:                           "unsupported syntax '.?'",
		`host.corez == 4`:                                       "undefined field 'corez'",
		`host.unread == ""`:                                     "undefined field 'unread'",
		`host.options.size() > 1`:                               "undefined field 'options'",
		`vm.vcpus > 1`:                                          "undeclared reference to 'vm'",
		`host.cores == "4"`:                                     "found no matching overload",
		`host.version.atLeast("six")`:                           "want digits and points",
		`host.version.atLeast(host.name)`:                       "needs a text in quotes",
		`host.option("Net.Typo") > 0`:                           "no release from 6.0 to 9.0",
		`host.option("Net." + "NetqNumaIO") > 0`:                "needs a text in quotes",
		`host.option("Power.CpuPolicy") > 0`:                    "is a string: read it with optionText",
		`host.optionBool("Numa.PreferHT")`:                      "is a long: read it with option",
		`host.optionMax("Power.CpuPolicy") > 0`:                 "is a string: read it with optionText",
		`host.name.matches("[a-")`:                              "invalid matches argument",
		`duration("3 days") > duration("1h")`:                   "invalid duration",
		`host.option("Disk.SchedNumReqOutstanding") > 0`:        "no release from 6.0 to 9.0",
		`inventory.Host{name: "x"}.cores == 0 || host.x.y == 1`: "undefined field 'x'",
	} {
		t.Run(expression, func(t *testing.T) {
			env, err := expr.ForScope(inventory.ScopeHost, false)
			require.NoError(t, err)
			_, issues := env.Compile(expression)
			require.ErrorContains(t, issues.Err(), want)
		})
	}
}

// TestProgramsAreShared: a rule's programs are safe for concurrent use, as the race detector checks.
func TestProgramsAreShared(t *testing.T) {
	env, err := expr.ForScope(inventory.ScopeHost, false)
	require.NoError(t, err)
	ast, issues := env.Compile(`host.pnics.exists(n, n.linkMbps >= 40000) && host.option("Numa.PreferHT") == 1`)
	require.NoError(t, issues.Err())
	p, err := env.Program(ast)
	require.NoError(t, err)
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			s := &subject{object: logicHost()}
			new(chooser).prepare(s)
			for range 500 {
				v, err := run(memo.NewProgram(p, ast, nil), &activation{subject: s, params: nil})
				require.NoError(t, err)
				require.Equal(t, types.True, v)
			}
		})
	}
}

package script_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/script"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// harm is a name that tries to run commands, end comments and close quotes of either kind.
const harm = "db'; touch harmed; #\n$(touch harmed) `touch harmed` \u2019; New-Item harmed; \u2018"

func known(v inventory.Value) inventory.Fact[inventory.Value] { return inventory.Known(v) }

func change(setting, device string, before, after inventory.Fact[inventory.Value], a inventory.Activation) tuning.Change {
	address := tuning.Address{Setting: setting, Device: device}
	return tuning.Change{
		Address: address, Before: before, After: after, Activation: a, Causes: []tuning.Cause{{Rule: "a-rule"}},
		Inverse: tuning.Inverse{Kind: inventory.InverseExact, Write: []tuning.Assignment{{Address: address, Value: before}}},
	}
}

func numbers(from, to int64) (before, after inventory.Fact[inventory.Value]) {
	return known(inventory.LongValue(from)), known(inventory.LongValue(to))
}

func plan(steps ...tuning.Step) *tuning.Plan {
	for i := range steps {
		steps[i].ID = i + 1
	}
	return &tuning.Plan{
		Schema: tuning.PlanSchema, Made: time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC), Digest: "0123",
		Server: tuning.Server{Name: harm, UUID: "server-uuid"}, Steps: steps,
	}
}

// everyKind has a change of each kind that vperf writes.
func everyKind() *tuning.Plan {
	host := tuning.Target{Kind: inventory.ScopeHost, ID: "host-11", UUID: "host-uuid", Name: harm, Path: "/DC/" + harm}
	vm := tuning.Target{Kind: inventory.ScopeVM, ID: "vm-7", UUID: "vm-uuid", Name: harm}
	zero, sixty := numbers(0, 60)
	text := func(s string) inventory.Fact[inventory.Value] { return known(inventory.StringValue(s)) }
	no, yes := known(inventory.BoolValue(false)), known(inventory.BoolValue(true))
	nothing := inventory.Absent[inventory.Value]()
	live, off := inventory.ActivationLive, inventory.ActivationPowerOff
	lock := change("vm-memory-lock", "", no, yes, live)
	lock.Inverse.Write = append(lock.Inverse.Write, tuning.Assignment{Address: tuning.Address{Setting: "vm-memory-reservation"}, Value: known(inventory.LongValue(512))})
	pool := change("pool-cpu-limit", "", known(inventory.LongValue(1000)), known(inventory.LongValue(-1)), live)
	pool.Inverse = tuning.Inverse{Kind: inventory.InverseNone, About: "nothing does"}
	sockets := change("vm-cores-per-numa-node", "", nothing, known(inventory.LongValue(8)), off)
	sockets.Inverse.Kind, sockets.Inverse.Write[0].Value = inventory.InverseEquivalent, known(inventory.LongValue(0))
	of := func(t tuning.Target, kind inventory.Scope, id string) tuning.Target {
		t.Kind, t.ID, t.UUID = kind, id, ""
		return t
	}
	return plan(
		tuning.Step{Target: host, Changes: []tuning.Change{change("host-option/Net.NetNetqNumaIOCpuPinThreshold", "", zero, sixty, live)}},
		tuning.Step{Target: host, Changes: []tuning.Change{change("host-option/VMkernel.Boot.netNetqueueEnabled", "", no, yes, inventory.ActivationHostReboot)}},
		tuning.Step{Target: host, Changes: []tuning.Change{change("power-policy", "", text("dynamic"), text("static"), live)}},
		tuning.Step{Target: host, Changes: []tuning.Change{change("hyperthreading", "", no, yes, inventory.ActivationHostReboot)}},
		tuning.Step{Target: host, Changes: []tuning.Change{change("driver-options/RSS", "nmlx5_core", text("0"), text("4,4"), inventory.ActivationDriverReload)}},
		tuning.Step{Target: host, Changes: []tuning.Change{change("lun-outstanding-ios", "naa.1", known(inventory.LongValue(32)), known(inventory.LongValue(64)), live)}},
		tuning.Step{Target: vm, Changes: []tuning.Change{
			change("vm-latency", "", text("normal"), text("high"), inventory.ActivationPowerCycle),
			lock,
			change("vm-cpu-limit", "", known(inventory.LongValue(1000)), known(inventory.LongValue(-1)), live),
			change("vm-vmx/ethernet0.pnicFeatures", "", nothing, text("it's 4"), inventory.ActivationPowerCycle),
			change("vm-cpu-affinity", "", text("0 1"), text(""), live),
			change("vm-ht-sharing", "", text("none"), text("any"), live),
			change("vdisk-iops-limit", "2000", known(inventory.LongValue(100)), known(inventory.LongValue(-1)), live),
		}},
		tuning.Step{Target: vm, Deferred: "the VM has to be off, and runs", Changes: []tuning.Change{
			change("vm-cpu-hotadd", "", yes, no, off), sockets,
		}, Owner: harm, Place: harm},
		tuning.Step{Target: of(vm, inventory.ScopeCluster, "domain-c7"), Changes: []tuning.Change{change("cluster-drs-automation", "", text("manual"), text("fullyAutomated"), live)}},
		tuning.Step{Target: of(vm, inventory.ScopePool, "resgroup-8"), Changes: []tuning.Change{pool}},
		tuning.Step{Target: of(vm, inventory.ScopeSwitch, "dvs-3"), Changes: []tuning.Change{change("switch-nioc", "", no, yes, live)}},
		tuning.Step{Target: of(vm, inventory.ScopeDatastore, "datastore-4"), Changes: []tuning.Change{change("datastore-unmap", "", text("low"), text("none"), live)}},
	)
}

func written(t *testing.T, write func(io.Writer, *tuning.Plan) error, p *tuning.Plan) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, write(&b, p))
	return b.String()
}

func TestScripts(t *testing.T) {
	for name, write := range map[string]func(io.Writer, *tuning.Plan) error{"plan.govc.sh": script.Govc, "plan.esxcli.sh": script.ESXCLI, "plan.ps1": script.PowerCLI} {
		t.Run(name, func(t *testing.T) {
			golden.Equal(t, "testdata/"+name, []byte(written(t, write, everyKind())))
		})
	}
}

// PowerShell ends a single quote with any of five characters, and old ones read a file in another code page than it has.
func TestPowerCLIIsPlainASCIIAndItsQuotesAreClosed(t *testing.T) {
	for line := range strings.Lines(written(t, script.PowerCLI, everyKind())) {
		for _, r := range strings.TrimSuffix(line, "\n") {
			require.True(t, r >= ' ' && r <= '~', "%q", line)
		}
		code, _, _ := strings.Cut(line, "New-Item harmed")
		if strings.HasPrefix(line, "#") || code == line {
			continue
		}
		require.Equal(t, 1, strings.Count(strings.ReplaceAll(code, "''", ""), "'")%2, "the command is inside of quotes: %s", line)
	}
}

// PowerCLI supports every kind that vperf writes; the other tools list the kinds they omit.
func TestWhatAToolCannotDoStandsInItsScript(t *testing.T) {
	powercli := written(t, script.PowerCLI, everyKind())
	require.NotContains(t, powercli, "not in this script")
	require.Regexp(t, `cores-per-numa-node'\)? '8' '0' `, powercli, "the way back leads to another value that means the same")
	govc := written(t, script.Govc, everyKind())
	require.Contains(t, govc, "# NOT IN THIS SCRIPT: govc has no command for driver-options/RSS")
	require.Contains(t, govc, "say 'cannot be undone")
	require.Contains(t, written(t, script.ESXCLI, everyKind()), "# NOT IN THIS SCRIPT: esxcli cannot change a vm")
	anonymous := everyKind()
	anonymous.Steps[0].Target.UUID = ""
	require.Contains(t, written(t, script.ESXCLI, anonymous), "the script could run on the wrong host")
	for _, k := range inventory.SettingKinds() {
		if k.Applicable() && k.Name != "vnic-vmx" { // which is a key of its VM by then
			name := k.Name
			if k.Keyed {
				name += "/Net.UseHwTSO"
			}
			c := change(name, "", known(inventory.StringValue("a")), known(inventory.StringValue("b")), inventory.ActivationLive)
			require.NotContains(t, written(t, script.PowerCLI, plan(tuning.Step{Changes: []tuning.Change{c}})), "not in this script", name)
		}
	}
}

// bench runs scripts with tools that store their settings in files.
type bench struct {
	t       *testing.T
	dir     string
	path    string
	content string
}

func newBench(t *testing.T, content string, tools map[string]string) *bench {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	b := &bench{t: t, dir: t.TempDir(), content: content}
	for name, text := range tools {
		require.NoError(t, os.WriteFile(filepath.Join(b.dir, name), []byte("#!"+sh+"\n"+text), 0o700))
	}
	b.path = b.dir + ":" + os.Getenv("PATH")
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "fix.sh"), []byte(content), 0o600))
	return b
}

func (b *bench) set(name, v string) {
	require.NoError(b.t, os.WriteFile(filepath.Join(b.dir, name), []byte(v+"\n"), 0o600))
}

func (b *bench) get(name string) string {
	v, err := os.ReadFile(filepath.Join(b.dir, name))
	require.NoError(b.t, err)
	return strings.TrimSuffix(string(v), "\n")
}

// run runs the script and returns its exit code and output; commands in names must not be run.
func (b *bench) run(word string) (code int, said string) {
	b.t.Helper()
	c := exec.CommandContext(b.t.Context(), "sh", "fix.sh", word)
	c.Dir, c.Env = b.dir, []string{"PATH=" + b.path}
	out, _ := c.CombinedOutput()
	_, err := os.Stat(filepath.Join(b.dir, "harmed"))
	require.ErrorIs(b.t, err, os.ErrNotExist, "a name was run as a command")
	return c.ProcessState.ExitCode(), string(out)
}

// fakeGovc has one host option, one VMX key and a limit.
const fakeGovc = `
echo "$*" >> calls
case "$1" in
object.collect) case "$4" in
  content.about.instanceUuid) cat server-uuid ;;
  hardware.systemInfo.uuid) cat host-uuid ;;
  config.instanceUuid) echo vm-uuid ;;
  runtime.powerState) cat power ;;
  config.cpuAllocation.limit) cat limit ;;
  config.cpuHotAddEnabled) cat hotadd ;;
  esac ;;
host.option.ls) [ "$2 $3" = "-host HostSystem:host-11" ] && now=$(cat option) && echo "$4:  $now" ;;
host.option.set) echo "$5" > option ;;
vm.info) echo "  ExtraConfig:"; [ -s vmx ] && echo "    ETHERNET0.pnicfeatures:   $(cat vmx)"; echo "    other:  x" ;;
vm.change) case "$4" in
  -e) echo "${5#*=}" > vmx; [ -n "${5#*=}" ] || : > vmx ;;
  -cpu.limit=*) echo "${4#*=}" > limit ;;
  -cpu-hot-add-enabled=*) echo "${4#*=}" > hotadd ;;
  esac ;;
esac
`

func govcBench(t *testing.T) *bench {
	t.Helper()
	p := everyKind()
	steps := p.Steps
	vm := steps[6]
	vm.Changes = []tuning.Change{steps[6].Changes[2], steps[6].Changes[3]}
	off := steps[7]
	off.Changes = off.Changes[:1]
	b := newBench(t, written(t, script.Govc, plan(steps[0], vm, off)), map[string]string{"govc": fakeGovc})
	for name, v := range map[string]string{"server-uuid": "server-uuid", "host-uuid": "host-uuid", "option": "0", "limit": "1000", "hotadd": "TRUE", "power": "poweredOn"} {
		b.set(name, v)
	}
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "vmx"), nil, 0o600))
	return b
}

func TestGovcScriptAppliesAndTakesBack(t *testing.T) {
	b := govcBench(t)
	code, said := b.run("apply")
	require.Zero(t, code, said)
	require.Equal(t, []string{"60", "it's 4", "-1", "TRUE"}, []string{b.get("option"), b.get("vmx"), b.get("limit"), b.get("hotadd")})
	require.Contains(t, said, "VirtualMachine:vm-7 is running: skipped a change that needs it powered off")

	code, said = b.run("apply")
	require.Zero(t, code, said)
	require.Contains(t, said, "already '60'")

	b.set("power", "poweredOff")
	code, said = b.run("apply")
	require.Zero(t, code, said)
	require.Equal(t, "false", b.get("hotadd"))

	code, said = b.run("undo")
	require.Zero(t, code, said)
	require.Equal(t, []string{"0", "", "1000", "true"}, []string{b.get("option"), b.get("vmx"), b.get("limit"), b.get("hotadd")})
}

func TestGovcScriptStopsWhereSomethingMoved(t *testing.T) {
	b := govcBench(t)
	b.set("option", "30")
	code, said := b.run("apply")
	require.Equal(t, 1, code)
	require.Contains(t, said, "it is '30', neither '0' nor '60': somebody changed it; make a new plan")
	require.Equal(t, []string{"30", "1000"}, []string{b.get("option"), b.get("limit")}, "nothing after it is done")

	b.set("option", "60")
	b.set("limit", "77")
	b.set("vmx", "it's 4")
	code, said = b.run("undo")
	require.Equal(t, 1, code)
	require.Contains(t, said, "it is '77', neither '-1' nor '1000': somebody changed it; skipped")
	require.Equal(t, []string{"0", "77", ""}, []string{b.get("option"), b.get("limit"), b.get("vmx")}, "the others go back")

	b.set("calls", "")
	b.set("host-uuid", "another")
	code, said = b.run("undo")
	require.Equal(t, 1, code)
	require.Contains(t, said, "HostSystem:host-11 is not the object in the plan")
	require.NotContains(t, b.get("calls"), "host.option.set")

	b = govcBench(t)
	require.NoError(t, os.Remove(filepath.Join(b.dir, "option")))
	code, said = b.run("apply")
	require.Equal(t, 1, code)
	require.Contains(t, said, "it cannot be read")
	require.NotContains(t, b.get("calls"), ".set")

	b.set("server-uuid", "another")
	code, said = b.run("apply")
	require.Equal(t, 1, code)
	require.Contains(t, said, "this is not the server of the plan")

	code, said = b.run("")
	require.Equal(t, 2, code)
	require.Contains(t, said, "apply|undo")
}

// fakeESXCLI prints the output of ESXi.
const fakeESXCLI = `
echo "$*" >> calls
case "$*" in
"system settings advanced list -o /Net/"*) printf '   Path: %s\n   Type: integer\n   Int Value: %s\n   Default Int Value: 7\n   String Value: \n' "$6" "$(cat option)" ;;
"system settings advanced list -o /Power/"*) printf '   Type: string\n   Int Value: 0\n   String Value: %s\n   Default String Value: Balanced\n' "$(cat policy)" ;;
"system settings advanced set -o /Net/"*) [ "$7" = -i ] && echo "$8" > option ;;
"system settings advanced set -o /Power/"*) [ "$7" = -s ] && echo "$8" > policy ;;
"--formatter=csv system settings kernel list -o "*) printf 'Configured,Default,Description,Name,Runtime,Type,\n%s,TRUE,"a, b",%s,FALSE,Bool,\n' "$(cat "kernel-$7")" "$7" ;;
"system settings kernel set -s "*) echo "$8" > "kernel-$6"; [ "$7" = -v ] ;;
"system module parameters set -m nmlx5_core -p "*) echo "$8" > driver ;;
"storage core device list -d naa.1") printf 'naa.1\n   Display Name: x\n   No of outstanding IOs with competing worlds: %s\n' "$(cat lun)" ;;
"storage core device set -d naa.1 -O "*) echo "$8" > lun ;;
*) exit 1 ;;
esac
`

func TestESXCLIScriptAppliesAndTakesBack(t *testing.T) {
	p := everyKind()
	b := newBench(t, written(t, script.ESXCLI, plan(p.Steps[:7]...)), map[string]string{
		"esxcli": fakeESXCLI, "vim-cmd": `printf 'x = "y",\n uuid = "%s",\n' "$(cat host-uuid)"`,
		"esxcfg-module": `[ "$1" = -g ] && echo "$2 enabled = 1 options = '$(cat driver)'"`,
	})
	for name, v := range map[string]string{
		"host-uuid": "host-uuid", "option": "0", "policy": "Balanced", "kernel-netNetqueueEnabled": "FALSE", "kernel-hyperthreading": "FALSE",
		"driver": "DRSS=2 RSS=0 max_vfs=8", "lun": "32",
	} {
		b.set(name, v)
	}
	values := func() []string {
		return []string{b.get("option"), b.get("policy"), b.get("kernel-netNetqueueEnabled"), b.get("kernel-hyperthreading"), b.get("driver"), b.get("lun")}
	}
	code, said := b.run("apply")
	require.Zero(t, code, said)
	require.Equal(t, []string{"60", "High Performance", "TRUE", "TRUE", "DRSS=2 max_vfs=8 RSS=4,4", "64"}, values())
	require.Contains(t, said, "not in this script: vm db")
	code, said = b.run("undo")
	require.Zero(t, code, said)
	require.Equal(t, []string{"0", "Balanced", "FALSE", "FALSE", "DRSS=2 max_vfs=8 RSS=0", "32"}, values())

	b.set("host-uuid", "another")
	code, said = b.run("apply")
	require.Equal(t, 1, code)
	require.Contains(t, said, "this script has no change for this host")
	require.Equal(t, "0", b.get("option"))
}

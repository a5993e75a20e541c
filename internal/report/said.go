package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/vperf/vperf/pkg/inventory"
)

// How figures and what they are called are said to people. Machines get exact names and units.

// shortUnits are units as a screen has room for.
var shortUnits = map[string]string{
	"percent": "%", "percent of one vCPU's time": "% of a vCPU", "percent of the VM's vCPUs": "% of its vCPUs",
	"percent of the VM's memory": "% of its memory", "percent of received packets": "% of packets",
	"percent of sent packets": "% of packets", "percent of the nominal clock": "% of its clock", "ratio": "",
	"of the host's cores": "of the cores", "moves in an interval": "moves",
}

func shortUnit(unit string) string {
	if s, ok := shortUnits[unit]; ok {
		return s
	}
	return unit
}

// saidFigure is a figure with a short unit; one of a list of states is its word.
func saidFigure(x float64, unit string) string {
	switch {
	case unit == unitPart:
		return percent(x) + " " + unit
	case unit == "1/s":
		return number(x) + "/s"
	case isStates(unit):
		return wordOfState(x, unit)
	}
	return withUnit(number(x), shortUnit(unit))
}

// wordOfState is what a number means by a unit such as "0 high, 1 clear".
func wordOfState(x float64, states string) string {
	for s := range strings.SplitSeq(states, ", ") {
		if n, word, ok := strings.Cut(s, " "); ok && n == number(x) {
			return word
		}
	}
	return withUnit(number(x), states)
}

// nameUnits are units that names of evidence end with.
var nameUnits = []struct{ suffix, unit string }{
	{"PerSecond", "/s"}, {"Percent", "%"}, {"MHz", "MHz"}, {"Mbps", "Mb/s"}, {"KBs", "KB/s"}, {"GiB", "GiB"}, {"GB", "GB"}, {"MB", "MB"},
	{"KB", "KB"}, {"Ms", "ms"},
}

// saidName is a rule's name for a piece of evidence in words, and the unit that it ends with.
func saidName(name string) (words, unit string) {
	for _, u := range nameUnits {
		if before, ok := strings.CutSuffix(name, u.suffix); ok && before != "" && !strings.HasSuffix(name, "VMs") {
			name, unit = before, u.unit
			break
		}
	}
	return spaced(name), unit
}

// spaced parts the words of a name: capitals in a row are a word of their own, with an s behind them.
func spaced(name string) string {
	r := []rune(name)
	var words []string
	for from := 0; from < len(r); {
		to := wordEnd(r, from)
		words = append(words, saidWord(string(r[from:to])))
		from = to
	}
	return strings.Join(words, " ")
}

func wordEnd(r []rune, from int) int {
	to := from + 1
	for to < len(r) && unicode.IsUpper(r[to]) && unicode.IsUpper(r[from]) {
		to++
	}
	if to-from > 1 { // capitals in a row: the last begins the next word, unless all that follows is an s
		switch {
		case to == len(r) || r[to] == 's' && (to+1 == len(r) || unicode.IsUpper(r[to+1])):
			return min(to+1, len(r))
		case unicode.IsLower(r[to]):
			return to - 1
		}
		return to
	}
	for to < len(r) && !unicode.IsUpper(r[to]) && (to-from < 2 || !unicode.IsDigit(r[to]) || unicode.IsDigit(r[to-1])) {
		to++
	}
	return to
}

// words that are written in another way than names have them.
var saidWords = map[string]string{"vcpus": "vCPUs", "vcpu": "vCPU", "nics": "NICs", "nic": "NIC", "cpu": "CPU", "numa": "NUMA", "IOs": "I/Os", "mtu": "MTU", "vms": "VMs"}

func saidWord(w string) string {
	if s, ok := saidWords[w]; ok {
		return s
	}
	lower := strings.ToLower(w)
	switch {
	case w == lower || strings.ToUpper(w) == w && len(w) > 1 || strings.HasSuffix(w, "s") && len(w) > 2 && strings.ToUpper(w[:len(w)-1]) == w[:len(w)-1]:
		return w
	case saidWords[lower] != "":
		return saidWords[lower]
	}
	return lower
}

// metricNames are counters that people call otherwise than their names would be read.
var metricNames = map[string]string{
	"cpu.readyTotal": "ready in all", "cpu.maxLimited": "held back by a limit", "cpu.costop": "co-stop", "cpu.usage": "CPU used", "cpu.system": "VMkernel time",
	"cpu.overlap": "interrupted by the VMkernel", "cpu.vmWait": "blocked", "cpu.latency": "CPU lost", "cpu.memLatency": "waiting for memory",
	"cpu.load": "CPU load", "cpu.utilization": "CPU utilization", "cpu.used": "CPU used", "cpu.coreUtilization": "cores in use", "cpu.timers": "timers",
	"mem.swapIn": "read from swap", "mem.swapOut": "written to swap", "mem.swapped": "in swap", "mem.compress": "being compressed",
	"mem.decompress": "read from compressed", "mem.state": "memory state", "mem.free": "memory free", "numa.local": "local memory",
	"numa.migrations": "NUMA moves", "numa.remote": "remote memory", "net.rx": "received", "net.tx": "sent", "net.packetsRx": "packets received",
	"net.packetsTx": "packets sent", "net.droppedRx": "dropped receiving", "net.droppedTx": "dropped sending",
}

func metricName(name string) string {
	if s, ok := metricNames[name]; ok {
		return s
	}
	_, short, _ := strings.Cut(name, ".")
	return spaced(short)
}

// said is a link as a screen has it.
func (l Link) said() string {
	name, value := l.Said()
	return strings.TrimSpace(name + " " + value)
}

// mostNamed are as many values of a list as a line has room for.
const mostNamed = 3

func saidValue(v any, name, unit string) string {
	switch x := v.(type) {
	case float64:
		return saidNumber(x, name, unit)
	case int64:
		return saidNumber(float64(x), name, unit)
	case bool:
		return map[bool]string{true: "yes", false: "no"}[x]
	case []any:
		if len(x) == 0 {
			return "none"
		}
		return someNames(mapped(x, plain))
	}
	return withUnit(plain(v), shortUnit(unit))
}

// saidNumber is a number with its unit. A limit of -1 is none, as vSphere has it.
func saidNumber(x float64, name, unit string) string {
	switch {
	case x == -1 && strings.HasPrefix(name, "limit"):
		return "none"
	case unit == "/s":
		return number(x) + unit
	}
	return saidFigure(x, unit)
}

// span is how long something was watched, as people say it.
func span(from, to time.Time) string { return longText(to.Sub(from)) }

// longText is a duration in at most two units.
func longText(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return number(d.Seconds()) + " s"
	case d < 2*time.Minute && d.Round(time.Second)%time.Minute != 0:
		return strconv.Itoa(int(d.Round(time.Second).Seconds())) + " s"
	case d < time.Hour:
		return parted(d.Round(time.Second), time.Minute, "min", time.Second, "s")
	case d < 48*time.Hour:
		return parted(d.Round(time.Minute), time.Hour, "h", time.Minute, "min")
	}
	return parted(d.Round(time.Hour), 24*time.Hour, "days", time.Hour, "h")
}

// parted is a duration by a large unit and, where it tells something beside it, a small one.
func parted(d, large time.Duration, one string, small time.Duration, other string) string {
	s := fmt.Sprintf("%d %s", d/large, one)
	if rest := d % large / small; rest > 0 && d/large < 10 {
		s += fmt.Sprintf(" %d %s", rest, other)
	}
	return s
}

// same reports figures that read alike.
func same(a, b float64) bool { return number(a) == number(b) || math.IsNaN(a) && math.IsNaN(b) }

// worse reports which of two figures of a counter is worse.
func worse(m inventory.LiveMetric, a, b float64) bool {
	if m.Below {
		return a < b
	}
	return a > b
}

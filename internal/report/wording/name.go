package wording

import (
	"strings"
	"unicode"
)

// nameUnits lists the units that names of evidence end with.
var nameUnits = []struct{ suffix, unit string }{
	{"PerSecond", "/s"}, {"Percent", "%"}, {"MHz", "MHz"}, {"Mbps", "Mb/s"}, {"KBs", "KB/s"}, {"GiB", "GiB"}, {"GB", "GB"}, {"MB", "MB"},
	{"KB", "KB"}, {"Ms", "ms"},
}

// Name splits a rule's name for a piece of evidence into words, and returns the unit that it ends with.
func Name(name string) (words, unit string) {
	for _, u := range nameUnits {
		if before, ok := strings.CutSuffix(name, u.suffix); ok && before != "" && !strings.HasSuffix(name, "VMs") {
			name, unit = before, u.unit
			break
		}
	}
	return spaced(name), unit
}

// spaced separates the words of a name: consecutive capitals are one word, including a following s.
func spaced(name string) string {
	r := []rune(name)
	var words []string
	for from := 0; from < len(r); {
		to := wordEnd(r, from)
		words = append(words, nameWord(string(r[from:to])))
		from = to
	}
	return strings.Join(words, " ")
}

// wordEnd returns the end of the word that begins at from.
func wordEnd(r []rune, from int) int {
	to := from + 1
	for to < len(r) && unicode.IsUpper(r[to]) && unicode.IsUpper(r[from]) {
		to++
	}
	if to-from > 1 {
		return capitalsEnd(r, to)
	}
	for to < len(r) && !unicode.IsUpper(r[to]) && (to-from < 2 || !unicode.IsDigit(r[to]) || unicode.IsDigit(r[to-1])) {
		to++
	}
	return to
}

// capitalsEnd returns the end of a word that begins with capitals up to to. The last capital begins the next word, unless the
// rest is an s.
func capitalsEnd(r []rune, to int) int {
	switch {
	case to == len(r):
		return to
	case r[to] == 's' && (to+1 == len(r) || unicode.IsUpper(r[to+1])):
		return to + 1
	case unicode.IsLower(r[to]):
		return to - 1
	}
	return to
}

// nameWords maps words of names to their usual spelling.
var nameWords = map[string]string{"vcpus": "vCPUs", "vcpu": "vCPU", "nics": "NICs", "nic": "NIC", "cpu": "CPU", "numa": "NUMA", "IOs": "I/Os", "mtu": "MTU", "vms": "VMs"}

func nameWord(w string) string {
	if s, ok := nameWords[w]; ok {
		return s
	}
	lower := strings.ToLower(w)
	switch {
	case w == lower || strings.ToUpper(w) == w && len(w) > 1 || strings.HasSuffix(w, "s") && len(w) > 2 && strings.ToUpper(w[:len(w)-1]) == w[:len(w)-1]:
		return w
	case nameWords[lower] != "":
		return nameWords[lower]
	}
	return lower
}

// metricNames maps counters to their common names where these differ from the spelled-out name.
var metricNames = map[string]string{
	"cpu.readyTotal": "ready in all", "cpu.maxLimited": "limited (MLMTD)", "cpu.costop": "co-stop", "cpu.usage": "CPU used", "cpu.system": "VMkernel time",
	"cpu.overlap": "interrupted by the VMkernel", "cpu.vmWait": "blocked", "cpu.latency": "CPU lost", "cpu.memLatency": "waiting for memory",
	"cpu.load": "CPU load", "cpu.utilization": "CPU utilization", "cpu.used": "CPU used", "cpu.coreUtilization": "cores in use", "cpu.timers": "timers",
	"mem.swapIn": "read from swap", "mem.swapOut": "written to swap", "mem.swapped": "in swap", "mem.compress": "being compressed",
	"mem.decompress": "read from compressed", "mem.state": "memory state", "mem.free": "memory free", "numa.local": "local memory",
	"numa.migrations": "NUMA moves", "numa.remote": "remote memory", "net.rx": "received", "net.tx": "sent", "net.packetsRx": "packets received",
	"net.packetsTx": "packets sent", "net.droppedRx": "dropped receiving", "net.droppedTx": "dropped sending",
}

// MetricName returns the common name of a counter.
func MetricName(name string) string {
	if s, ok := metricNames[name]; ok {
		return s
	}
	_, short, _ := strings.Cut(name, ".")
	return spaced(short)
}

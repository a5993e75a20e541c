package probe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
)

// mostNamed is how many names a line of the summary has.
const mostNamed = 3

// Summary describes a probe in words, a line each. Its texts come from the file: callers sanitise them.
func Summary(f *Loaded) []string {
	what := fmt.Sprintf("a vCenter Server %s build %s and %s", f.Server.Version, f.Server.Build, plural.Count(len(f.Hosts), "host"))
	if f.Server.Kind == "esxi" {
		what = "an ESXi host without vCenter"
	}
	lines := []string{
		fmt.Sprintf("Probe of %s, taken on %s by vperf %s", what, f.Day, f.Version),
		"Digest: " + f.Digest,
	}
	if f.Simulated {
		lines = append(lines, "The server is simulated: its definitions are not those of a real release.")
	}
	lines = append(lines, "It contains no names, addresses, serial numbers or ids, and no values of options.", "")
	if len(f.Counters) > 0 {
		lines = append(lines, fmt.Sprintf("PerformanceManager: %s%s", plural.Count(len(f.Counters), "counter"), levels(f.Counters)))
	}
	if problems := refusals(f.Server.Calls); problems != "" {
		lines = append(lines, "Server: "+problems)
	}
	for i := range f.Hosts {
		lines = append(lines, "")
		lines = append(lines, f.Hosts[i].summary()...)
	}
	return lines
}

// levels counts the counters of each statistics level.
func levels(counters []Counter) string {
	n := map[int32]int{}
	for _, c := range counters {
		n[c.Level]++
	}
	var parts []string
	for level := int32(1); level <= 4; level++ {
		if n[level] > 0 {
			parts = append(parts, fmt.Sprintf("%d of level %d", n[level], level))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func (h *Host) summary() []string {
	lines := []string{
		fmt.Sprintf("%s: ESXi %s build %s", h.Name, h.Version, h.Build),
		fmt.Sprintf("  hardware   %s %s, %s, %s (%d list PCI devices)", h.Hardware.Vendor, h.Hardware.Model, h.Hardware.CPU, plural.Count(h.Hardware.NUMANodes, "NUMA node"), h.Hardware.NodesWithPCI),
	}
	if h.OptionsRead {
		lines = append(lines, fmt.Sprintf("  options    %d definitions of tuning options; %d others are not in the file", len(h.Options), h.OtherOptions))
	} else {
		lines = append(lines, "  options    not read")
	}
	var drivers []string
	for _, d := range h.Drivers {
		drivers = append(drivers, strings.TrimSpace(d.Driver+" "+d.Version))
	}
	slices.Sort(drivers)
	parameters := 0
	for _, m := range h.Modules {
		parameters += len(m.Parameters)
	}
	lines = append(lines, fmt.Sprintf("  drivers    %s; %s in all, %s", some(slices.Compact(drivers)), plural.Count(len(h.Modules), "module"), plural.Count(parameters, "driver parameter")))
	lines = append(lines, "  esxtop     "+h.Esxtop.summary())
	lines = append(lines, fmt.Sprintf("  esxcli     %s, shapes of %s", plural.Count(len(h.Namespaces), "name space"), plural.Count(len(h.Tables), "table")))
	total := int64(0)
	for _, c := range h.Calls {
		total += c.Millis
	}
	calls := fmt.Sprintf("  calls      %d in %.1f s", len(h.Calls), float64(total)/1000)
	if problems := refusals(h.Calls); problems != "" {
		calls += "; " + problems
	}
	return append(lines, calls)
}

func (e *Esxtop) summary() string {
	if e == nil {
		return "not offered, or not read"
	}
	fields, rows := 0, 0
	for _, r := range e.Rows {
		fields += len(r.Fields)
		rows += r.Count
	}
	return fmt.Sprintf("%s of rows with %s; %d lines of an answer of %d rows", plural.Count(len(e.Rows), "kind"), plural.Count(fields, "field"), len(e.Sample), rows)
}

// refusals counts the calls that were not answered, by their reason.
func refusals(calls []Call) string {
	by := map[string][]string{}
	var order []string
	for _, c := range calls {
		if c.Outcome == Answered {
			continue
		}
		reason := strings.TrimSpace(c.Outcome + " " + c.Fault)
		if by[reason] == nil {
			order = append(order, reason)
		}
		by[reason] = append(by[reason], c.Name)
	}
	var parts []string
	for _, reason := range order {
		parts = append(parts, fmt.Sprintf("%d %s (%s)", len(by[reason]), reason, some(by[reason])))
	}
	return strings.Join(parts, "; ")
}

// some lists the first names and the number of the others.
func some(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if len(names) <= mostNamed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), len(names)-mostNamed)
}

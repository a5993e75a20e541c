package inventory

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed options.txt
var optionText string

// OptionDoc describes one advanced option in all releases of ESXi.
type OptionDoc struct {
	Key  string
	Type ValueType // bool, long or string: the table does not distinguish int from long, hosts do
	Eras []OptionEra
}

// OptionEra is a range of releases in which an option does not change.
type OptionEra struct {
	From, To string // releases as in the table, both included
	Absent   bool
	Default  Value
	Min, Max *int64 // nil where the option has no range
}

// LookupOption finds an option by its exact key.
func LookupOption(key string) (OptionDoc, bool) {
	t := optionTable()
	d, ok := t.byKey[key]
	return d, ok
}

// OptionKeys lists all keys of the table in its order.
func OptionKeys() []string { return slices.Clone(optionTable().keys) }

// tuningNamespaces are the prefixes of tuning options. Other options are about identity, location, logging and logins:
// they differ between hosts, and can contain confidential values.
var tuningNamespaces = map[string]bool{
	"BufferCache": true, "CBRC": true, "COW": true, "Cpu": true, "DataMover": true, "Digest": true, "Disk": true, "FT": true,
	"HBR": true, "ISCSI": true, "Irq": true, "LPage": true, "LSOM": true, "Mem": true, "Migrate": true, "Misc": true, "NFS": true,
	"NFS41": true, "NMP": true, "Net": true, "Nmp": true, "Numa": true, "Power": true, "RdmFilter": true, "SE": true, "Scsi": true,
	"SunRPC": true, "SvMotion": true, "VFLASH": true, "VMFS": true, "VMFS3": true, "VMkernel": true, "VSAN": true, "XvMotion": true,
}

// ownOptions are options of those namespaces that nevertheless name the host itself, its addresses or its adapters;
// Power.CpuPolicy duplicates the power policy on the releases that have it.
var ownOptions = map[string]bool{
	"FT.Vmknic": true, "Migrate.Vmknic": true, "Misc.HostAgentUpdateLevel": true, "Misc.HostName": true,
	"Misc.PreferredHostName": true, "Net.DVFilterBindIpAddress": true, "Net.IGMPRouterIP": true, "Net.MLDRouterIP": true,
	"Net.PVRDMAVmknic": true, "Net.ProvisioningVmknics": true, "Net.TrafficFilterIpAddress": true, "Power.CpuPolicy": true,
}

// TuningOption reports whether an option is a tuning option.
func TuningOption(key string) bool {
	space, _, _ := strings.Cut(key, ".")
	return tuningNamespaces[space] && !ownOptions[key]
}

// Releases lists the releases of the table, oldest first: 6.7U3, 8.0, 9.0.1.
func Releases() []string { return slices.Clone(optionTable().releases) }

// At finds the era of a release.
func (d OptionDoc) At(release string) (OptionEra, bool) {
	all := optionTable().releases
	n := slices.Index(all, release)
	if n < 0 {
		return OptionEra{}, false
	}
	for _, e := range d.Eras {
		if slices.Index(all, e.From) <= n && n <= slices.Index(all, e.To) {
			return e, true
		}
	}
	return OptionEra{}, false
}

type options struct {
	releases []string
	keys     []string
	byKey    map[string]OptionDoc
}

// optionTable is parsed on first use, because many commands do not need it.
var optionTable = sync.OnceValue(func() options {
	t, err := parseOptions(optionText)
	if err != nil {
		panic(err) // the table is part of the binary and a test parses it
	}
	return t
})

func parseOptions(text string) (options, error) {
	t := options{byKey: map[string]OptionDoc{}}
	for i, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		key, spec, _ := strings.Cut(line, "  ")
		if key == "releases" {
			t.releases = strings.Fields(spec)
			continue
		}
		d, err := t.parseOption(key, spec)
		if err != nil {
			return t, fmt.Errorf("option table line %d: %s: %w", i+1, key, err)
		}
		if _, twice := t.byKey[key]; twice {
			return t, fmt.Errorf("option table line %d: %s is duplicated", i+1, key)
		}
		t.keys = append(t.keys, key)
		t.byKey[key] = d
	}
	return t, nil
}

func (t options) parseOption(key, spec string) (OptionDoc, error) {
	d := OptionDoc{Key: key}
	for part := range strings.SplitSeq(spec, "; ") {
		span, what, ok := strings.Cut(part, ": ")
		if !ok {
			return d, fmt.Errorf("%q: want FROM-TO: DEFAULT [MIN..MAX]", part)
		}
		e, err := parseEra(what)
		if err != nil {
			return d, err
		}
		if e.From, e.To, err = t.span(span); err != nil {
			return d, err
		}
		if !e.Absent {
			d.Type = e.Default.Type
		}
		d.Eras = append(d.Eras, e)
	}
	return d, nil
}

func (t options) span(s string) (from, to string, err error) {
	if s == "all" {
		return t.releases[0], t.releases[len(t.releases)-1], nil
	}
	from, to, ok := strings.Cut(s, "-")
	if !ok {
		to = from
	}
	for _, r := range []string{from, to} {
		if !slices.Contains(t.releases, r) {
			return "", "", fmt.Errorf("no release %q in the table", r)
		}
	}
	return from, to, nil
}

func parseEra(s string) (OptionEra, error) {
	if s == "absent" {
		return OptionEra{Absent: true}, nil
	}
	text, bounds, ranged := strings.Cut(s, " [")
	e := OptionEra{Default: parseDefault(text)}
	if !ranged {
		return e, nil
	}
	lo, hi, ok := strings.Cut(strings.TrimSuffix(bounds, "]"), "..")
	least, err1 := strconv.ParseInt(lo, 10, 64)
	most, err2 := strconv.ParseInt(hi, 10, 64)
	if !ok || err1 != nil || err2 != nil || e.Default.Type != TypeLong {
		return e, fmt.Errorf("%q: want DEFAULT [MIN..MAX] in whole numbers", s)
	}
	e.Min, e.Max = &least, &most
	return e, nil
}

func parseDefault(s string) Value {
	switch s {
	case "True", "False":
		return BoolValue(s == "True")
	case `""`:
		return StringValue("")
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return LongValue(n)
	}
	return StringValue(s)
}

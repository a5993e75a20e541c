package page

import (
	"net/netip"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// hostMap shows every host at a glance, by cluster: its worst findings, CPU and memory, and the headroom of the cluster.
type hostMap struct {
	Dense    bool // a cell per host instead of a tile
	Clusters []mapCluster
	CPU      []heatStep
	Memory   []heatStep
	Skip     bool // so many links need a way past them
}

type mapCluster struct {
	Name, Facts string
	Room        headroom
	Hosts       []mapHost
}

// mapHost is a host as a tile, or as a cell.
type mapHost struct {
	Link, Name, Short string
	Worst             countedMark // its findings of the worst severity, those of its VMs among them
	CPU, Memory       use
	Title             string // everything in one line
}

// Above tileHosts the map shows cells without names. Above skipHosts it offers a link that skips it.
const (
	tileHosts = 64
	skipHosts = 12
)

func (s *show) hostMap() hostMap {
	m := hostMap{CPU: stepWords(s.cpuSteps(), "percent"), Memory: stepWords(memorySteps, "percent")}
	found, names, n := s.talliesByHost(), s.shortNames(), 0
	for _, v := range s.Snapshot.VCenters {
		for _, g := range s.groupsOf(v) {
			c := mapCluster{Name: g.name, Facts: counted(len(g.hosts), "host"), Room: s.headroomOf(g)}
			for _, h := range g.hosts {
				c.Hosts = append(c.Hosts, s.mapHost(h, found[h], names[h]))
			}
			n += len(c.Hosts)
			m.Clusters = append(m.Clusters, c)
		}
	}
	m.Dense, m.Skip = n > tileHosts, n > skipHosts
	return m
}

// talliesByHost counts findings by the host they are on.
func (s *show) talliesByHost() map[*inventory.Host]tally {
	out := map[*inventory.Host]tally{}
	for _, f := range s.failing() {
		h := s.hostOf(f.Object)
		if out[h] == nil {
			out[h] = tally{}
		}
		out[h][f.Severity]++
	}
	return out
}

func (s *show) mapHost(h *inventory.Host, found tally, short string) mapHost {
	x := mapHost{
		Link: s.linkTo(h), Name: clean(h.Name), Short: short,
		CPU: useOf(cpuUse(h), s.cpuSteps()), Memory: useOf(memoryUse(h), memorySteps),
	}
	findings := "no findings"
	if worst := found.marks(); len(worst) > 0 {
		x.Worst = worst[0]
		findings = x.Worst.N + " " + x.Worst.Word
		if all := found.total(); all > found[advice.Severity(x.Worst.Word)] {
			findings += " of " + counted(all, "finding")
		}
	}
	parts := []string{findings, "CPU " + x.CPU.words(), "memory " + x.Memory.words()}
	if h.Unread != "" {
		parts = append(parts, "not read: "+prose(h.Unread))
	}
	x.Title = x.Name + ": " + strings.Join(parts, ", ")
	return x
}

// shortNames are the names of hosts without their domain, unless two hosts would then have the same name.
func (s *show) shortNames() map[*inventory.Host]string {
	short, full := map[*inventory.Host]string{}, map[*inventory.Host]string{}
	taken := map[string]bool{}
	for _, v := range s.Snapshot.VCenters {
		for _, h := range v.Hosts {
			full[h], short[h] = clean(h.Name), clean(shortName(h.Name))
			taken[short[h]] = true
		}
	}
	if len(taken) < len(short) {
		return full
	}
	return short
}

func shortName(name string) string {
	if _, err := netip.ParseAddr(name); err == nil {
		return name
	}
	if first, _, _ := strings.Cut(name, "."); first != "" {
		return first
	}
	return name
}

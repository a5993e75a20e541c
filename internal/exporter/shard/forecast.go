package shard

import "math"

// Host is a host with the VMs that are exported of it.
type Host struct {
	ID    string
	Cores int64
	On    int   // VMs that are powered on
	Off   int   // VMs that are not
	VCPUs int64 // of those that are powered on
}

// Part is a shard with what it has to do. Series, memory and calls are forecasts.
type Part struct {
	Shard  string `json:"shard"`
	Hosts  int    `json:"hosts"`
	VMs    int    `json:"vms"`
	Series int    `json:"series"`
	Memory int64  `json:"memoryBytes"`
	Calls  int    `json:"callsPerInterval"`
}

// rates are the series of a module, measured with the demo fleet, and its calls to each host in an hour: tests compare them with the
// exporter's.
type rates struct{ host, core, on, off, vcpu, calls float64 }

// Rates by module. Modules about clusters, datastores, pools and rules have few series, whatever the size of the fleet.
var measured = map[string]rates{
	"basic":    {host: 51, on: 53, off: 3},
	"disk":     {host: 248, on: 16.4},
	"net":      {host: 42, on: 17},
	"vcpu":     {core: 4.3, vcpu: 11},
	"gpu":      {host: 0.8},
	"snapshot": {on: 1, off: 2.3},
	"hardware": {host: 44},
	"firmware": {host: 3, calls: 5},
	"vsan":     {host: 1.1},
}

// What an exporter needs, measured with the fleets of `vperf sim` that docs/exporter-scale.md names.
const (
	memoryBase      = 54 << 20 // bytes, most of it pages of the program's file
	memoryPerSeries = 160      // bytes, with a page for scrapes with gzip
	memoryPerVM     = 1430     // bytes of each VM of the server, whatever shard has it: all shards watch where VMs are
	seriesPerCall   = 15_000   // of one QueryPerf: it asks for whole hosts, 20,000 series at most
	callsBase       = 2        // an interval: the clock, and changes of the inventory
	intervals       = 180      // of 20 s in an hour
)

// Plan forecasts the shards of a server.
func Plan(hosts []Host, modules []string, shards int) []Part {
	parts := make([]Part, shards)
	series, calls := make([]float64, shards), make([]float64, shards)
	vms := 0
	for _, h := range hosts {
		vms += h.On + h.Off
		at := Of(h.ID, shards) - 1
		p := &parts[at]
		p.Hosts, p.VMs = p.Hosts+1, p.VMs+h.On+h.Off
		for _, m := range modules {
			series[at] += measured[m].of(h)
			calls[at] += measured[m].calls / intervals
		}
	}
	for i := range parts {
		p := &parts[i]
		p.Shard, p.Series = Shard{i + 1, shards}.String(), int(math.Round(series[i]))
		p.Memory = memoryBase + memoryPerSeries*int64(p.Series) + memoryPerVM*int64(vms)
		p.Calls = callsBase + (p.Series+seriesPerCall-1)/seriesPerCall + int(math.Ceil(calls[i]))
	}
	return parts
}

func (r rates) of(h Host) float64 {
	return r.host + r.core*float64(h.Cores) + r.on*float64(h.On) + r.off*float64(h.Off) + r.vcpu*float64(h.VCPUs)
}

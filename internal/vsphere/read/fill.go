package read

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// perHostRead defines facts that take calls to each host.
type perHostRead struct {
	facts []string
	from  []string         // the call for each fact; the last one applies to all that follow
	has   func(*host) bool // whether the host has the objects of the facts
	read  func(*hostReader, context.Context)
}

var perHostReads = []perHostRead{
	{
		facts: []string{"PNIC.driverOptions", "PNIC.rss"},
		from:  []string{"HostKernelModuleSystem.QueryConfiguredModuleOptionString"},
		has:   hasDrivers, read: (*hostReader).drivers,
	},
	{
		facts: []string{"PNIC.driverVersion", "PNIC.firmwareVersion"},
		from:  []string{"esxcli " + cliNIC},
		has:   lacksDriverVersions, read: (*hostReader).driverVersions,
	},
	{
		facts: []string{"PNIC.ringRx", "PNIC.ringTx", "PNIC.ringRxMax", "PNIC.ringTxMax"},
		from:  []string{"esxcli " + cliRing, "esxcli " + cliRing, "esxcli " + cliRingMax},
		has:   hasUplinks, read: (*hostReader).rings,
	},
	{
		facts: []string{"PNIC.coalesceRxMicros", "PNIC.coalesceAdaptiveRx"},
		from:  []string{"esxcli " + cliCoalesce},
		has:   hasUplinks, read: (*hostReader).coalescing,
	},
	{
		facts: []string{"Host.kernelSettings"},
		from:  []string{"esxcli " + cliKernel},
		has:   always, read: (*hostReader).kernelSettings,
	},
	{
		facts: []string{"LUN.outstandingIOs", "LUN.queueFullSampleSize", "LUN.queueFullThreshold"},
		from:  []string{"esxcli " + perhost.CLIDevices},
		has:   hasLUNs, read: (*hostReader).devices,
	},
	{
		facts: []string{"LUN.roundRobinIOs", "LUN.roundRobinType"},
		from:  []string{"esxcli " + cliPaths},
		has:   hasLUNs, read: (*hostReader).pathConfigs,
	},
	{
		facts: []string{"HBA.driverVersion", "HBA.firmwareVersion"},
		from:  []string{"esxcli " + cliFC + ", esxcli " + cliSAS},
		has:   hasVersionedHBAs, read: (*hostReader).hbaVersions,
	},
}

func always(*host) bool { return true }

// Fill reads the facts that take calls to each host, and stores them in hosts. Facts that a host does not return stay
// unread with the reason; an error means that ctx has ended. notify receives the number of hosts asked so far, from
// several goroutines at once; it may be nil.
func Fill(ctx context.Context, s *session.Session, hosts []*inventory.Host, needs inventory.Needs, notify func(done, all int)) error {
	var reads []perHostRead
	for _, r := range perHostReads {
		if needs.Any(r.facts...) {
			reads = append(reads, r)
		}
	}
	asked := hostsToRead(hosts, reads)
	if len(asked) == 0 {
		return nil
	}
	modules := map[ref]inventory.Fact[ref]{}
	if needs.Any("PNIC.driverOptions", "PNIC.rss") {
		var err error
		if modules, err = moduleSystems(ctx, s, asked); err != nil {
			return err
		}
	}
	var done atomic.Int64
	perhost.Parallel(asked, func(_ int, h *host) {
		(&hostReader{CommandLine: &perhost.CommandLine{Session: s, Host: hostRef(h)}, host: h, modules: modules[hostRef(h)]}).read(ctx, reads)
		if n := int(done.Add(1)); notify != nil {
			notify(n, len(asked))
		}
	})
	if ctx.Err() != nil {
		return s.Interrupted(ctx, "ExecuteSoap")
	}
	return nil
}

func (a *hostReader) read(ctx context.Context, reads []perHostRead) {
	for _, r := range reads {
		if r.has(a.host) && ctx.Err() == nil {
			r.read(a, ctx)
		}
	}
}

// hostsToRead returns the hosts with facts to read, each once.
func hostsToRead(hosts []*host, reads []perHostRead) []*host {
	var all []*host
	for _, h := range hosts {
		has := slices.ContainsFunc(reads, func(r perHostRead) bool { return r.has(h) })
		if h.Unread == "" && has && !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
}

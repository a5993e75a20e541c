package probing

import (
	"context"
	"fmt"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/property"
)

// Properties of a host that a probe holds.
const (
	pathVersion  = "config.product.version"
	pathBuild    = "config.product.build"
	pathPNICs    = "config.network.pnic"
	pathHBAs     = "config.storageDevice.hostBusAdapter"
	pathVendor   = "summary.hardware.vendor"
	pathModel    = "summary.hardware.model"
	pathCPU      = "summary.hardware.cpuModel"
	pathNUMA     = "hardware.numaInfo"
	pathPower    = "hardware.cpuPowerManagementInfo"
	pathPolicies = "config.powerSystemCapability"
	pathManager  = "configManager.advancedOption"
	pathModules  = perhost.PathModules
)

// hostProber probes one host.
type hostProber struct {
	*prober
	target Target
	self   ref
	calls  *recorder
	cli    *perhost.CommandLine
	facts  *property.Props
	out    probe.Host
}

func (p *prober) host(t Target) *hostProber {
	self := ref{Type: property.TypeHost, Value: t.ID}
	return &hostProber{prober: p, target: t, self: self, calls: new(recorder), cli: &perhost.CommandLine{Session: p.session, Host: self}}
}

func position(i, of int) string { return fmt.Sprintf("%d of %d", i+1, of) }

// probe asks the host for everything. Names were learned before.
func (h *hostProber) probe(ctx context.Context) probe.Host {
	ctx, cancel := context.WithTimeout(ctx, h.options.Limit)
	defer cancel()
	h.out = probe.Host{
		Name: h.redactor.Alias("host", h.target.Name), Options: []probe.Option{}, Drivers: []probe.Driver{}, Modules: []probe.Module{},
		Namespaces: []probe.Space{}, Tables: []probe.Table{},
	}
	h.readFacts(ctx)
	h.readOptions(ctx)
	h.readModules(ctx)
	h.readCommandLine(ctx)
	h.readEsxtop(ctx)
	h.readMetrics(ctx)
	h.out.Calls = h.calls.calls
	return h.out
}

func (h *hostProber) readFacts(ctx context.Context) {
	h.calls.call(ctx, "HostSystem properties", func(ctx context.Context) error {
		var err error
		h.facts, err = h.properties(ctx, "properties of the host", h.self,
			pathVersion, pathBuild, pathPNICs, pathHBAs, pathVendor, pathModel, pathCPU, pathNUMA, pathPower, pathPolicies, pathManager, pathModules)
		return err
	})
	if h.facts == nil {
		h.facts = property.NewProps(types.ObjectContent{Obj: h.self}, &property.Query{}, &h.session.Unknown)
	}
	r := h.redactor
	h.out.Version, h.out.Build = r.Version(h.text(pathVersion)), r.Version(h.text(pathBuild))
	hardware := probe.Hardware{Vendor: r.Text(h.text(pathVendor)), Model: r.Text(h.text(pathModel)), CPU: r.Text(h.text(pathCPU))}
	if numa, ok := property.Read(h.facts, pathNUMA, property.As[types.HostNumaInfo], property.Required).Value(); ok {
		hardware.NUMANodes = len(numa.NumaNode)
		for _, n := range numa.NumaNode {
			if len(n.PciId) > 0 {
				hardware.NodesWithPCI++
			}
		}
	}
	if power, ok := property.Read(h.facts, pathPower, property.As[types.HostCpuPowerManagementInfo], property.Required).Value(); ok {
		hardware.PowerSupport = r.Text(power.HardwareSupport)
	}
	h.out.Hardware = hardware
	policies, _ := property.Read(h.facts, pathPolicies, property.As[types.PowerSystemCapability], property.Required).Value()
	for _, p := range policies.AvailablePolicy {
		if name, ok := r.Word(p.ShortName); ok {
			h.out.Policies = append(h.out.Policies, name)
		}
	}
	h.readDrivers()
}

func (h *hostProber) text(path string) string {
	s, _ := property.Read(h.facts, path, property.Text, property.Required).Value()
	return strings.TrimSpace(s)
}

// readDrivers lists the drivers of NICs and host bus adapters, with one entry for each version and model.
func (h *hostProber) readDrivers() {
	nics, _ := property.Read(h.facts, pathPNICs, property.As[types.ArrayOfPhysicalNic], property.Required).Value()
	for _, n := range nics.PhysicalNic {
		h.addDriver(probe.Driver{
			Kind: "nic", Driver: n.Driver, Version: h.redactor.Version(n.DriverVersion), Firmware: h.redactor.Version(n.FirmwareVersion),
		})
	}
	adapters, _ := property.Read(h.facts, pathHBAs, property.As[types.ArrayOfHostHostBusAdapter], property.Required).Value()
	for _, a := range adapters.HostHostBusAdapter {
		if a != nil {
			common := a.GetHostHostBusAdapter()
			h.addDriver(probe.Driver{Kind: "hba", Driver: common.Driver, Model: h.redactor.Text(common.Model)})
		}
	}
}

func (h *hostProber) addDriver(d probe.Driver) {
	name, ok := h.redactor.Word(d.Driver)
	if !ok {
		return
	}
	d.Driver = name
	for i, known := range h.out.Drivers {
		known.Devices = 0
		if known == d {
			h.out.Drivers[i].Devices++
			return
		}
	}
	d.Devices = 1
	h.out.Drivers = append(h.out.Drivers, d)
}

// readMetrics counts what the PerformanceManager offers for the host.
func (h *hostProber) readMetrics(ctx context.Context) {
	manager := h.session.Client().ServiceContent.PerfManager
	interval := int32(0)
	ok := h.calls.call(ctx, "QueryPerfProviderSummary", func(ctx context.Context) error {
		if manager == nil {
			return errNotOffered
		}
		res, err := methods.QueryPerfProviderSummary(ctx, h.session, &types.QueryPerfProviderSummary{This: *manager, Entity: h.self})
		if err == nil {
			interval = res.Returnval.RefreshRate
		}
		return err
	})
	if !ok || interval <= 0 {
		return
	}
	h.calls.call(ctx, "QueryAvailablePerfMetric", func(ctx context.Context) error {
		res, err := methods.QueryAvailablePerfMetric(ctx, h.session, &types.QueryAvailablePerfMetric{This: *manager, Entity: h.self, IntervalId: interval})
		if err != nil {
			return err
		}
		counters := map[int32]bool{}
		for _, m := range res.Returnval {
			counters[m.CounterId] = true
		}
		h.out.Metrics = append(h.out.Metrics, probe.Metrics{Interval: interval, Counters: len(counters), Instances: len(res.Returnval)})
		return nil
	})
}

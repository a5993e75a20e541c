package read

import (
	"context"
	"slices"
	"strings"

	"github.com/vmware/govmomi/cli/esx"

	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

// The esxcli commands.
const (
	cliNIC      = "network nic get"
	cliRing     = "network nic ring current get"
	cliRingMax  = "network nic ring preset get"
	cliCoalesce = "network nic coalesce get"
	cliKernel   = "system settings kernel list"
	cliPaths    = "storage nmp device list"
	cliFC       = "storage san fc list"
	cliSAS      = "storage san sas list"
)

// one returns the row of an answer that has exactly one.
func one(rows []esx.Values) inventory.Fact[esx.Values] {
	if len(rows) != 1 {
		return inventory.Unread[esx.Values]("esxcli shows nothing here")
	}
	return inventory.Known(rows[0])
}

// uplinks returns the NICs that carry traffic, or may.
func uplinks(h *host) []*inventory.PNIC {
	var all []*inventory.PNIC
	nics, _ := h.PNICs.Value()
	for _, n := range nics {
		if possibleUplink(n) {
			all = append(all, n)
		}
	}
	return all
}

func hasUplinks(h *host) bool { return len(uplinks(h)) > 0 }

// nicsWithoutVersion returns the uplinks whose driver version is in no property, as before 8.0.
func nicsWithoutVersion(h *host) []*inventory.PNIC {
	var all []*inventory.PNIC
	for _, n := range uplinks(h) {
		if _, known := n.DriverVersion.Value(); !known {
			all = append(all, n)
		}
	}
	return all
}

func lacksDriverVersions(h *host) bool { return len(nicsWithoutVersion(h)) > 0 }

func (a *hostReader) driverVersions(ctx context.Context) {
	for _, n := range nicsWithoutVersion(a.host) {
		row := property.Then(a.Run(ctx, cliNIC, perhost.Flag{Name: "-n", Value: n.Device}), one)
		if ctx.Err() != nil {
			return
		}
		n.DriverVersion = perhost.TextCell(row, "Version")
		n.FirmwareVersion = perhost.TextCell(row, "Firmware Version")
	}
}

func (a *hostReader) rings(ctx context.Context) {
	for _, n := range uplinks(a.host) {
		nic := perhost.Flag{Name: "-n", Value: n.Device}
		now := property.Then(a.Run(ctx, cliRing, nic), one)
		most := property.Then(a.Run(ctx, cliRingMax, nic), one)
		if ctx.Err() != nil {
			return
		}
		n.RingRx, n.RingTx = perhost.NumberCell(now, "RX"), perhost.NumberCell(now, "TX")
		n.RingRxMax, n.RingTxMax = perhost.NumberCell(most, "RX", "Max RX"), perhost.NumberCell(most, "TX", "Max TX")
	}
}

// coalescing asks once for all NICs; a driver that does not let itself be asked is left out of the answer.
func (a *hostReader) coalescing(ctx context.Context) {
	answer := a.Run(ctx, cliCoalesce)
	if ctx.Err() != nil {
		return
	}
	for _, n := range uplinks(a.host) {
		row := property.Then(answer, perhost.RowOf(n.Device, "NIC", "Nic Name", "Name"))
		n.CoalesceRxMicros = perhost.NumberCell(row, "RX microseconds", "RX usecs")
		n.CoalesceAdaptiveRx = property.Then(row, func(r esx.Values) inventory.Fact[bool] { return perhost.Cell(r, perhost.OnOff, "Adaptive RX") })
	}
}

func (a *hostReader) kernelSettings(ctx context.Context) {
	answer := a.Run(ctx, cliKernel)
	if ctx.Err() != nil {
		return
	}
	a.host.KernelSettings = property.Then(answer, func(rows []esx.Values) inventory.Fact[map[string]string] {
		settings := make(map[string]string, len(rows))
		for _, r := range rows {
			name, _ := perhost.Column(r, "Name")
			settings[name], _ = perhost.Column(r, "Configured")
		}
		return inventory.Known(settings)
	})
}

func luns(h *host) []*inventory.LUN {
	all, _ := h.LUNs.Value()
	return all
}

func hasLUNs(h *host) bool { return len(luns(h)) > 0 }

// devices reads all disks in one call.
func (a *hostReader) devices(ctx context.Context) {
	answer := a.Run(ctx, perhost.CLIDevices)
	if ctx.Err() != nil {
		return
	}
	for _, l := range luns(a.host) {
		row := property.Then(answer, perhost.RowOf(l.Device, "Device"))
		l.OutstandingIOs = perhost.NumberCell(row, "No of outstanding IOs with competing worlds")
		l.QueueFullSampleSize = perhost.NumberCell(row, "Queue Full Sample Size")
		l.QueueFullThreshold = perhost.NumberCell(row, "Queue Full Threshold")
	}
}

// roundRobin is the policy whose devices report when they change paths.
const roundRobin = "VMW_PSP_RR"

// pathConfigs reads all disks that the native multipathing plug-in claims, in one call.
func (a *hostReader) pathConfigs(ctx context.Context) {
	answer := a.Run(ctx, cliPaths)
	if ctx.Err() != nil {
		return
	}
	for _, l := range luns(a.host) {
		config := property.Then(l.PathPolicy, func(policy string) inventory.Fact[map[string]string] {
			if policy != roundRobin {
				return inventory.Absent[map[string]string]()
			}
			return property.Then(property.Then(answer, perhost.RowOf(l.Device, "Device")), pathConfig)
		})
		l.RoundRobinIOs = property.Then(config, func(c map[string]string) inventory.Fact[int64] {
			return perhost.Cell(esx.Values{"iops": {c["iops"]}}, perhost.WholeNumber, "iops")
		})
		l.RoundRobinType = property.Then(config, func(c map[string]string) inventory.Fact[string] { return inventory.Known(c["policy"]) })
	}
}

// pathConfig parses the configuration of a device's policy: {policy=rr,iops=1000,bytes=10485760,useANO=0; lastPathIndex=1: …}.
func pathConfig(row esx.Values) inventory.Fact[map[string]string] {
	text, ok := perhost.Column(row, "Path Selection Policy Device Config")
	if !ok {
		return inventory.Unread[map[string]string]("esxcli does not show the configuration of the path policy")
	}
	config := map[string]string{}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("{}, ;:", r) }) {
		if key, value, ok := strings.Cut(part, "="); ok {
			config[key] = value
		}
	}
	return inventory.Known(config)
}

// hbasOf returns the adapters of some kinds.
func hbasOf(h *host, kinds ...string) (list []*inventory.HBA) {
	all, _ := h.HBAs.Value()
	for _, b := range all {
		if kind, _ := b.Kind.Value(); slices.Contains(kinds, kind) {
			list = append(list, b)
		}
	}
	return list
}

func fcHBAs(h *host) []*inventory.HBA { return hbasOf(h, inventory.HBAFibreChannel) }

// sasHBAs returns the adapters that may be of SAS: the API has several types for them, and the same types for others.
func sasHBAs(h *host) []*inventory.HBA { return hbasOf(h, inventory.HBABlock, inventory.HBAOther) }

func hasVersionedHBAs(h *host) bool { return len(fcHBAs(h))+len(sasHBAs(h)) > 0 }

// hbaVersions asks once for all Fibre Channel adapters, and once for all SAS adapters.
func (a *hostReader) hbaVersions(ctx context.Context) {
	for _, list := range []struct {
		command string
		of      []*inventory.HBA
		row     func(device string) func([]esx.Values) inventory.Fact[esx.Values]
	}{{cliFC, fcHBAs(a.host), fcRow}, {cliSAS, sasHBAs(a.host), sasRow}} {
		if len(list.of) == 0 {
			continue
		}
		answer := a.Run(ctx, list.command)
		for _, b := range list.of {
			setVersions(ctx, b, property.Then(answer, list.row(b.Device)))
		}
	}
}

func fcRow(device string) func([]esx.Values) inventory.Fact[esx.Values] {
	return perhost.RowOf(device, "Adapter")
}

// sasRow finds an adapter's row. An adapter without one is of SATA, virtual, or of another kind.
func sasRow(device string) func([]esx.Values) inventory.Fact[esx.Values] {
	return func(rows []esx.Values) inventory.Fact[esx.Values] {
		row := perhost.RowOf(device, "Device Name")(rows)
		if _, listed := row.Value(); !listed {
			return inventory.Absent[esx.Values]()
		}
		return row
	}
}

func setVersions(ctx context.Context, b *inventory.HBA, row inventory.Fact[esx.Values]) {
	if ctx.Err() == nil {
		b.DriverVersion, b.FirmwareVersion = versionCell(row, "Driver Version"), versionCell(row, "Firmware Version")
	}
}

// versionCell returns a version. It is absent if the driver leaves it empty.
func versionCell(row inventory.Fact[esx.Values], name string) inventory.Fact[string] {
	return property.Then(perhost.TextCell(row, name), func(version string) inventory.Fact[string] {
		if version == "" {
			return inventory.Absent[string]()
		}
		return inventory.Known(version)
	})
}

package esxcli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	cli "github.com/vmware/govmomi/cli/esx"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

func one(v cli.Values) ([]cli.Values, bool) { return []cli.Values{v}, true }

// values pairs column names with texts.
func values(pairs ...string) cli.Values {
	v := cli.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v[pairs[i]] = []string{pairs[i+1]}
	}
	return v
}

// nicOf finds the NIC that -n names, among those that are or could be uplinks.
func (e cliHost) nicOf(args map[string]string) (*fleetdata.NIC, bool) {
	i := slices.IndexFunc(e.System.Config.Network.Pnic, func(n types.PhysicalNic) bool { return n.Device == args["nicname"] })
	if i < 0 {
		return nil, false
	}
	return e.Cards()[i].NIC, true
}

func (e cliHost) cliNIC(args map[string]string) ([]cli.Values, bool) {
	m, ok := e.nicOf(args)
	if !ok {
		return nil, false
	}
	return one(values("Name", args["nicname"], "Driver", m.Driver, "FirmwareVersion", m.Firmware, "Version", m.DriverVersion))
}

func (e cliHost) ringOf(args map[string]string) (fleetdata.Ring, bool) {
	_, ok := e.nicOf(args)
	return e.RingNow(args["nicname"]), ok
}

// cliSetRing sets the size of the receive ring, until the host restarts.
func (e cliHost) cliSetRing(args map[string]string) ([]cli.Values, bool) {
	r, ok := e.ringOf(args)
	n, err := strconv.Atoi(args["rx"])
	if !ok || err != nil || n < leastRing || n > r.Most {
		return nil, false
	}
	r.RX = n
	e.Rings[args["nicname"]] = r
	e.OnHiddenChange()
	return nil, true
}

const leastRing = 64

func (e cliHost) cliRing(args map[string]string) ([]cli.Values, bool) {
	r, ok := e.ringOf(args)
	if !ok {
		return nil, false
	}
	return one(values("RX", strconv.Itoa(r.RX), "RXMini", "0", "RXJumbo", "0", "TX", strconv.Itoa(r.TX)))
}

func (e cliHost) cliRingMax(args map[string]string) ([]cli.Values, bool) {
	r, ok := e.ringOf(args)
	if !ok {
		return nil, false
	}
	most := strconv.Itoa(r.Most)
	return one(values("RX", most, "RXMini", "0", "RXJumbo", "0", "TX", most))
}

func (e cliHost) cliCoalesce(map[string]string) ([]cli.Values, bool) {
	var rows []cli.Values
	for _, n := range e.System.Config.Network.Pnic {
		adaptive, micros := "On", 25
		if us, fixed := e.Row.ESXCLI.Interrupts[n.Device]; fixed {
			adaptive, micros = "Off", us
		}
		rows = append(rows, values("NIC", n.Device, "RXmicroseconds", strconv.Itoa(micros), "RXMaximumFrames", "128",
			"TXmicroseconds", "50", "TXMaximumFrames", "64", "AdaptiveRX", adaptive, "AdaptiveTX", "Off", "Sampleintervalseconds", "0"))
	}
	return rows, true
}

// cliDisks returns the names of the host's disks in its order.
func (e cliHost) cliDisks() []string {
	var names []string
	for _, l := range e.System.Config.StorageDevice.ScsiLun {
		if lun := l.GetScsiLun(); lun.LunType == "disk" {
			names = append(names, lun.CanonicalName)
		}
	}
	return names
}

// cliDevices returns all disks, or the one that -d names.
func (e cliHost) cliDevices(args map[string]string) ([]cli.Values, bool) {
	var rows []cli.Values
	for i, name := range e.cliDisks() {
		if only, one := args["device"]; one && only != name {
			continue
		}
		outstanding, sample := e.OutstandingOf(i, name), e.Row.ESXCLI.SampleSize[i]
		rows = append(rows, values("Device", name, "NoofoutstandingIOswithcompetingworlds", strconv.Itoa(outstanding),
			"QueueFullSampleSize", strconv.Itoa(sample), "QueueFullThreshold", strconv.Itoa(sample/4)))
	}
	return rows, len(rows) > 0
}

const mostOutstanding = 256

// cliSetDevice sets a disk's number of outstanding I/Os, which is kept over a restart.
func (e cliHost) cliSetDevice(args map[string]string) ([]cli.Values, bool) {
	name := args["device"]
	n, err := strconv.Atoi(args["schednumreqoutstanding"])
	at := slices.Index(e.cliDisks(), name)
	if err != nil || at < 0 || n < 1 || n > mostOutstanding {
		return nil, false
	}
	old := e.OutstandingOf(at, name)
	e.Wrote(func(*simulator.Context) { e.Outstanding[name] = old })
	e.Outstanding[name] = n
	e.OnHiddenChange()
	return nil, true
}

func (e cliHost) cliPaths(map[string]string) ([]cli.Values, bool) {
	policies := map[string]string{}
	if info := e.System.Config.StorageDevice.MultipathInfo; info != nil {
		for _, l := range info.Lun {
			policies[l.Lun] = l.Policy.GetHostMultipathInfoLogicalUnitPolicy().Policy
		}
	}
	var rows []cli.Values
	n := 0
	for _, l := range e.System.Config.StorageDevice.ScsiLun {
		lun := l.GetScsiLun()
		if lun.LunType != "disk" {
			continue
		}
		iops, policy := 1000, "rr"
		if own, set := e.Row.ESXCLI.SwitchAfter[n]; set {
			iops, policy = own, "iops"
		}
		n++
		rows = append(rows, values("Device", lun.CanonicalName, "PathSelectionPolicy", policies[lun.Key],
			"PathSelectionPolicyDeviceConfig",
			fmt.Sprintf("{policy=%s,iops=%d,bytes=10485760,useANO=0; lastPathIndex=0: NumIOsPending=0,numBytesPending=0}", policy, iops)))
	}
	return rows, true
}

// kernelText formats a value as the kernel's option table does.
func kernelText(v any) string { return strings.ToUpper(fmt.Sprint(v)) }

func (e cliHost) cliKernel(map[string]string) ([]cli.Values, bool) {
	var rows []cli.Values
	for _, s := range fleetdata.Demo().Kernel {
		if e.Row.Version < s.From {
			continue
		}
		configured := s.Value
		if own, set := e.Row.ESXCLI.Kernel[s.Name]; set {
			configured = own
		}
		runtime := configured
		if option := e.Option(world.BootPrefix + s.Name); option != nil {
			configured, runtime = kernelText(option), kernelText(e.AtBoot[s.Name])
		}
		rows = append(rows, values("Name", s.Name, "Type", "Bool", "Configured", configured, "Runtime", runtime, "Default", s.Value))
	}
	return rows, true
}

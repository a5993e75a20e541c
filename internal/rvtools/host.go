package rvtools

import (
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/pkg/inventory"
)

type host = inventory.Host

// hostColumns are the columns of vHost. Speed is not one of them: it is cut to whole MHz, and the fact is rounded up.
var hostColumns = []column[*host]{
	plain("Host.cpuDescription", "CPU Model", func(h *host) *inventory.Fact[string] { return &h.CPUDescription }),
	{"CPU Model", []string{"Host.cpuVendor"}, func(h *host, text string) { h.CPUVendor = cpuVendor(text) }},
	onlyYes("Host.hyperThreadingAvailable", "HT Available", func(h *host) *inventory.Fact[bool] { return &h.HyperThreadingAvailable }),
	yesNo("Host.hyperThreadingActive", "HT Active", func(h *host) *inventory.Fact[bool] { return &h.HyperThreadingActive }),
	whole("Host.cpuPackages", "# CPU", func(h *host) *inventory.Fact[int64] { return &h.CPUPackages }),
	whole("Host.cores", "# Cores", func(h *host) *inventory.Fact[int64] { return &h.Cores }),
	whole("Host.memoryMB", "# Memory", func(h *host) *inventory.Fact[int64] { return &h.MemoryMB }),
	plain("Host.memoryTiering", "Memory Tiering Type", func(h *host) *inventory.Fact[string] { return &h.MemoryTiering }),
	plain("Host.powerHardware", "Supported CPU power man.", func(h *host) *inventory.Fact[string] { return &h.PowerHardware }),
	word("Host.powerPolicy", "Host Power Policy", powerPolicies, func(h *host) *inventory.Fact[string] { return &h.PowerPolicy }),
	{"ESX Version", []string{"Host.version", "Host.build"}, fillProduct},
	date("Host.bootTime", "Boot time", func(h *host) *inventory.Fact[time.Time] { return &h.BootTime }),
	plain("Host.vendor", "Vendor", func(h *host) *inventory.Fact[string] { return &h.Vendor }),
	plain("Host.model", "Model", func(h *host) *inventory.Fact[string] { return &h.Model }),
}

// powerPolicies are the short names of the policies, the keys of their names in the API, and their names in English clients.
var powerPolicies = map[string]string{
	"static": "static", "powerpolicy.static.name": "static", "high performance": "static",
	"dynamic": "dynamic", "powerpolicy.dynamic.name": "dynamic", "balanced": "dynamic",
	"low": "low", "powerpolicy.low.name": "low", "low power": "low",
	"custom": "custom", "powerpolicy.custom.name": "custom",
}

// cpuVendor recognizes the vendor in a processor's name, which Intel and AMD begin with their own.
func cpuVendor(description string) inventory.Fact[string] {
	switch lower := strings.ToLower(description); {
	case strings.HasPrefix(lower, "intel"):
		return inventory.Known("intel")
	case strings.HasPrefix(lower, "amd"):
		return inventory.Known("amd")
	}
	return inventory.Unread[string]("the name of the processor in the export does not begin with its vendor")
}

// product matches the full name of a release, such as VMware ESXi 8.0.2 build-22380479.
var product = regexp.MustCompile(`\bESXi? (\d+(?:\.\d+){0,2}) build-(\d+)`)

func fillProduct(h *host, text string) {
	found := product.FindStringSubmatch(text)
	if found == nil {
		h.Version, h.Build = notUnderstood[inventory.Version]("ESX Version", text, "no release of ESXi"), notUnderstood[string]("ESX Version", text, "no release of ESXi")
		return
	}
	h.Build = inventory.Known(found[2])
	v, err := inventory.ParseVersion(found[1])
	if err != nil {
		h.Version = notUnderstood[inventory.Version]("ESX Version", text, "no release of ESXi")
		return
	}
	h.Version = inventory.Known(v)
}

// kindAndCloud sets what vendor, model and domain together show. Hyper-Threading that the BIOS hides is no evidence that the CPU
// has none.
func kindAndCloud(h *host, domain string) {
	model, knowsModel := h.Model.Value()
	vendor, knowsVendor := h.Vendor.Value()
	if knowsModel && knowsVendor {
		h.Kind = inventory.Known(hostfacts.KindOf(vendor, model))
	}
	if knowsModel {
		cloud, evidence := hostfacts.CloudOf(model, domain)
		h.Cloud, h.CloudEvidence = inventory.Known(cloud), inventory.Known(evidence)
	}
	if _, available := h.HyperThreadingAvailable.Value(); !available {
		h.HyperThreadingActive = inventory.Unread[bool]("the export does not show whether the processor has Hyper-Threading")
	}
}

var pnicColumns = []column[*inventory.PNIC]{
	plain("PNIC.driver", "Driver", func(n *inventory.PNIC) *inventory.Fact[string] { return &n.Driver }),
	whole("PNIC.linkMbps", "Speed", func(n *inventory.PNIC) *inventory.Fact[int64] { return &n.LinkMbps }),
	{"Duplex", []string{"PNIC.fullDuplex"}, fillDuplex},
	plain("PNIC.switch", "Switch", func(n *inventory.PNIC) *inventory.Fact[string] { return &n.Switch }),
	{"Switch", []string{"PNIC.uplink"}, func(n *inventory.PNIC, _ string) { n.Uplink = inventory.Known(true) }},
}

// fillDuplex reads the duplex of a link that is up; a link that is down has none.
func fillDuplex(n *inventory.PNIC, text string) {
	switch speed, known := n.LinkMbps.Value(); {
	case known && speed == 0:
		n.FullDuplex = inventory.Absent[bool]()
	case known && strings.EqualFold(text, "full"):
		n.FullDuplex = inventory.Known(true)
	case known && strings.EqualFold(text, "half"):
		n.FullDuplex = inventory.Known(false)
	case known:
		n.FullDuplex = yesNoOf("Duplex", text)
	}
}

var hbaColumns = []column[*inventory.HBA]{
	{"Type", []string{"HBA.kind"}, fillHBAKind},
	word("HBA.status", "Status", same("online", "offline", "unbound", "unknown"), func(b *inventory.HBA) *inventory.Fact[string] { return &b.Status }),
	plain("HBA.driver", "Driver", func(b *inventory.HBA) *inventory.Fact[string] { return &b.Driver }),
	plain("HBA.model", "Model", func(b *inventory.HBA) *inventory.Fact[string] { return &b.Model }),
}

// fillHBAKind knows iSCSI adapters only: the export does not report the protocol, which tells NVMe from SCSI over Fibre Channel.
func fillHBAKind(b *inventory.HBA, text string) {
	if strings.Contains(strings.ToLower(text), "iscsi") {
		b.Kind = inventory.Known("iscsi")
		return
	}
	b.Kind = inventory.Unread[string]("the export does not report the protocol of the adapter")
	b.Software, b.Targets, b.DelayedAck = inventory.Unread[bool](NotHere), inventory.Unread[int64](NotHere), inventory.Unread[bool](NotHere)
}

var vmkColumns = []column[*inventory.VMKNIC]{
	whole("VMKNIC.mtu", "MTU", func(k *inventory.VMKNIC) *inventory.Fact[int64] { return &k.MTU }),
}

// subnet returns the network of an adapter's address.
func subnet(address, mask string) inventory.Fact[string] {
	ip, err1 := netip.ParseAddr(address)
	m, err2 := netip.ParseAddr(mask)
	if err1 != nil || err2 != nil || !ip.Is4() || !m.Is4() {
		return inventory.Unread[string](NotHere)
	}
	bits, ones := m.As4(), 0
	for n := uint32(bits[0])<<24 | uint32(bits[1])<<16 | uint32(bits[2])<<8 | uint32(bits[3]); n&(1<<31) != 0; n <<= 1 {
		ones++
	}
	prefix := netip.PrefixFrom(ip, ones).Masked()
	return inventory.Known(prefix.String())
}

var vswitchColumns = []column[*inventory.Switch]{
	whole("Switch.mtu", "MTU", func(s *inventory.Switch) *inventory.Fact[int64] { return &s.MTU }),
}

var dvswitchColumns = []column[*inventory.Switch]{
	whole("Switch.mtu", "Max MTU", func(s *inventory.Switch) *inventory.Fact[int64] { return &s.MTU }),
}

var lunColumns = []column[*inventory.LUN]{
	plain("LUN.pathPolicy", "Policy", func(l *inventory.LUN) *inventory.Fact[string] { return &l.PathPolicy }),
	word("LUN.hardwareAcceleration", "vStorage", same("vStorageSupported", "vStorageUnsupported", "vStorageUnknown"),
		func(l *inventory.LUN) *inventory.Fact[string] { return &l.HardwareAcceleration }),
	{"Queue depth", []string{"LUN.queueDepth"}, func(l *inventory.LUN, text string) {
		if l.QueueDepth = wholeOf("Queue depth", text); l.QueueDepth == inventory.Known(int64(0)) {
			l.QueueDepth = inventory.Absent[int64]() // the host reports none
		}
	}},
	plain("LUN.vendor", "Vendor", func(l *inventory.LUN) *inventory.Fact[string] { return &l.Vendor }),
	plain("LUN.model", "Model", func(l *inventory.LUN) *inventory.Fact[string] { return &l.Model }),
}

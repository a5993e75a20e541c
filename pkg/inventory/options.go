package inventory

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed options.txt
var optionText string

// ShippedOptions returns the option table of this version of vperf. Callers must not change it.
var ShippedOptions = sync.OnceValue(func() *OptionTable {
	t, err := ParseOptionTable(optionText)
	if err != nil {
		panic(err) // the table is part of the binary and a test parses it
	}
	return t
})

// LookupOption finds an option of the shipped table by its exact key.
func LookupOption(key string) (OptionDoc, bool) { return ShippedOptions().Lookup(key) }

// OptionKeys lists all keys of the shipped table in its order.
func OptionKeys() []string { return ShippedOptions().Keys() }

// Releases lists the releases of the shipped table, oldest first: 6.7U3, 8.0, 9.0.1.
func Releases() []string { return ShippedOptions().Releases() }

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

package world

import (
	"crypto/sha256"
	"fmt"
)

// UUID returns a UUID that depends only on a name, so that it is the same at every start.
func UUID(name string) string {
	h := sha256.Sum256([]byte("vperf demo fleet " + name))
	h[6] = h[6]&0x0f | 0x50
	h[8] = h[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// MAC returns a MAC address with the vendor's prefix, numbered by owner and device.
func MAC(prefix string, owner, device int) string {
	return fmt.Sprintf("%s:%02x:%02x:%02x", prefix, owner>>8&0xff, owner&0xff, device)
}

// Names used to build the fleet and by its APIs.
const (
	PathRoundRobin = "VMW_PSP_RR"                       // the policy that uses all paths
	HBALocal       = "vmhba0"                           // the adapter of local disks
	HBAISCSI       = "vmhba64"                          // the software adapter of iSCSI
	NUMAIO         = "Net.NetNetqNumaIOCpuPinThreshold" // an option: packets are handled on the node of their NIC
	VMNetwork      = "VM Network"                       // the VM port group on standard switches
	VSANDiskPrefix = "naa.58ce38ee2"                    // prefix of the names of vSAN disks
)

// States of VMware Tools.
const (
	ToolsRunning = "guestToolsRunning"
	ToolsStopped = "guestToolsNotRunning"
	ToolsMissing = "guestToolsNotInstalled"
)

package simfleet

// nicModel is a kind of physical NIC.
type nicModel struct {
	vendor, device     string
	vendorID, deviceID uint16
	driver             string
	driverVersion      string
	firmware           string
	mbps               int32
	copper             bool // runs at lower speeds as well
}

// onboard is the NIC of a server's board that nobody uses.
var onboard = nicModel{
	vendor: "Intel Corporation", device: "I350 Gigabit Network Connection", vendorID: 0x8086, deviceID: 0x1521,
	driver: "igbn", driverVersion: "1.11.4.0", firmware: "1.63, 0x80000cbc", mbps: 1000, copper: true,
}

// virtual10 is what a nested host has.
var virtual10 = nicModel{
	vendor: "VMware Inc.", device: "vmxnet3 Virtual Ethernet Controller", vendorID: 0x15ad, deviceID: 0x07b0,
	driver: "nvmxnet3", driverVersion: "2.0.0.33", mbps: 10_000,
}

const onboardBus = 0x3d

var (
	mellanox40 = nicModel{
		vendor: "Mellanox Technologies", device: "MT27700 Family [ConnectX-4]", vendorID: 0x15b3, deviceID: 0x1013,
		driver: "nmlx5_core", driverVersion: "4.19.71.101", firmware: "12.28.2006", mbps: 40_000,
	}
	mellanox40old = nicModel{
		vendor: "Mellanox Technologies", device: "MT27500 Family [ConnectX-3]", vendorID: 0x15b3, deviceID: 0x1003,
		driver: "nmlx4_en", driverVersion: "3.16.11.6", firmware: "2.42.5000", mbps: 40_000,
	}
	intel10 = nicModel{
		vendor: "Intel Corporation", device: "Ethernet Controller X550", vendorID: 0x8086, deviceID: 0x1563,
		driver: "ixgben", driverVersion: "1.18.2.0", firmware: "1.73, 0x80000d9f", mbps: 10_000, copper: true,
	}
	intel10old = nicModel{ // the same under its Linux driver, which 7.0 no longer loads
		vendor: "Intel Corporation", device: "Ethernet Controller X550", vendorID: 0x8086, deviceID: 0x1563,
		driver: "ixgbe", driverVersion: "3.7.13.7.14iov", firmware: "0x80000492", mbps: 10_000, copper: true,
	}
	intel25 = nicModel{
		vendor: "Intel Corporation", device: "Ethernet Controller E810-XXV for SFP", vendorID: 0x8086, deviceID: 0x159b,
		driver: "icen", driverVersion: "1.14.2.0", firmware: "4.50 0x8001d8c2 1.3597.0", mbps: 25_000,
	}
	mellanox100 = nicModel{
		vendor: "Mellanox Technologies", device: "MT2892 Family [ConnectX-6 Dx]", vendorID: 0x15b3, deviceID: 0x101d,
		driver: "nmlx5_core", driverVersion: "4.24.0.7", firmware: "22.41.1000", mbps: 100_000,
	}
)

// slot is where a NIC sits: its PCI bus, and the socket that the bus hangs off.
type slot struct {
	bus    byte
	socket int
}

// serverModel is a kind of server.
type serverModel struct {
	vendor, model, bios string
	cpu                 string
	cpuModel            int16 // of Intel's family 6
	sockets, cores      int   // cores of one socket
	memoryGB            int64
	nic                 nicModel
	slots               []slot // one NIC in each
}

var (
	r730 = serverModel{
		vendor: "Dell Inc.", model: "PowerEdge R730", bios: "2.19.0",
		cpu: "Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz", cpuModel: 79, sockets: 2, cores: 14, memoryGB: 512,
		nic: mellanox40, slots: []slot{{0x04, 0}, {0x82, 1}},
	}
	sys6029 = serverModel{
		vendor: "Supermicro", model: "SYS-6029P-WTRT", bios: "3.8b",
		cpu: "Intel(R) Xeon(R) Gold 6142 CPU @ 2.60GHz", cpuModel: 85, sockets: 2, cores: 16, memoryGB: 384,
		nic: intel10, slots: []slot{{0x18, 0}, {0x19, 0}},
	}
	i3metal = serverModel{ // of VMware Cloud on AWS; its parts are those of sys6029, so that nothing else tells the two apart
		vendor: "Amazon EC2", model: "Amazon EC2 i3.metal", bios: "1.0",
		cpu: "Intel(R) Xeon(R) Gold 6142 CPU @ 2.60GHz", cpuModel: 85, sockets: 2, cores: 16, memoryGB: 384,
		nic: intel10, slots: []slot{{0x18, 0}, {0x19, 0}},
	}
	r930 = serverModel{
		vendor: "Dell Inc.", model: "PowerEdge R930", bios: "2.9.1",
		cpu: "Intel(R) Xeon(R) CPU E7-8890 v4 @ 2.20GHz", cpuModel: 79, sockets: 4, cores: 24, memoryGB: 3072,
		nic: intel10, slots: []slot{{0x02, 0}, {0x03, 0}, {0x43, 1}, {0x44, 1}},
	}
	r930old = serverModel{ // as it came, NICs and all
		vendor: "Dell Inc.", model: "PowerEdge R930", bios: "2.5.1",
		cpu: "Intel(R) Xeon(R) CPU E7-8890 v4 @ 2.20GHz", cpuModel: 79, sockets: 4, cores: 24, memoryGB: 3072,
		nic: intel10old, slots: []slot{{0x02, 0}, {0x03, 0}, {0x43, 1}, {0x44, 1}},
	}
	r750 = serverModel{
		vendor: "Dell Inc.", model: "PowerEdge R750", bios: "1.14.1",
		cpu: "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz", cpuModel: 106, sockets: 2, cores: 32, memoryGB: 512,
		nic: intel25, slots: []slot{{0x31, 0}, {0x32, 0}, {0xca, 1}, {0xcb, 1}},
	}
	r770 = serverModel{
		vendor: "Dell Inc.", model: "PowerEdge R770", bios: "1.2.6",
		cpu: "Intel(R) Xeon(R) 6787P", cpuModel: 173, sockets: 2, cores: 86, memoryGB: 1024,
		nic: mellanox100, slots: []slot{{0x29, 0}, {0xc5, 1}},
	}
	r310 = serverModel{
		vendor: "Dell Inc.", model: "PowerEdge R310", bios: "1.14.0",
		cpu: "Intel(R) Xeon(R) CPU X3460 @ 2.80GHz", cpuModel: 30, sockets: 1, cores: 4, memoryGB: 32,
		nic: intel10, slots: []slot{{0x02, 0}, {0x03, 0}},
	}
	r730oneSide = serverModel{ // both NICs on the second socket
		vendor: "Dell Inc.", model: "PowerEdge R730", bios: "2.5.5",
		cpu: "Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz", cpuModel: 79, sockets: 2, cores: 14, memoryGB: 512,
		nic: mellanox40old, slots: []slot{{0x82, 1}, {0x84, 1}},
	}
	nested = serverModel{
		vendor: "VMware, Inc.", model: "VMware20,1", bios: "VMW201.00V.21805430.B64.2305221830",
		cpu: "Intel(R) Xeon(R) Gold 6142 CPU @ 2.60GHz", cpuModel: 85, sockets: 1, cores: 8, memoryGB: 64,
		nic: virtual10, slots: []slot{{0x0b, 0}, {0x13, 0}},
	}
)

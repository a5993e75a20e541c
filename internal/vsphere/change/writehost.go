package change

import "maps"

// hostWriters write what belongs to hosts, and to what hosts are grouped in and share.
var hostWriters = map[string]writer{
	"host-option":         optionWriter{},
	"power-policy":        powerWriter,
	"hyperthreading":      hyperthreadingWriter,
	"driver-options":      driverWriter{},
	"lun-outstanding-ios": lunWriter{},
	"datastore-unmap":     unmapWriter,
	"switch-nioc":         niocWriter,
	kindDRSAutomation:     drsWriter{},
	kindDRSRate:           drsWriter{},
	"pool-cpu-limit":      poolCPUWriter,
	"pool-memory-limit":   poolMemoryWriter,
}

func init() { maps.Copy(writers, hostWriters) }

package perf

import (
	"strings"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// perSecond converts a number per slot to a rate, rounded.
func perSecond(n int64) int64 { return (n + load.SlotSeconds/2) / load.SlotSeconds }

// meanMillis returns the mean of a sum of microseconds per operation, in whole milliseconds.
func meanMillis(micros, ops int64) int64 {
	if ops == 0 {
		return 0
	}
	return (micros/ops + 500) / 1000
}

// ioView extracts an I/O value.
type ioView func(*load.IO) int64

// IOFigures are the values that devices, adapters, paths, datastores and virtual disks have under the same names.
var IOFigures = map[string]ioView{
	"commandsAveraged":    func(c *load.IO) int64 { return perSecond(c.Commands) },
	"numberReadAveraged":  func(c *load.IO) int64 { return perSecond(c.Reads) },
	"numberWriteAveraged": func(c *load.IO) int64 { return perSecond(c.Writes) },
	"read":                func(c *load.IO) int64 { return perSecond(c.BlocksRead / 2) },
	"write":               func(c *load.IO) int64 { return perSecond(c.BlocksWritten / 2) },
	"totalReadLatency":    func(c *load.IO) int64 { return meanMillis(c.ReadTotal, c.Reads) },
	"totalWriteLatency":   func(c *load.IO) int64 { return meanMillis(c.WriteTotal, c.Writes) },
	"queueLatency":        func(c *load.IO) int64 { return meanMillis(c.ReadQueue+c.WriteQueue, c.Commands) },
	"totalLatency":        func(c *load.IO) int64 { return meanMillis(c.ReadTotal+c.WriteTotal, c.Commands) },
	"deviceLatency":       func(c *load.IO) int64 { return meanMillis(c.ReadIssue+c.WriteIssue, c.Commands) },
	"deviceReadLatency":   func(c *load.IO) int64 { return meanMillis(c.ReadIssue, c.Reads) },
	"deviceWriteLatency":  func(c *load.IO) int64 { return meanMillis(c.WriteIssue, c.Writes) },
	"kernelLatency": func(c *load.IO) int64 {
		return meanMillis(c.ReadTotal+c.WriteTotal-c.ReadIssue-c.WriteIssue, c.Commands)
	},
	"kernelReadLatency":  func(c *load.IO) int64 { return meanMillis(c.ReadTotal-c.ReadIssue, c.Reads) },
	"kernelWriteLatency": func(c *load.IO) int64 { return meanMillis(c.WriteTotal-c.WriteIssue, c.Writes) },
	"queueReadLatency":   func(c *load.IO) int64 { return meanMillis(c.ReadQueue, c.Reads) },
	"queueWriteLatency":  func(c *load.IO) int64 { return meanMillis(c.WriteQueue, c.Writes) },

	"commandsAborted":          func(c *load.IO) int64 { return c.Aborts },
	"busResets":                func(c *load.IO) int64 { return c.Resets },
	"scsiReservationConflicts": func(c *load.IO) int64 { return c.Conflicts },
}

// kindOfIO returns the kind of such a value by its name, and its rollup.
func kindOfIO(name string) (string, kind) {
	switch {
	case name == "read" || name == "write":
		return ".average", inKBps
	case strings.HasSuffix(name, "Latency"):
		return ".average", millisNow
	case strings.HasSuffix(name, "Averaged"):
		return ".average", numberPerSec
	}
	return ".summation", inNumber
}

func ioCounter(group, name string) perfCounter {
	rollup, k := kindOfIO(name)
	return counterOf(group+"."+name+rollup, k)
}

var (
	deviceIO = []string{
		"commandsAveraged", "numberReadAveraged", "numberWriteAveraged", "read", "write", "totalLatency", "totalReadLatency",
		"totalWriteLatency", "deviceLatency", "deviceReadLatency", "deviceWriteLatency", "kernelLatency", "kernelReadLatency",
		"kernelWriteLatency", "queueLatency", "queueReadLatency", "queueWriteLatency", "commandsAborted", "busResets",
		"scsiReservationConflicts",
	}
	adapterIO = []string{
		"commandsAveraged", "numberReadAveraged", "numberWriteAveraged", "read", "write", "totalReadLatency", "totalWriteLatency", "queueLatency",
	}
	pathIO = []string{
		"commandsAveraged", "numberReadAveraged", "numberWriteAveraged", "read", "write", "totalReadLatency", "totalWriteLatency",
		"commandsAborted", "busResets",
	}
	volumeIO = []string{"numberReadAveraged", "numberWriteAveraged", "read", "write", "totalReadLatency", "totalWriteLatency"}
)

func diskCounters() (list []perfCounter) {
	for _, name := range deviceIO {
		list = append(list, ioCounter("disk", name).ofHosts(hostDevices, func(f *hostSample, n int) int64 { return IOFigures[name](f.device(n)) }))
	}
	for _, name := range adapterIO {
		list = append(list, ioCounter("storageAdapter", name).ofHosts(hostAdapters, func(f *hostSample, n int) int64 { return IOFigures[name](f.adapter(n)) }))
	}
	for _, name := range pathIO {
		list = append(list, ioCounter("storagePath", name).ofHosts(hostPaths, func(f *hostSample, n int) int64 { return IOFigures[name](f.path(n)) }))
	}
	for _, name := range volumeIO {
		list = append(list,
			ioCounter("virtualDisk", name).ofVMs(vmDisks, func(f *vmSample, n int) int64 { return IOFigures[name](f.disk(n)) }),
			ioCounter("datastore", name).
				ofHosts(hostStores, func(f *hostSample, n int) int64 { return IOFigures[name](f.store(n)) }).
				ofVMs(vmStores, func(f *vmSample, n int) int64 { return IOFigures[name](f.store(n)) }))
	}
	return append(list,
		counterOf("disk.maxQueueDepth.average", numberNow).ofHosts(hostDevices, func(f *hostSample, n int) int64 {
			if d := f.settings().Devices; n < len(d) {
				return d[n].QueueDepth
			}
			return 0
		}),
		counterOf("storageAdapter.queueDepth.average", numberNow).ofHosts(hostAdapters, func(f *hostSample, n int) int64 {
			return f.settings().Adapters[n].QueueDepth
		}),
		counterOf("virtualDisk.readLatencyUS.latest", microsNow).ofVMs(vmDisks, func(f *vmSample, n int) int64 {
			d := f.disk(n)
			return d.ReadTotal / max(d.Reads, 1)
		}),
		counterOf("virtualDisk.writeLatencyUS.latest", microsNow).ofVMs(vmDisks, func(f *vmSample, n int) int64 {
			d := f.disk(n)
			return d.WriteTotal / max(d.Writes, 1)
		}),
		counterOf("disk.maxTotalLatency.latest", millisNow).
			ofHosts(nil, func(f *hostSample, _ int) (worst int64) {
				for n := range f.Devices {
					worst = max(worst, IOFigures["totalLatency"](f.device(n)))
				}
				return worst
			}).
			ofVMs(nil, func(f *vmSample, _ int) (worst int64) {
				for n := range f.Disks {
					worst = max(worst, IOFigures["totalLatency"](f.disk(n)))
				}
				return worst
			}),
	)
}

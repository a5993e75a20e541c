package simfleet

import "strings"

// perSecond is a number of the slot, rounded.
func perSecond(n int64) int64 { return (n + slotSeconds/2) / slotSeconds }

// meanMillis is a sum of microseconds by operation, in whole milliseconds.
func meanMillis(micros, ops int64) int64 {
	if ops == 0 {
		return 0
	}
	return (micros/ops + 500) / 1000
}

// ioView is a figure of I/O.
type ioView func(*ioCounters) int64

// ioViews are those that devices, adapters, paths, datastores and virtual disks have under the same names.
var ioViews = map[string]ioView{
	"commandsAveraged":    func(c *ioCounters) int64 { return perSecond(c.commands) },
	"numberReadAveraged":  func(c *ioCounters) int64 { return perSecond(c.reads) },
	"numberWriteAveraged": func(c *ioCounters) int64 { return perSecond(c.writes) },
	"read":                func(c *ioCounters) int64 { return perSecond(c.blocksRead / 2) },
	"write":               func(c *ioCounters) int64 { return perSecond(c.blocksWritten / 2) },
	"totalReadLatency":    func(c *ioCounters) int64 { return meanMillis(c.readTotal, c.reads) },
	"totalWriteLatency":   func(c *ioCounters) int64 { return meanMillis(c.writeTotal, c.writes) },
	"queueLatency":        func(c *ioCounters) int64 { return meanMillis(c.readQueue+c.writeQueue, c.commands) },
	"totalLatency":        func(c *ioCounters) int64 { return meanMillis(c.readTotal+c.writeTotal, c.commands) },
	"deviceLatency":       func(c *ioCounters) int64 { return meanMillis(c.readIssue+c.writeIssue, c.commands) },
	"deviceReadLatency":   func(c *ioCounters) int64 { return meanMillis(c.readIssue, c.reads) },
	"deviceWriteLatency":  func(c *ioCounters) int64 { return meanMillis(c.writeIssue, c.writes) },
	"kernelLatency": func(c *ioCounters) int64 {
		return meanMillis(c.readTotal+c.writeTotal-c.readIssue-c.writeIssue, c.commands)
	},
	"kernelReadLatency":  func(c *ioCounters) int64 { return meanMillis(c.readTotal-c.readIssue, c.reads) },
	"kernelWriteLatency": func(c *ioCounters) int64 { return meanMillis(c.writeTotal-c.writeIssue, c.writes) },
	"queueReadLatency":   func(c *ioCounters) int64 { return meanMillis(c.readQueue, c.reads) },
	"queueWriteLatency":  func(c *ioCounters) int64 { return meanMillis(c.writeQueue, c.writes) },

	"commandsAborted":          func(c *ioCounters) int64 { return c.aborts },
	"busResets":                func(c *ioCounters) int64 { return c.resets },
	"scsiReservationConflicts": func(c *ioCounters) int64 { return c.conflicts },
}

// kindOfIO is the kind of such a figure, by its name, and how it is summed up.
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
		list = append(list, ioCounter("disk", name).ofHosts(hostDevices, func(f *hostSample, n int) int64 { return ioViews[name](f.device(n)) }))
	}
	for _, name := range adapterIO {
		list = append(list, ioCounter("storageAdapter", name).ofHosts(hostAdapters, func(f *hostSample, n int) int64 { return ioViews[name](f.adapter(n)) }))
	}
	for _, name := range pathIO {
		list = append(list, ioCounter("storagePath", name).ofHosts(hostPaths, func(f *hostSample, n int) int64 { return ioViews[name](f.path(n)) }))
	}
	for _, name := range volumeIO {
		list = append(list,
			ioCounter("virtualDisk", name).ofVMs(vmDisks, func(f *vmSample, n int) int64 { return ioViews[name](f.disk(n)) }),
			ioCounter("datastore", name).
				ofHosts(hostStores, func(f *hostSample, n int) int64 { return ioViews[name](f.store(n)) }).
				ofVMs(vmStores, func(f *vmSample, n int) int64 { return ioViews[name](f.store(n)) }))
	}
	return append(list,
		counterOf("disk.maxQueueDepth.average", numberNow).ofHosts(hostDevices, func(f *hostSample, n int) int64 {
			if d := f.settings().devices; n < len(d) {
				return d[n].queueDepth
			}
			return 0
		}),
		counterOf("storageAdapter.queueDepth.average", numberNow).ofHosts(hostAdapters, func(f *hostSample, n int) int64 {
			return f.settings().adapters[n].queueDepth
		}),
		counterOf("virtualDisk.readLatencyUS.latest", microsNow).ofVMs(vmDisks, func(f *vmSample, n int) int64 {
			d := f.disk(n)
			return d.readTotal / max(d.reads, 1)
		}),
		counterOf("virtualDisk.writeLatencyUS.latest", microsNow).ofVMs(vmDisks, func(f *vmSample, n int) int64 {
			d := f.disk(n)
			return d.writeTotal / max(d.writes, 1)
		}),
		counterOf("disk.maxTotalLatency.latest", millisNow).
			ofHosts(nil, func(f *hostSample, _ int) (worst int64) {
				for n := range f.devices {
					worst = max(worst, ioViews["totalLatency"](f.device(n)))
				}
				return worst
			}).
			ofVMs(nil, func(f *vmSample, _ int) (worst int64) {
				for n := range f.disks {
					worst = max(worst, ioViews["totalLatency"](f.disk(n)))
				}
				return worst
			}),
	)
}

func (f *hostSample) device(n int) *ioCounters {
	if n < len(f.devices) {
		return &f.devices[n]
	}
	return new(ioCounters)
}

func (f *hostSample) path(n int) *ioCounters {
	for _, list := range f.paths {
		if n < len(list) {
			return &list[n]
		}
		n -= len(list)
	}
	return new(ioCounters)
}

// adapter is the sum of its paths.
func (f *hostSample) adapter(n int) *ioCounters {
	sum, h := new(ioCounters), f.settings()
	names := hostAdapters(h)
	for i, d := range h.devices {
		for k, p := range d.paths {
			if n < len(names) && p.adapter == names[n] {
				sum.plus(&f.paths[i][k], whole)
			}
		}
	}
	return sum
}

func (f *vmSample) disk(n int) *ioCounters {
	if n < len(f.disks) {
		return &f.disks[n]
	}
	return new(ioCounters)
}

func (f *vmSample) store(n int) *ioCounters {
	sum, names := new(ioCounters), f.stay.settings.stores()
	for i, d := range f.stay.settings.disks {
		if n < len(names) && d.store == names[n] {
			sum.plus(f.disk(i), whole)
		}
	}
	return sum
}

// store is what VMs do on a datastore: several may be on one disk.
func (f *hostSample) store(n int) *ioCounters {
	names := hostStoreNames(f.settings())
	if n < len(names) {
		if io := f.stores[names[n]]; io != nil {
			return io
		}
	}
	return new(ioCounters)
}

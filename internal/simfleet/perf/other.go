package perf

import "github.com/vperf/vperf/internal/simfleet/load"

// oddResources are instances with unusual names.
var oddResources = []string{"host/system/kernel", "host/user", `host/iofilters/"cache" & Co, Ltd <1>`}

func otherCounters() []perfCounter {
	return []perfCounter{
		counterOf("power.power.average", inWatt).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.Watts }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.Watts }),
		counterOf("power.powerCap.average", wattNow).ofHosts(nil, func(*hostSample, int) int64 { return 0 }),
		counterOf("power.energy.summation", inJoule).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return f.Watts * load.SlotSeconds }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return f.Watts * load.SlotSeconds }),
		counterOf("sys.uptime.latest", inSeconds).
			ofHosts(nil, func(f *hostSample, _ int) int64 { return load.SlotEnd(f.slot).Unix() - f.settings().Booted }).
			ofVMs(nil, func(f *vmSample, _ int) int64 { return load.SlotEnd(f.slot).Unix() - f.residency.Since.Unix() }),
		counterOf("datastore.maxTotalLatency.latest", millisNow).
			ofHosts(nil, func(f *hostSample, _ int) (worst int64) {
				for n := range hostStores(f.settings()) {
					worst = max(worst, IOFigures["totalLatency"](f.store(n)))
				}
				return worst
			}).
			ofVMs(nil, func(f *vmSample, _ int) (worst int64) {
				for n := range vmStores(f.residency.Settings) {
					worst = max(worst, IOFigures["totalLatency"](f.store(n)))
				}
				return worst
			}),
		counterOf("sys.resourceCpuUsage.average", inMHz).ofHosts(func(*load.Host) []string { return oddResources }, func(f *hostSample, n int) int64 {
			return f.OwnMHz / int64(n+2)
		}),
	}
}

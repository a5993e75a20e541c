package load

import (
	"math"
	"strings"
)

// shape is how much of its load a VM has at an hour of the day, from 0 to 1.
type shape func(hour, swing float64) float64

// The shapes. Swing is slow noise from 0 to 1.
func officeDay(hour, swing float64) float64 {
	return 0.85*bump(hour, 11, 4.5)*(1-0.35*bump(hour, 12.5, 0.7)) + 0.75*bump(hour, 15.5, 3) + 0.1*swing
}
func nightly(hour, swing float64) float64 { return 0.95*bump(hour, 2.5, 2.5) + 0.05*swing }
func steady(_, swing float64) float64     { return swing }
func inBursts(_, swing float64) float64   { return swing * swing * swing }
func leaking(hour, swing float64) float64 { return 0.9*math.Mod(hour, 6)/6 + 0.1*swing }

// bump is 1 at the middle and next to nothing further away than its width.
func bump(hour, middle, width float64) float64 {
	d := math.Abs(hour - middle)
	d = min(d, 24-d) / width
	return math.Exp(-2 * d * d)
}

// span is from the least to the most.
type span struct{ low, high float64 }

func (s span) at(level float64) float64 { return s.low + (s.high-s.low)*min(max(level, 0), 1) }

// profile is what a VM does all day, for its kind of work.
type profile struct {
	shape   shape
	cpu     span    // of its vCPUs that work
	touched float64 // of its memory that it was ever in need of
	leak    bool    // which grows
	active  span    // of its memory
	iops    span    // on all disks
	ioKB    float64
	reads   float64 // of its I/O
	rx, tx  span    // packets a second
	rxBytes float64 // of a packet
	txBytes float64
	paced   bool    // it sends as much as its NIC has room for, and loses nothing by it
	net     float64 // the part of its CPU that its packets take
	even    bool    // it does the same all the time
	left    remains // of a time when its host was short of memory
}

// remains is what a VM has not got back since its host was short of memory: nobody asked for it.
type remains struct{ swapped, balloon float64 } // of its memory

// profiles are the kinds of work that there are.
var profiles = map[string]*profile{
	"office": {
		shape: officeDay, cpu: span{.05, .24}, touched: .85, active: span{.08, .30}, iops: span{10, 60}, ioKB: 16, reads: .6,
		rx: span{120, 2200}, tx: span{90, 1600}, rxBytes: 520, txBytes: 410,
	},
	"website": {
		shape: officeDay, cpu: span{.12, .42}, touched: .8, active: span{.1, .35}, iops: span{10, 60}, ioKB: 12, reads: .7,
		rx: span{6000, 10_500}, tx: span{5000, 9500}, rxBytes: 240, txBytes: 920,
	},
	"desktop": {
		shape: officeDay, cpu: span{.13, .17}, touched: .95, active: span{.35, .6}, iops: span{8, 25}, ioKB: 20, reads: .5,
		rx: span{60, 400}, tx: span{40, 250}, rxBytes: 600, txBytes: 220,
	},
	"database": {
		shape: officeDay, cpu: span{.12, .28}, touched: .95, active: span{.4, .58}, iops: span{180, 700}, ioKB: 8, reads: .7,
		rx: span{900, 5000}, tx: span{900, 5600}, rxBytes: 260, txBytes: 640,
	},
	"hotDatabase": {
		shape: officeDay, cpu: span{.55, .75}, touched: .95, active: span{.5, .7}, iops: span{450, 1200}, ioKB: 8, reads: .7,
		rx: span{2500, 8000}, tx: span{2500, 9000}, rxBytes: 250, txBytes: 650,
	},
	"warehouse": {
		shape: officeDay, cpu: span{.2, .35}, touched: .95, active: span{.4, .6}, iops: span{2600, 4200}, ioKB: 32, reads: .8,
		rx: span{900, 3000}, tx: span{900, 5600}, rxBytes: 260, txBytes: 900,
	},
	"batch": {
		shape: nightly, cpu: span{.06, .85}, touched: .7, active: span{.05, .5}, iops: span{15, 900}, ioKB: 64, reads: .5,
		rx: span{100, 6000}, tx: span{100, 5000}, rxBytes: 900, txBytes: 800,
	},
	"quickAnswer": {
		shape: steady, cpu: span{.26, .36}, touched: .75, active: span{.2, .3}, iops: span{4, 15}, ioKB: 8, reads: .2,
		rx: span{11_000, 19_000}, tx: span{4000, 7000}, rxBytes: 190, txBytes: 160,
	},
	"packets": {
		shape: inBursts, cpu: span{.22, .5}, touched: .7, active: span{.2, .35}, iops: span{4, 12}, ioKB: 16, reads: .2,
		rx: span{26_000, 43_000}, tx: span{6000, 18_000}, rxBytes: 210, txBytes: 200,
	},
	"computing": {
		shape: steady, cpu: span{.38, .46}, touched: .96, active: span{.55, .75}, iops: span{20, 160}, ioKB: 128, reads: .4,
		rx: span{300, 2400}, tx: span{300, 2400}, rxBytes: 1000, txBytes: 1000,
	},
	"shuffling": {
		shape: inBursts, cpu: span{.11, .22}, touched: .8, active: span{.3, .6}, iops: span{200, 900}, ioKB: 128, reads: .5,
		rx: span{8500, 19_000}, tx: span{8500, 19_000}, rxBytes: 6500, txBytes: 6500,
	},
	"training": {
		shape: steady, cpu: span{.11, .22}, touched: .8, active: span{.3, .6}, iops: span{200, 900}, ioKB: 128, reads: .7,
		rx: span{16_500, 18_000}, tx: span{26_000, 28_000}, rxBytes: 8800, txBytes: 8800,
	},
	"pinned": {
		shape: steady, cpu: span{.22, .4}, touched: .7, active: span{.2, .35}, iops: span{4, 12}, ioKB: 16, reads: .2,
		rx: span{17_800, 18_600}, tx: span{6000, 18_000}, rxBytes: 210, txBytes: 200,
	},
	"leaky": {
		shape: officeDay, cpu: span{.08, .3}, touched: .98, leak: true, active: span{.1, .3}, iops: span{10, 90}, ioKB: 16, reads: .6,
		rx: span{500, 3000}, tx: span{500, 3000}, rxBytes: 420, txBytes: 700,
	},
	"storing": {
		shape: inBursts, cpu: span{.1, .22}, touched: .8, active: span{.2, .4}, iops: span{420, 900}, ioKB: 24, reads: .55,
		rx: span{300, 1500}, tx: span{300, 1500}, rxBytes: 600, txBytes: 600,
	},
	"filing": {
		shape: inBursts, cpu: span{.1, .22}, touched: .8, active: span{.2, .4}, iops: span{1000, 1400}, ioKB: 24, reads: .55,
		rx: span{300, 1500}, tx: span{300, 1500}, rxBytes: 600, txBytes: 600,
	},
	"compiling": {
		shape: steady, cpu: span{.74, .84}, touched: .8, active: span{.3, .5}, iops: span{90, 240}, ioKB: 32, reads: .6,
		rx: span{300, 1200}, tx: span{200, 900}, rxBytes: 700, txBytes: 500,
	},
	"tooMuchToDo": {
		shape: steady, cpu: span{1, 1}, touched: .8, active: span{.3, .5}, iops: span{12, 40}, ioKB: 16, reads: .6,
		rx: span{500, 2000}, tx: span{400, 1500}, rxBytes: 500, txBytes: 400,
	},
	"flood": {
		shape: inBursts, cpu: span{.24, .5}, touched: .7, active: span{.2, .35}, iops: span{4, 12}, ioKB: 16, reads: .2,
		rx: span{45_000, 46_000}, tx: span{6000, 18_000}, rxBytes: 210, txBytes: 200,
	},
	"lineRate": {
		shape: steady, cpu: span{.05, .08}, touched: .95, active: span{.4, .58}, iops: span{180, 700}, ioKB: 8, reads: .7,
		rx: span{14_000, 18_000}, tx: span{2_000_000, 2_000_000}, rxBytes: 70, txBytes: 1514, paced: true,
	},
	"swappedOnce": {
		shape: officeDay, cpu: span{.05, .24}, touched: .7, active: span{.05, .12}, iops: span{10, 60}, ioKB: 16, reads: .6,
		rx: span{120, 2200}, tx: span{90, 1600}, rxBytes: 520, txBytes: 410, left: remains{swapped: .06},
	},
	"balloonedOnce": {
		shape: steady, cpu: span{.01, .04}, touched: .9, active: span{.02, .05}, iops: span{8, 25}, ioKB: 20, reads: .5,
		rx: span{60, 400}, tx: span{40, 250}, rxBytes: 600, txBytes: 220, left: remains{balloon: .2},
	},
	"askedOften": {
		shape: steady, cpu: span{.12, .24}, touched: .8, active: span{.2, .4}, iops: span{15, 60}, ioKB: 8, reads: .7,
		rx: span{11_000, 16_000}, tx: span{11_000, 16_000}, rxBytes: 180, txBytes: 420,
	},
	"publishing": {
		shape: steady, cpu: span{.76, .76}, touched: .7, active: span{.2, .3}, iops: span{4, 15}, ioKB: 8, reads: .2,
		rx: span{11_000, 12_000}, tx: span{46_000, 48_000}, rxBytes: 90, txBytes: 60_000, net: 1, even: true,
	},
	"replaying": {
		shape: steady, cpu: span{.6, .6}, touched: .7, active: span{.05, .2}, iops: span{100, 300}, ioKB: 64, reads: .2,
		rx: span{36_000, 37_000}, tx: span{4000, 5000}, rxBytes: 10_400, txBytes: 70, net: 1, even: true,
	},
	"archiving": {
		shape: steady, cpu: span{.3, .32}, touched: .7, active: span{.05, .2}, iops: span{15, 60}, ioKB: 16, reads: .2,
		rx: span{64_000, 66_000}, tx: span{6000, 7000}, rxBytes: 10_400, txBytes: 70, net: .8, even: true,
	},
	"collecting": {
		shape: steady, cpu: span{.26, .36}, touched: .75, active: span{.2, .3}, iops: span{4, 15}, ioKB: 8, reads: .2,
		rx: span{176_000, 178_000}, tx: span{16_000, 17_000}, rxBytes: 10_400, txBytes: 70, even: true,
	},
	"queried": {
		shape: steady, cpu: span{.2, .28}, touched: .95, active: span{.4, .58}, iops: span{180, 700}, ioKB: 8, reads: .7,
		rx: span{26_000, 28_000}, tx: span{20_000, 21_000}, rxBytes: 130, txBytes: 640, even: true,
	},
	"solving": {
		shape: steady, cpu: span{.06, .12}, touched: .9, active: span{.3, .5}, iops: span{20, 160}, ioKB: 128, reads: .4,
		rx: span{300, 2400}, tx: span{300, 2400}, rxBytes: 1000, txBytes: 1000,
	},
	"hardlyUsed": {
		shape: steady, cpu: span{.01, .03}, touched: .4, active: span{.02, .05}, iops: span{1, 5}, ioKB: 8, reads: .3,
		rx: span{5, 40}, tx: span{3, 25}, rxBytes: 180, txBytes: 160,
	},
}

// roles gives VMs their profiles by how their names begin; the first that fits counts. All others are in an office.
var roles = []struct {
	prefix string
	does   string
}{
	{"trade-mid-", "publishing"}, {"trade-md-02", "publishing"}, {"trade-", "quickAnswer"}, {"edge-lat-02", "collecting"}, {"edge-lat-", "quickAnswer"}, {"rt-", "quickAnswer"}, {"nfv-", "quickAnswer"},
	{"feed-rx-", "flood"}, {"feed-pin-", "pinned"}, {"ai-gpu-01", "training"}, {"feed-", "packets"},
	{"app-build-", "compiling"}, {"app-clean-01", "tooMuchToDo"}, {"app-iis-01", "swappedOnce"}, {"vdi-clone-01", "balloonedOnce"},
	{"db-hana-01", "lineRate"}, {"lic-oracle-01", "askedOften"},
	{"replay-02", "replaying"}, {"app-arch-", "archiving"}, {"replay-", "batch"}, {"research-", "batch"}, {"batch-", "batch"},
	{"web-03", "office"}, {"web-", "website"}, {"edge-web-", "website"}, {"lab-web-", "website"},
	{"db-oltp-", "hotDatabase"}, {"db-pg-02", "hotDatabase"}, {"db-ora-02", "warehouse"}, {"app-files-", "filing"}, {"db-pile-", "storing"}, {"vdi-clone-02", "storing"}, {"db-", "database"}, {"lab-db-", "queried"},
	{"hpc-keys-", "office"}, {"hpc-cfd-", "solving"}, {"hpc-", "computing"}, {"ai-", "shuffling"}, {"spark-", "shuffling"},
	{"app-mail-", "leaky"}, {"app-cache-", "leaky"},
	{"desk-", "desktop"}, {"lab-farm-", "desktop"},
	{"agent-", "hardlyUsed"}, {"case-", "hardlyUsed"}, {"appl-", "hardlyUsed"}, {"app-disc-", "hardlyUsed"}, {"app-lega-", "hardlyUsed"},
}

// Work names what a VM does all day, by the VM's name.
func Work(vm string) string {
	for _, r := range roles {
		if strings.HasPrefix(vm, r.prefix) {
			return r.does
		}
	}
	return "office"
}

func profileOf(vm string) *profile { return profiles[Work(vm)] }

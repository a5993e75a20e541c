package simfleet

import (
	"testing"
	"time"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// BenchmarkStart measures the start of the fleet, which each --demo command waits for.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		f, err := Start(Config{})
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// BenchmarkAnHourOfManyVMs computes an hour of samples of 2000 VMs, without encoding the answers.
func BenchmarkAnHourOfManyVMs(b *testing.B) {
	now := time.Now()
	f, err := Start(Config{Hosts: 40, VMs: 2000, VCenterOnly: true, Now: func() time.Time { return now }})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for b.Loop() {
		l := load.New(f.vcenter().built.loads.History, 1, 0, load.Noise{})
		for _, e := range f.vcenter().built.hostOrder {
			for _, s := range l.History.Running(e.System.Self.Value) {
				for slot := load.SlotOf(now) - 180; slot < load.SlotOf(now); slot++ {
					l.VM(s, slot)
				}
			}
		}
	}
}

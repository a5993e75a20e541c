package simfleet

import (
	"testing"
	"time"
)

// BenchmarkStart is what each --demo command waits for.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		f, err := Start(Config{})
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// BenchmarkAnHourOfManyVMs is an hour of 2000 VMs, each asked for once, without what it takes to write the answer.
func BenchmarkAnHourOfManyVMs(b *testing.B) {
	now := time.Now()
	f, err := Start(Config{Hosts: 40, VMs: 2000, vcenterOnly: true, Now: func() time.Time { return now }})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for b.Loop() {
		l := newLoads(f.vcenter().built.loads.history, 1, 0)
		for _, e := range f.vcenter().built.hostOrder {
			for _, s := range l.history.running(e.host.Self.Value) {
				for slot := slotOf(now) - 180; slot < slotOf(now); slot++ {
					l.vm(s, slot)
				}
			}
		}
	}
}

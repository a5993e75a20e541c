package diff

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// fleet returns a large random server: hosts and VMs with all facts and devices.
func fleet(b *testing.B, seed uint64, hosts, vms int) object {
	b.Helper()
	e := estate{rand.New(rand.NewPCG(seed, 3))}
	doc := e.snapshot(nil)
	v := doc["vcenters"].([]any)[0].(object)
	for list, n := range map[string]int{"hosts": hosts, "vms": vms} {
		all := make([]any, n)
		for i := range all {
			o := e.fill(members[list].t, nil)
			o["id"], o["name"] = fmt.Sprintf("%s-%d", list, i), fmt.Sprintf("%s%04d", list, i)
			delete(o, "unread")
			all[i] = o
		}
		v[list] = all
	}
	return doc
}

// BenchmarkFacts compares two states of 64 hosts and 8,000 VMs, of which one VM in a hundred differs.
func BenchmarkFacts(b *testing.B) {
	doc := fleet(b, 1, 64, 8000)
	vms := doc["vcenters"].([]any)[0].(object)["vms"].([]any)
	set := func(megabytes int) {
		for i := 0; i < len(vms); i += 100 {
			vms[i].(object)["memoryMB"] = megabytes
		}
	}
	set(76)
	from := load(b, doc)
	set(77)
	to := load(b, doc)
	b.ReportAllocs()
	for b.Loop() {
		d, err := Facts(from, to)
		require.NoError(b, err)
		require.Len(b, d.Changes, 80)
	}
}

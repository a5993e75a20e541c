package ledger

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// fleetModel is the model: the state of each VM in each slot, and the fate of its sample.
type fleetModel struct {
	t      *testing.T
	random *rand.Rand
	ledger *Ledger
	vms    []*modelVM
	hung   map[string]bool
	old    []*esxtop.Round // taken rounds, to be taken again
}

type modelVM struct {
	moid, host string
	on, held   bool
	waits      []modelSample // samples that wait for the host, or for the VM itself, to respond
	came       []modelSample
	wasOn      map[int]bool
}

type modelSample struct {
	slot  int
	host  string
	value float64
}

func (s modelSample) frame(vm *modelVM, now int) *esxtop.Frame {
	f := frame(s.host, after(s.slot), vmRow(esxtop.Group, vm.moid, vm.moid, figures{"cpu.ready": s.value, "mem.granted": s.value, "cpu.usage": s.value}))
	f.Age = time.Duration(now-s.slot) * 20 * time.Second
	return f
}

func (m *fleetModel) chance(n int) bool { return m.random.IntN(n) == 0 }

func (m *fleetModel) expect() {
	var list []VM
	for _, vm := range m.vms {
		list = append(list, VM{MoID: vm.moid, Name: vm.moid, Host: vm.host, On: vm.on})
	}
	m.ledger.Expect(hostsUp("host-0", "host-1", "host-2"), list)
}

// happen generates events between two slots.
func (m *fleetModel) happen() {
	for i := range 3 {
		host := fmt.Sprintf("host-%d", i)
		if m.chance(12) {
			m.hung[host] = !m.hung[host]
		}
	}
	for _, vm := range m.vms {
		if m.chance(15) {
			vm.on = !vm.on
		}
		if m.chance(15) {
			vm.host = fmt.Sprintf("host-%d", m.random.IntN(3))
			vm.waits = nil // the new host does not have them
		}
		if m.chance(10) {
			vm.held = !vm.held
		}
	}
	m.expect()
}

// pass advances by one slot.
func (m *fleetModel) pass(slot int, calm bool) {
	forward(after(slot))
	for _, vm := range m.vms {
		if vm.wasOn[slot] = vm.on; vm.on && (calm || !m.chance(20)) {
			vm.waits = append(vm.waits, modelSample{slot, vm.host, m.random.Float64() * 400})
		}
	}
	rounds := map[int]*esxtop.Round{slot: {Time: after(slot)}}
	for _, vm := range m.vms {
		if m.hung[vm.host] || vm.held {
			continue
		}
		for _, s := range vm.waits {
			if rounds[s.slot] == nil {
				rounds[s.slot] = &esxtop.Round{Time: after(s.slot)}
			}
			rounds[s.slot].Frames = append(rounds[s.slot].Frames, s.frame(vm, slot))
		}
		vm.came, vm.waits = append(vm.came, vm.waits...), nil
	}
	for host, hung := range m.hung {
		if hung {
			rounds[slot].Troubles = append(rounds[slot].Troubles, esxtop.Trouble{MoID: host, Err: errTimeout})
		}
	}
	for s := range slot + 1 {
		if r := rounds[s]; r != nil {
			m.take(r)
		}
	}
	if m.chance(3) && len(m.old) > 0 {
		take(m.ledger, m.old[m.random.IntN(len(m.old))])
	}
}

func (m *fleetModel) take(r *esxtop.Round) {
	take(m.ledger, r)
	if old := (&esxtop.Round{Time: r.Time, Frames: slices.Clone(r.Frames)}); len(r.Frames) > 0 {
		m.old = append(m.old, again(old))
	}
}

// check compares the ledger with the samples.
func (m *fleetModel) check(slot int) {
	got := page(m.t, m.ledger, after(slot))
	for _, vm := range m.vms {
		sum, newest := 0.0, modelSample{slot: -1}
		for _, s := range vm.came {
			sum, newest = sum+s.value/100*20, s
		}
		labels := `{moid="` + vm.moid + `",vm="` + vm.moid + `"}`
		ready, shown := got["esxi_vm_cpu_ready_seconds_total"+labels]
		require.Equal(m.t, newest.slot > slot-3, shown, "%s, which was last heard of in slot %d", vm.moid, newest.slot)
		if shown {
			require.InEpsilon(m.t, sum, ready, 1e-9, vm.moid)
			require.InDelta(m.t, newest.value*(1<<20), got["esxi_vm_memory_granted_bytes"+labels], 1e-3)
		}
	}
}

// missing counts the slots between the first sample of each VM and the last expected one, and those with a sample.
func (m *fleetModel) missing() (n, came int) {
	for _, vm := range m.vms {
		there := map[int]bool{}
		for _, s := range vm.came {
			there[s.slot] = true
			came++
		}
		for s := vm.came[0].slot; s < vm.came[len(vm.came)-1].slot; s++ {
			if vm.wasOn[s] && !there[s] {
				n++
			}
		}
	}
	return n, came
}

// TestModel: whatever happens, each sample counts once, and lost ones are counted.
func TestModel(t *testing.T) {
	const slots = 150 // less than an hour
	total := map[string]uint64{}
	for seed := range uint64(25) {
		m := &fleetModel{t: t, random: rand.New(rand.NewPCG(seed, 1)), ledger: newLedger(Options{Objects: esxtop.ObjectsOf(esxtop.Group), Reason: reasonOf}), hung: map[string]bool{}}
		for i := range 6 {
			m.vms = append(m.vms, &modelVM{moid: fmt.Sprintf("vm-%d", i), host: fmt.Sprintf("host-%d", i%3), on: true, wasOn: map[int]bool{}})
		}
		m.expect()
		m.pass(0, true)
		before := page(t, m.ledger, after(0))
		for slot := 1; slot < slots; slot++ {
			m.happen()
			m.pass(slot, false)
			m.check(slot)
			for series, v := range page(t, m.ledger, after(slot)) {
				if strings.Contains(series, "_total{") {
					require.GreaterOrEqual(t, v, before[series], "a counter goes back")
					before[series] = v
				}
			}
		}
		for _, vm := range m.vms {
			vm.on, vm.held = true, false
		}
		clear(m.hung)
		m.expect()
		m.pass(slots, true)
		m.check(slots)

		missing, came := m.missing()
		s, missed := statsAt(m.ledger, after(slots)), uint64(0)
		for reason, n := range s.Missed {
			total[reason] += n
			missed += n
		}
		require.EqualValues(t, missing, missed, "seed %d: %v", seed, s.Missed)
		require.EqualValues(t, came, s.Samples)
		require.Equal(t, Coverage{6, 6}, s.VMs)
	}
	for _, reason := range []string{"timeout", "moved", "not_kept"} {
		require.NotZero(t, total[reason], "the model does not try: %v", total)
	}
}

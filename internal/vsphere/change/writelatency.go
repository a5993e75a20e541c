package change

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

const pathLatencyLevel = "config.latencySensitivity.level"

var vmLatency = func() vmSetting {
	s := oneWord(pathLatencyLevel, func(e *vmEdit, level string) {
		e.spec.LatencySensitivity = &types.LatencySensitivity{Level: types.LatencySensitivitySensitivityLevel(level)}
	}, "low", "normal", "medium", "high")
	s.check, s.invert = guaranteed, formerLevel
	return s
}()

// guaranteed requires a full memory reservation for latency sensitivity high. Newer releases do not start the VM otherwise; older
// ones start it and ignore the level.
func guaranteed(e *vmEdit) string {
	if l := e.spec.LatencySensitivity; l == nil || l.Level != types.LatencySensitivitySensitivityLevelHigh {
		return ""
	}
	if e.locked() || e.memoryReservation() >= known(e.now.MemoryMB, 0) {
		return ""
	}
	return "level high needs all of the VM's memory reserved: set vm-memory-lock to true, too"
}

// formerLevel returns the inverse. The level cannot be unset, and ESXi no longer supports the level custom.
func formerLevel(n *vmState, a tuning.Address, before inventory.Fact[inventory.Value]) tuning.Inverse {
	v, _ := before.Value()
	if n.unset(pathLatencyLevel) {
		return equivalentInverse(a, v, "the level is not set, which means normal; it cannot be unset again, so vperf writes normal")
	}
	if raw, _ := n.props.Lookup(pathLatencyLevel); raw != nil {
		if level, ok := property.Text(raw); ok && level != v.Text {
			return equivalentInverse(a, v, "the level is %s, which ESXi treats as %s; vperf writes %[2]s", session.Plain(level), v.Text)
		}
	}
	return exactInverse(a, before)
}

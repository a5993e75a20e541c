package page

import (
	"cmp"
	"math"
	"strings"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/pkg/inventory"
)

// headroom is the capacity left in a cluster after its largest host fails, or on a host in no cluster.
type headroom struct {
	Title string // "" if not computed
	Text  string
	Parts []headroomPart
	Class string // bad below zero
	Why   string // reason for having no value
}

// headroomPart is the headroom in cores or memory.
type headroomPart struct{ Text, Class string }

// headroomOf returns the headroom of a cluster, or of the only host that is in no cluster.
func (s *show) headroomOf(g hostCluster) headroom {
	of, title := g.of, "Headroom after one host fails"
	if of == (key{}) {
		if len(g.hosts) != 1 {
			return headroom{}
		}
		of, title = keyOf(g.hosts[0].Ref()), "Headroom"
	}
	figures := s.rooms[of]
	all, ok := figures["headroom"]
	if !ok {
		return headroom{}
	}
	out := headroom{Title: title, Class: signClass(all.Value)}
	v, state, reason := all.Value.Get()
	switch state {
	case inventory.StateKnown:
		out.Text = measured(math.Round(v), "percent")
	case inventory.StateAbsent:
		out.Text, out.Why = dash, cmp.Or(prose(strings.Join(all.From, "; ")), "nothing to measure")
	default:
		out.Text, out.Why = "?", "not read ("+clean(cmp.Or(reason, "no reason given"))+")"
	}
	for _, id := range []string{"headroom-cores", "headroom-memory"} {
		if v, ok := figures[id].Value.Value(); ok {
			out.Parts = append(out.Parts, headroomPart{measured(v, figures[id].Unit), signClass(figures[id].Value)})
		}
	}
	return out
}

// signClass returns the style class of a negative number.
func signClass(f inventory.Fact[float64]) string {
	if v, ok := f.Value(); ok && v < 0 {
		return "bad"
	}
	return ""
}

// addRooms indexes the headroom figures by object and id.
func (s *show) addRooms() {
	for _, f := range s.Efficiency {
		if !strings.HasPrefix(f.ID, "headroom") {
			continue
		}
		k := keyOf(f.Object)
		if s.rooms[k] == nil {
			s.rooms[k] = map[string]efficiency.Figure{}
		}
		s.rooms[k][f.ID] = f
	}
}

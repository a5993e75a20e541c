package esxtop

// Level says how bad a figure is.
type Level int

// Levels.
const (
	Fine Level = iota
	Warning
	Critical
)

var levels = [...]string{"fine", "warning", "critical"}

func (l Level) String() string { return levels[l] }

// Level judges a figure of a row of the frame by its metric's threshold, and says which figure that was: that of one vCPU
// where the threshold is about one. What a rule of thumb cannot judge is fine.
func (f *Frame) Level(r *Row, m *Metric) (Level, float64) {
	v, ok := r.Value(m)
	t := m.Threshold
	if !ok || t == nil || !f.judges(r, m) {
		return Fine, v
	}
	if t.PerVCPU && r.Object == Group {
		if r.VCPUs == 0 {
			return Fine, v
		}
		v /= float64(r.VCPUs)
	}
	switch {
	case t.Critical != 0 && t.crossed(v, t.Critical):
		return Critical, v
	case t.crossed(v, t.Warn):
		return Warning, v
	}
	return Fine, v
}

func (t *Threshold) crossed(v, limit float64) bool {
	if t.Below {
		return v < limit
	}
	return v > limit
}

const (
	fewCommands = 10 // by second: one slow command among fewer makes any mean look bad
	busyCPU     = 80 // %: the clock of a CPU that has little to do may be low
)

// judges leaves out what is no trouble whatever the figure: worlds of the kernel idle and wait by trade, a mean of three
// commands says nothing about a disk, and a CPU without work saves power.
func (f *Frame) judges(r *Row, m *Metric) bool {
	switch {
	case r.Object == Group:
		return r.VM
	case r.Object == World || r.Object == GroupNode:
		owners := f.Rows(Group)
		return r.Parent >= 0 && r.Parent < len(owners) && owners[r.Parent].VM
	case m.Kind == Mean && m.Unit == Millisec:
		return r.commands() >= fewCommands
	case m.ID == "pcpu.aperfMperf":
		v, ok := r.Value(Lookup("pcpu.util"))
		return ok && v >= busyCPU
	}
	return true
}

var commandMetrics = []*Metric{
	Lookup("disk.commands"), Lookup("vdisk.commands"), Lookup("nfs.reads"), Lookup("nfs.writes"), Lookup("dom.reads"), Lookup("dom.writes"),
}

// commands are those that the row's latencies are means of, by second.
func (r *Row) commands() (sum float64) {
	for _, m := range commandMetrics {
		v, _ := r.Value(m)
		sum += v
	}
	return sum
}

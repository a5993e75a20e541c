package esxtop

// Cores returns the rows of logical CPUs that represent a core: its first thread. There are none if the host's cores
// have one thread, or if the frame does not have the data.
func (f *Frame) Cores() []int {
	rows, core := f.Rows(PCPU), Lookup("pcpu.coreUtil")
	if len(rows) < 2 || len(rows)%2 != 0 {
		return nil
	}
	var cores []int
	for i := 0; i < len(rows); i += 2 {
		first, ok := rows[i].Value(core)
		second, both := rows[i+1].Value(core)
		if !ok || both && first != second { // threads of a core share its figure to the last bit
			return nil
		}
		cores = append(cores, i)
	}
	return cores
}

var stateWords = [...]string{"high", "clear", "soft", "hard", "low"}

// MemoryState returns the host's memory state as a word and a number: 0 is high, which means no shortage.
func (f *Frame) MemoryState() (word string, state int, ok bool) {
	v, ok := f.Of(Lookup("mem.state"))
	state = int(v)
	if rows := f.Rows(Host); len(rows) > 0 {
		if word, known := rows[0].Text(Lookup("mem.stateWord")); known {
			return word, state, ok
		}
	}
	if !ok || state < 0 || state >= len(stateWords) {
		return "", 0, false
	}
	return stateWords[state], state, true
}

// Cluster is the combined activity of several hosts.
type Cluster struct {
	Hosts, VMs, VCPUs int
	VMsKnown          bool    // of at least one host
	Util              float64 // mean of the hosts' means, in percent
	Load              float64 // mean of the hosts' averages of a minute
	WorstUtil         Extreme // of a logical CPU
	WorstReady        Extreme // of a VM by vCPU, in percent
	WorstMemory       Extreme // state of a host's memory; Name is its word
	HasUtil, HasLoad  bool
}

// Extreme is the highest figure of all, with its object.
type Extreme struct {
	Known      bool
	Value      float64
	Host, Name string
}

func (e *Extreme) add(v float64, host, name string) {
	if !e.Known || v > e.Value {
		*e = Extreme{Known: true, Value: v, Host: host, Name: name}
	}
}

// NewCluster combines a frame of each host.
func NewCluster(frames []*Frame) (c Cluster) {
	c.Hosts = len(frames)
	var util, load average
	for _, f := range frames {
		util.add(f.Of(Lookup("pcpu.utilAvg")))
		load.add(f.Of(Lookup("host.load1")))
		if vms, ok := f.Of(Lookup("host.vms")); ok {
			c.VMs += int(vms)
			c.VMsKnown = true
		}
		c.add(f)
	}
	c.Util, c.HasUtil = util.value()
	c.Load, c.HasLoad = load.value()
	return c
}

func (c *Cluster) add(f *Frame) {
	ready, pcpu := Lookup("cpu.readyPerVCPU"), Lookup("pcpu.util")
	for i := range f.Rows(PCPU) {
		r := &f.Rows(PCPU)[i]
		if v, ok := r.Value(pcpu); ok {
			c.WorstUtil.add(v, f.Host, r.ID)
		}
	}
	for i := range f.Rows(Group) {
		r := &f.Rows(Group)[i]
		if v, ok := r.Value(ready); ok && r.VM {
			c.WorstReady.add(v, f.Host, r.Name)
		}
		c.VCPUs += r.VCPUs
	}
	if word, state, ok := f.MemoryState(); ok {
		c.WorstMemory.add(float64(state), f.Host, word)
	}
}

// average is a mean of known values.
type average struct {
	sum float64
	n   int
}

func (m *average) add(v float64, ok bool) {
	if ok {
		m.sum += v
		m.n++
	}
}

func (m *average) value() (float64, bool) {
	if m.n == 0 {
		return 0, false
	}
	return m.sum / float64(m.n), true
}

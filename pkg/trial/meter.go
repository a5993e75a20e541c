package trial

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Meter turns frames into the samples of units, and the samples of a period into a [Block]. It keeps the samples from
// its last Begin on. Frames need their row of the host, besides [Registration.Objects]' others: without it, they are taken for
// late ones of single VMs.
type Meter struct {
	r        *Registration
	outcomes []boundOutcome
	guards   []boundTerm
	unitsOf  map[string][]int // by host
	samples  [][]RawSample    // by unit
	last     map[string]time.Time
	back     map[string]bool // hosts whose clock went back since Begin
}

type boundOutcome struct {
	Outcome
	cost, work []boundTerm
}

// unknown marks a figure that no row has, because JSON has no NaN. No counter is negative.
const unknown = -1

// NewMeter returns a meter for the outcomes and guards of a registration.
func NewMeter(r *Registration) (*Meter, error) {
	m := &Meter{r: r, unitsOf: map[string][]int{}, last: map[string]time.Time{}, back: map[string]bool{}}
	for _, o := range r.Outcomes() {
		b, err := o.bind()
		if err != nil {
			return nil, err
		}
		m.outcomes = append(m.outcomes, b)
	}
	for i := range r.Guards {
		b, err := r.Guards[i].Term.bind()
		if err != nil {
			return nil, fmt.Errorf("guard %s: %w", r.Guards[i].ID, err)
		}
		m.guards = append(m.guards, b)
	}
	for i, u := range r.Units {
		for _, h := range u.Hosts {
			m.unitsOf[h] = append(m.unitsOf[h], i)
		}
	}
	m.samples = make([][]RawSample, len(r.Units))
	return m, nil
}

func (o Outcome) bind() (b boundOutcome, err error) {
	b.Outcome = o
	if b.cost, err = bindTerms(o.Cost); err == nil {
		b.work, err = bindTerms(o.Work)
	}
	if err != nil {
		err = fmt.Errorf("outcome %s: %w", o.ID, err)
	}
	return b, err
}

// Begin forgets the samples that were taken so far.
func (m *Meter) Begin() {
	for i := range m.samples {
		m.samples[i] = nil
	}
	clear(m.back)
}

// rewind forgets samples that are later than a moment, which is now: the clock went back since. Otherwise they would be taken for
// samples after the end of a block that has just begun.
func (m *Meter) rewind(now time.Time) {
	for host, last := range m.last {
		if last.After(now.Add(m.r.Block / 2)) { // clocks of hosts differ by seconds
			delete(m.last, host)
		}
	}
}

// Add takes the samples of a frame, and returns the units that it has one of.
func (m *Meter) Add(f *esxtop.Frame) (units []int) {
	if f.Interval <= 0 || !m.clock(f) {
		return nil
	}
	for _, i := range m.unitsOf[f.MoID] {
		s, ok := m.sample(f, &m.r.Units[i])
		if !ok {
			continue
		}
		list := m.samples[i]
		same := func(o RawSample) bool { return o.Host == s.Host && o.Time.Equal(s.Time) }
		if at := slices.IndexFunc(list[max(0, len(list)-lateSamples):], same); at >= 0 {
			continue // each sample counts once
		}
		m.samples[i] = append(list, s)
		units = append(units, i)
	}
	return units
}

// newest returns the last sample of a unit.
func (m *Meter) newest(unit int) *RawSample { return &m.samples[unit][len(m.samples[unit])-1] }

// lateSamples is how far back Add looks for a sample that it already has.
const lateSamples = 64

// clock follows the clock of the frame's host, and reports whether the frame is to be used. Frames without a row of the
// host itself are late ones of a VM.
func (m *Meter) clock(f *esxtop.Frame) bool {
	if len(f.Rows(esxtop.Host)) == 0 {
		return true
	}
	last := m.last[f.MoID]
	if f.Time.Equal(last) {
		return false
	}
	if f.Time.Before(last) {
		m.back[f.MoID] = true
	}
	m.last[f.MoID] = f.Time
	return true
}

// sample reads the figures of a unit from a frame. ok is false if the frame does not show the primary outcome.
func (m *Meter) sample(f *esxtop.Frame, u *Unit) (s RawSample, ok bool) {
	n := len(m.outcomes)
	all := make([]float64, 2*n+len(m.guards)) // one allocation
	s = RawSample{Time: f.Time, Host: f.MoID, Seconds: f.Interval.Seconds(), Cost: all[:n:n], Work: all[n : 2*n : 2*n], Guards: all[2*n:]}
	for i := range m.outcomes {
		o := &m.outcomes[i]
		s.Cost[i], s.Work[i] = total(o.cost, f, u), 1
		if len(o.work) > 0 {
			s.Work[i] = total(o.work, f, u)
		}
	}
	if s.Cost[0] == unknown || s.Work[0] == unknown {
		return s, false
	}
	for i := range m.guards {
		if v, ok := m.guards[i].read(f, u); ok {
			s.Guards[i] = v
		} else {
			s.Guards[i] = unknown
		}
	}
	return s, true
}

// total adds terms; it is unknown if one of them is.
func total(terms []boundTerm, f *esxtop.Frame, u *Unit) (sum float64) {
	for i := range terms {
		v, ok := terms[i].read(f, u)
		if !ok {
			return unknown
		}
		sum += v
	}
	return sum
}

// reached reports whether the samples of a unit have reached a moment on all its hosts, or never will.
func (m *Meter) reached(unit int, end time.Time) bool {
	u := &m.r.Units[unit]
	passed := func(host string) bool { return m.back[host] || !m.last[host].Before(end) }
	if u.Kind == inventory.ScopeVM { // on one of them
		return slices.ContainsFunc(u.Hosts, passed)
	}
	return !slices.ContainsFunc(u.Hosts, func(host string) bool { return !passed(host) })
}

// Block returns what was measured between two moments. The first part, settle, is not measured. A unit's block is
// dropped if a sample is missing, or more than a tenth of them in the whole days of a randomised design.
func (m *Meter) Block(begin, end time.Time, settle time.Duration) Block {
	b := Block{Begin: begin, End: end, Units: make([]UnitBlock, len(m.samples))}
	from := begin.Add(settle)
	for i, list := range m.samples {
		in := within(list, from, end)
		slices.SortStableFunc(in, func(a, b RawSample) int { return a.Time.Compare(b.Time) }) // late ones come last
		b.Units[i] = m.unitBlock(in)
		b.Units[i].Dropped = m.incomplete(i, in, from, end)
	}
	return b
}

func (m *Meter) unitBlock(in []RawSample) UnitBlock {
	u := UnitBlock{Samples: in, Outcomes: make([]Value, len(m.outcomes)), Guards: make([]float64, len(m.guards))}
	for i := range m.outcomes {
		u.Outcomes[i] = valueOf(&m.outcomes[i].Outcome, in, i)
	}
	for i := range m.guards {
		u.Guards[i] = meanKnown(in, func(s *RawSample) float64 { return s.Guards[i] })
	}
	return u
}

func meanKnown(in []RawSample, of func(*RawSample) float64) float64 {
	sum, n := 0., 0
	for i := range in {
		if v := of(&in[i]); v != unknown {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return unknown
	}
	return sum / float64(n)
}

// valueOf computes an outcome from its samples; index is its place in them.
func valueOf(o *Outcome, in []RawSample, index int) (v Value) {
	logs, n := 0., 0
	for i := range in {
		cost, work := in[i].Cost[index], in[i].Work[index]
		if cost == unknown || work == unknown {
			continue
		}
		v.Cost += cost * in[i].Seconds
		v.Work += work * in[i].Seconds
		if work > 0 {
			logs, n = logs+math.Log1p(cost/work), n+1
		}
	}
	switch {
	case v.Work <= 0 || o.Form == Ratio && v.Cost <= 0:
		return v
	case o.Form == Ratio:
		v.Value = math.Log(v.Cost / v.Work)
	case o.Form == Difference:
		v.Value = v.Cost / v.Work
	default:
		v.Value = logs / float64(n)
	}
	v.Known = true
	return v
}

// incomplete says why the samples of a unit do not fill the time from one moment to another; empty: they do.
func (m *Meter) incomplete(unit int, in []RawSample, from, end time.Time) string {
	u := &m.r.Units[unit]
	hosts := u.Hosts
	if u.Kind == inventory.ScopeVM {
		hosts = []string{""} // one of them shows it
	}
	lost := 0
	for _, h := range hosts {
		if h != "" && m.back[h] {
			return "the host's clock went back"
		}
		lost += lostSamples(in, h, from, end, m.r.Interval)
	}
	allowed := 0
	if m.r.Design == inventory.DesignRandomised {
		allowed = len(hosts) * int(end.Sub(from)/m.r.Interval) / 10
	}
	if lost > allowed {
		return lostText(lost)
	}
	return ""
}

func lostText(n int) string {
	if n == 1 {
		return "1 lost sample"
	}
	return fmt.Sprintf("%d lost samples", n)
}

// lostSamples counts the samples of a host, or of any with "", that would fit into the gaps between those there are. An edge may
// cut a sample, and hosts do not take samples to the second: a gap at an edge is a lost sample only if it is longer than both.
func lostSamples(in []RawSample, host string, from, end time.Time, interval time.Duration) (lost int) {
	at, slack := from, -interval/edgeSlack
	for i := range in {
		if host != "" && in[i].Host != host {
			continue
		}
		lost += max(0, int((in[i].Time.Add(-seconds(in[i].Seconds)).Sub(at)+slack)/interval))
		at, slack = in[i].Time, interval/2
	}
	return lost + max(0, int((end.Sub(at)-interval/edgeSlack)/interval))
}

// edgeSlack is the part of an interval by which a sample may be early or late at an edge: a tenth, 2 seconds of 20.
const edgeSlack = 10

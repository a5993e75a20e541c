package esxtop

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// Merge combines several sources, such as those of several servers, into one. The sources run in parallel: a round
// contains the frames available by then, and waits only briefly for the others once one of them is ready.
func Merge(sources ...Source) Source {
	if len(sources) == 1 {
		return sources[0]
	}
	m := &merged{returned: make(chan struct{}, 1), last: map[string]time.Time{}}
	m.base, m.cancel = context.WithCancel(context.Background())
	for _, s := range sources {
		m.parts = append(m.parts, &part{Source: s})
	}
	return m
}

// firstWait is how long a round waits for sources that have returned nothing yet, because they read the past or find
// their hosts.
const firstWait = 10 * time.Second

type merged struct {
	base     context.Context // for work between rounds; Close cancels it
	cancel   context.CancelFunc
	tasks    sync.WaitGroup
	returned chan struct{} // has an element when a part has returned
	close    sync.Once
	closed   error

	mu    sync.Mutex
	parts []*part
	last  map[string]time.Time // of hosts' frames, by the local clock
}

// part is one of several sources. If its next round comes after everybody stopped waiting for it, it is stored.
type part struct {
	Source
	asked bool // Next is under way
	begun bool // it has come back once
	late  bool // a round went without it
	round *Round
	err   error             // instead of a round
	moids map[string]string // of its hosts, by name, from the rounds so far
}

func (p *part) returned() bool { return p.round != nil || p.err != nil }

// Next implements Source. If a source fails and others do not, its hosts are in trouble.
func (m *merged) Next(ctx context.Context) (*Round, error) {
	m.begin()
	if err := m.wait(ctx); err != nil {
		return nil, err
	}
	return m.end()
}

// begin calls Next of every source that is idle. A source at its end stays there.
func (m *merged) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.parts {
		if p.asked || p.returned() || m.base.Err() != nil {
			continue
		}
		p.asked = true
		m.tasks.Go(func() {
			round, err := p.Next(m.base)
			m.mu.Lock()
			p.asked, p.begun, p.round, p.err = false, true, round, err
			m.mu.Unlock()
			select {
			case m.returned <- struct{}{}:
			default:
			}
		})
	}
}

// wait returns when all awaited sources have returned, or shortly after the first one that returned a round.
func (m *merged) wait(ctx context.Context) error {
	var enough <-chan time.Time
	for {
		some, all, patience := m.standing()
		if all {
			return nil
		}
		if some && enough == nil {
			t := time.NewTimer(patience)
			defer t.Stop()
			enough = t.C
		}
		select {
		case <-m.returned:
		case <-enough:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-m.base.Done():
			return errClosed
		}
	}
}

var errClosed = errors.New("the source of counters is closed")

// standing reports whether there is anything to return, whether all awaited sources have returned, and how long to wait
// for them. It does not wait for sources with longer intervals than another, or those that are late already.
func (m *merged) standing() (some, all bool, patience time.Duration) {
	interval := m.About().Interval
	m.mu.Lock()
	defer m.mu.Unlock()
	left, due := 0, 0
	patience = interval / 2 // those that are out of step come half an interval later at most
	for _, p := range m.parts {
		some = some || p.round != nil
		if p.returned() {
			continue
		}
		left++
		if !p.begun {
			patience = firstWait
		}
		if !p.late && (!p.begun || p.About().Interval < 2*interval) {
			due++
		}
	}
	return some, left == 0 || some && due == 0, patience
}

// end creates a round of the available frames. Past rounds come before present ones.
func (m *merged) end() (*Round, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	past := slices.ContainsFunc(m.parts, func(p *part) bool { return p.round != nil && p.round.Past })
	out := &Round{Past: past}
	var failed []error
	given := false
	for _, p := range m.parts {
		switch {
		case p.err != nil:
			failed = append(failed, p.err)
			out.Troubles = append(out.Troubles, m.troubles(p, p.err)...)
			if !errors.Is(p.err, io.EOF) {
				p.err = nil
			}
		case p.round == nil:
			p.late = true
			out.Troubles = append(out.Troubles, m.troubles(p, nil)...)
		case p.round.Past == past:
			m.add(out, p.round)
			p.learn(p.round)
			p.round, p.late = nil, false
			given = true
		}
	}
	if !given && len(failed) > 0 {
		return nil, ended(failed)
	}
	slices.SortStableFunc(out.Frames, func(a, b *Frame) int { return strings.Compare(a.Host, b.Host) })
	slices.SortStableFunc(out.Troubles, func(a, b Trouble) int { return strings.Compare(a.Host, b.Host) })
	return out, nil
}

// ended returns io.EOF only if there is no other error.
func ended(failed []error) error {
	for _, err := range failed {
		if !errors.Is(err, io.EOF) {
			return errors.Join(slices.DeleteFunc(failed, func(err error) bool { return errors.Is(err, io.EOF) })...)
		}
	}
	return io.EOF
}

// add adds a source's round; m.mu is held.
func (m *merged) add(out, r *Round) {
	out.Frames = append(out.Frames, r.Frames...)
	out.Troubles = append(out.Troubles, r.Troubles...)
	if r.Time.After(out.Time) {
		out.Time = r.Time
	}
	for _, f := range r.Frames {
		m.last[f.Host] = time.Now()
	}
}

// learn stores the ids of hosts: if a source fails as a whole, only their names are available.
func (p *part) learn(r *Round) {
	if p.moids == nil {
		p.moids = map[string]string{}
	}
	for _, f := range r.Frames {
		p.moids[f.Host] = f.MoID
	}
	for _, t := range r.Troubles {
		p.moids[t.Host] = t.MoID
	}
}

// troubles returns the trouble of all hosts of a source without a round; m.mu is held.
func (m *merged) troubles(p *part, err error) (list []Trouble) {
	if errors.Is(err, io.EOF) {
		return nil
	}
	for _, h := range p.About().Hosts {
		list = append(list, Trouble{Host: h, MoID: p.moids[h], Since: m.last[h], Err: err})
	}
	return list
}

// Configure implements Source.
func (m *merged) Configure(r Request) {
	for _, p := range m.parts {
		p.Configure(r)
	}
}

// About implements Source. The interval is the shortest one of all sources, because rounds come that often.
func (m *merged) About() About {
	var all About
	var notes []string
	for i, p := range m.parts {
		a := p.About()
		if i == 0 {
			all.Origin, all.Interval = a.Origin, a.Interval
		}
		all.Hosts = append(all.Hosts, a.Hosts...)
		all.Interval = min(all.Interval, a.Interval)
		if a.Note != "" && !slices.Contains(notes, a.Note) {
			notes = append(notes, a.Note)
		}
	}
	slices.Sort(all.Hosts)
	all.Note = strings.Join(notes, "; ")
	return all
}

// Close implements Source. All sources are closed concurrently.
func (m *merged) Close(ctx context.Context) error {
	m.close.Do(func() {
		m.mu.Lock()
		m.cancel() // with the lock held, so that no source is asked afterwards
		m.mu.Unlock()
		m.tasks.Wait()
		errs := make([]error, len(m.parts))
		var farewell sync.WaitGroup
		for i, p := range m.parts {
			farewell.Go(func() { errs[i] = p.Close(ctx) })
		}
		farewell.Wait()
		m.closed = errors.Join(errs...)
	})
	return m.closed
}

package esxtop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// ticking is a source that has a frame of its single host at every interval.
type ticking struct {
	host     string
	interval time.Duration
	takes    time.Duration // beyond it
	past     int           // rounds from before the start
	end      int           // rounds after which it ends; 0: never
	fails    error

	due           time.Time
	given, closed int
	asked         Request
}

func (s *ticking) Next(ctx context.Context) (*Round, error) {
	past := s.given < s.past
	if s.due.IsZero() {
		s.due = time.Now()
	}
	wait := time.Until(s.due) + s.takes
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.fails != nil {
		return nil, s.fails
	}
	if s.end > 0 && s.given == s.end {
		return nil, io.EOF
	}
	s.given++
	if !past {
		s.due = s.due.Add(s.interval)
	}
	return &Round{Time: time.Now(), Frames: []*Frame{{Host: s.host, Time: time.Now()}}, Past: past}, nil
}

func (s *ticking) Configure(r Request) { s.asked = r }
func (s *ticking) About() About {
	return About{Origin: Service, Hosts: []string{s.host}, Interval: s.interval, Note: "as it is"}
}

func (s *ticking) Close(context.Context) error {
	s.closed++
	return fmt.Errorf("closing %s", s.host)
}

// told formats a round.
func told(t *testing.T, m Source, begun time.Time) string {
	t.Helper()
	r, err := m.Next(t.Context())
	require.NoError(t, err)
	words := []string{time.Since(begun).String() + ":"}
	if r.Past {
		words = append(words, "past")
	}
	for _, f := range r.Frames {
		words = append(words, f.Host)
	}
	for _, p := range r.Troubles {
		since := "never"
		if !p.Since.IsZero() {
			since = p.Since.Sub(begun).String()
		}
		words = append(words, fmt.Sprintf("(%s %s %v)", p.Host, since, p.Err))
	}
	return strings.Join(words, " ")
}

func TestMerge(t *testing.T) {
	for name, c := range map[string]struct {
		sources []Source
		want    []string
	}{
		"in step": {
			[]Source{&ticking{host: "b", interval: 5 * time.Second}, &ticking{host: "a", interval: 5 * time.Second}},
			[]string{"0s: a b", "5s: a b", "10s: a b"},
		},
		"one is a little late": {
			[]Source{&ticking{host: "a", interval: 5 * time.Second}, &ticking{host: "b", interval: 5 * time.Second, takes: time.Second}},
			[]string{"1s: a b", "6s: a b", "11s: a b"},
		},
		"one is slower": {
			[]Source{&ticking{host: "a", interval: 5 * time.Second}, &ticking{host: "b", interval: 19 * time.Second}},
			[]string{"0s: a b", "5s: a (b 0s <nil>)", "10s: a (b 0s <nil>)", "15s: a (b 0s <nil>)", "20s: a b", "25s: a (b 20s <nil>)"},
		},
		"one is late": {
			[]Source{&ticking{host: "a", interval: 5 * time.Second}, &ticking{host: "b", interval: 5 * time.Second, takes: 3 * time.Second}},
			[]string{"3s: a b", "7.5s: a (b 3s <nil>)", "10s: a b", "15s: a b"},
		},
		"one fails": {
			[]Source{&ticking{host: "a", interval: 5 * time.Second}, &ticking{host: "b", interval: 5 * time.Second, fails: errors.New("no")}},
			[]string{"0s: a (b never no)", "5s: a (b never no)"},
		},
		"one ends": {
			[]Source{&ticking{host: "a", interval: 5 * time.Second}, &ticking{host: "b", interval: 5 * time.Second, end: 2}},
			[]string{"0s: a b", "5s: a b", "10s: a", "15s: a"},
		},
		"the past first": {
			[]Source{&ticking{host: "a", interval: 5 * time.Second, past: 1}, &ticking{host: "b", interval: 5 * time.Second, past: 2}},
			[]string{"0s: past a b", "0s: past b", "0s: a b", "5s: a b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := Merge(c.sources...)
				begun := time.Now()
				for _, want := range c.want {
					require.Equal(t, want, told(t, m, begun))
				}
				_ = m.Close(t.Context())
			})
		})
	}
}

func TestMergeEnds(t *testing.T) {
	for name, c := range map[string]struct {
		one, other error
		want       string
	}{
		"all end":       {io.EOF, io.EOF, "EOF"},
		"one fails":     {io.EOF, errors.New("no"), "no"},
		"all of them":   {errors.New("no"), errors.New("never"), "no\nnever"},
		"which is over": {errors.New("no"), io.EOF, "no"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := Merge(&ticking{fails: c.one}, &ticking{fails: c.other})
				_, err := m.Next(t.Context())
				require.EqualError(t, err, c.want)
				require.Equal(t, c.want == "EOF", errors.Is(err, io.EOF))
				_ = m.Close(t.Context())
			})
		})
	}
}

// TestMergeInterrupted: a round that arrives after an interrupted wait is in the next one. Close ends all sources at
// once.
func TestMergeInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &ticking{host: "a", interval: 5 * time.Second}, &ticking{host: "b", interval: 7 * time.Second}
		m := Merge(a, b)
		begun := time.Now()
		told(t, m, begun)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := m.Next(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, "7s: a b", told(t, m, begun))

		m.Configure(Request{Interval: time.Minute})
		require.Equal(t, time.Minute, b.asked.Interval)
		require.Equal(t, About{Origin: Service, Hosts: []string{"a", "b"}, Interval: 5 * time.Second, Note: "as it is"}, m.About())

		gone := make(chan error)
		go func() {
			_, err := m.Next(t.Context())
			gone <- err
		}()
		synctest.Wait()
		require.EqualError(t, m.Close(t.Context()), "closing a\nclosing b")
		require.Error(t, <-gone)
		require.Error(t, m.Close(t.Context()))
		require.Equal(t, 1, a.closed)
		_, err = m.Next(t.Context())
		require.Error(t, err)
	})
}

func TestMergeOfOne(t *testing.T) {
	s := &ticking{}
	require.Same(t, Source(s), Merge(s))
}

// scripted returns rounds, and then fails.
type scripted struct {
	ticking
	rounds []*Round
}

func (s *scripted) Next(context.Context) (*Round, error) {
	if len(s.rounds) == 0 {
		return nil, errors.New("broken")
	}
	r := s.rounds[0]
	s.rounds = s.rounds[1:]
	return r, nil
}

// TestMergeKeepsIDs checks the ids of hosts in trouble, whether the source reports them or fails as a whole.
func TestMergeKeepsIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("refused")
		a := &scripted{ticking{host: "a", interval: time.Second}, []*Round{{Troubles: []Trouble{{Host: "a", MoID: "host-1", Err: refused}}}}}
		b := &scripted{ticking{host: "b", interval: time.Second}, []*Round{
			{Frames: []*Frame{{Host: "b", MoID: "host-2"}}}, {Frames: []*Frame{{Host: "b", MoID: "host-2"}}},
		}}
		m := Merge(a, b)
		defer func() { _ = m.Close(t.Context()) }()
		r, err := m.Next(t.Context())
		require.NoError(t, err)
		require.Equal(t, []Trouble{{Host: "a", MoID: "host-1", Err: refused}}, r.Troubles)
		r, err = m.Next(t.Context())
		require.NoError(t, err)
		require.Len(t, r.Troubles, 1)
		require.Equal(t, "host-1", r.Troubles[0].MoID, "all of its source failed")
		require.EqualError(t, r.Troubles[0].Err, "broken")
	})
}

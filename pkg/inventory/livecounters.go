package inventory

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Live holds the counters of one object, in the order of their names. It is a list because a large fleet has hundreds of thousands of
// counters, and maps take more memory. Source: package live, from the samples of hosts.
type Live []LiveCounter

// LiveCounter is one counter of an object.
type LiveCounter struct {
	// Name is the name of a metric, such as cpu.ready. LookupLive knows its unit.
	Name string
	// Series is never nil. Constant counters of several objects share one, so it must not be changed.
	Series *Series
}

// NewLive returns the counters with these series.
func NewLive(all map[string]Series) Live {
	l := make(Live, 0, len(all))
	for name, s := range all {
		l = append(l, LiveCounter{name, &s})
	}
	l.sort()
	return l
}

// sort puts the counters in the order of their names, which lookups need.
func (l Live) sort() {
	slices.SortFunc(l, func(a, b LiveCounter) int { return strings.Compare(a.Name, b.Name) })
}

// Lookup returns the series of a counter, which must not be changed; nil if the object does not have the counter.
func (l Live) Lookup(name string) *Series {
	if i, ok := l.find(name); ok {
		return l[i].Series
	}
	return nil
}

// Get returns the series of a counter, and whether the object has the counter.
func (l Live) Get(name string) (Series, bool) {
	if s := l.Lookup(name); s != nil {
		return *s, true
	}
	return Series{}, false
}

// Of returns the series of a counter. It has no samples if the object does not have the counter.
func (l Live) Of(name string) Series {
	s, _ := l.Get(name)
	return s
}

// All returns the names and series in their order.
func (l Live) All() iter.Seq2[string, *Series] {
	return func(yield func(string, *Series) bool) {
		for _, c := range l {
			if !yield(c.Name, c.Series) {
				return
			}
		}
	}
}

// Set adds a counter, or replaces its series.
func (l *Live) Set(name string, s Series) {
	i, ok := l.find(name)
	if !ok {
		*l = slices.Insert(*l, i, LiveCounter{Name: name})
	}
	(*l)[i].Series = &s
}

func (l Live) find(name string) (int, bool) {
	return slices.BinarySearchFunc(l, name, func(c LiveCounter, name string) int { return strings.Compare(c.Name, name) })
}

// MarshalJSON writes an object with a member for each counter.
func (l Live) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, c := range l {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := jsontext.AppendQuote(b.AvailableBuffer(), c.Name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		series, err := json.Marshal(c.Series)
		if err != nil {
			return nil, err
		}
		b.Write(series)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

package measure

import (
	"encoding/xml"
	"strconv"
	"strings"
	"time"
)

// perfAsked lists the entities in a call. Servers answer in the order of the query, or nearly so.
type perfAsked struct {
	list []perfOwner
	next int
	at   map[ref]int // created when needed
}

// perfOwner is the owner of samples.
type perfOwner struct {
	ask  *perfAsk
	item *perfItem
}

// find returns the entity of an answer, or a zero value.
func (x *perfAsked) find(r ref) perfOwner {
	if x.next < len(x.list) && x.list[x.next].item.ref == r {
		x.next++
		return x.list[x.next-1]
	}
	if x.at == nil {
		x.at = make(map[ref]int, len(x.list))
		for i, o := range x.list {
			x.at[o.item.ref] = i
		}
	}
	i, there := x.at[r]
	if !there {
		return perfOwner{}
	}
	x.next = i + 1
	return x.list[i]
}

// write returns the request for a batch and the entities in it. All VMs share its parts, except for names and times.
func (q *perfQuery) write(b perfBatch) ([]string, *perfAsked) {
	n := b.entities()
	asked := &perfAsked{list: make([]perfOwner, 0, n)}
	manager := q.session.Client().ServiceContent.PerfManager
	text := append(make([]string, 0, 1+4*n), `<_this type="PerformanceManager">`+xmlText(manager.Value)+`</_this>`)
	var last *perfItem
	times, end := "", q.specEnd()
	for _, p := range b {
		for i := p.from; i < p.to; i++ {
			it := &p.of[i]
			if it.without {
				continue
			}
			if last == nil || !last.after.Equal(it.after) || !last.until.Equal(it.until) {
				times = it.times()
			}
			last = it
			asked.list = append(asked.list, perfOwner{p.perfAsk, it})
			text = append(text, `<querySpec><entity type="`+it.ref.Type+`">`+xmlText(it.ref.Value)+`</entity>`, times, q.plan.sideOf(it.perfEntity).metrics, end)
		}
	}
	return text, asked
}

// specEnd returns the last elements of a query.
func (q *perfQuery) specEnd() string {
	plain := q.plain.Load()
	switch {
	case q.interval > 0:
		end := `<intervalId>` + strconv.Itoa(q.interval) + `</intervalId>`
		if !plain {
			end += `<format>csv</format>`
		}
		return end + `</querySpec>`
	case plain:
		return perfSpecEnd
	}
	return perfSpecEndCSV
}

var realTime = strconv.Itoa(int(perfInterval / time.Second))

var (
	perfSpecEnd    = `<intervalId>` + realTime + `</intervalId></querySpec>`
	perfSpecEndCSV = `<intervalId>` + realTime + `</intervalId><format>csv</format></querySpec>`
)

// times returns the elements for the time range of a query.
func (it *perfItem) times() string {
	if it.after.IsZero() {
		return `<maxSample>1</maxSample>`
	}
	s := `<startTime>` + it.after.UTC().Format(time.RFC3339Nano) + `</startTime>`
	if !it.until.IsZero() {
		s += `<endTime>` + it.until.UTC().Format(time.RFC3339Nano) + `</endTime>`
	}
	return s
}

// xmlText escapes text for an XML document.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a builder cannot fail
	return b.String()
}

package esxtop

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dump is an answer to FetchStats that tests change and parse again.
type dump struct {
	t      testing.TB
	schema *Schema
	head   string // NUM-OF-OBJ
	rows   [][]string
}

func newDump(t testing.TB, schema *Schema, text string) *dump {
	t.Helper()
	head, values, ok := strings.Cut(text, valuePart+"\n")
	require.True(t, ok)
	d := &dump{t: t, schema: schema, head: head}
	for line := range strings.Lines(values) {
		d.rows = append(d.rows, strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"))
		if line := strings.TrimSpace(line); strings.HasSuffix(line, "||") { // the last value is empty
			last := &d.rows[len(d.rows)-1]
			*last = append(*last, "")
		}
	}
	return d
}

func exampleDump(t testing.TB, name string) *dump {
	t.Helper()
	return newDump(t, exampleSchema(t), example(t, name))
}

// examplePair is the worked example's two samples, of one schema.
func examplePair(t testing.TB) (before, now *dump) {
	t.Helper()
	before, now = exampleDump(t, "t0"), exampleDump(t, "t1")
	now.schema = before.schema
	return before, now
}

func realDump(t testing.TB) *dump {
	t.Helper()
	schema, err := ParseSchema(shared(t, "api-counterinfo.dsv"))
	require.NoError(t, err)
	return newDump(t, schema, shared(t, "api-fetchstats.dsv"))
}

func (d *dump) clone() *dump {
	c := *d
	c.rows = make([][]string, len(d.rows))
	for i, r := range d.rows {
		c.rows[i] = slices.Clone(r)
	}
	return &c
}

func (d *dump) text() string {
	var b strings.Builder
	b.WriteString(d.head + valuePart + "\n")
	for _, r := range d.rows {
		b.WriteString("|" + strings.Join(r, "|") + "|\n")
	}
	return b.String()
}

func (d *dump) sample(wanted Objects) *Sample {
	d.t.Helper()
	s, err := d.schema.Parse(d.text(), wanted)
	require.NoError(d.t, err)
	return s
}

// of returns the positions of a group's rows.
func (d *dump) of(group string) (places []int) {
	for i, r := range d.rows {
		if r[0] == group {
			places = append(places, i)
		}
	}
	return places
}

// row returns the position of a group's nth row.
func (d *dump) row(group string, n int) int {
	d.t.Helper()
	places := d.of(group)
	require.Greater(d.t, len(places), n, group)
	return places[n]
}

func (d *dump) value(row int, field string) *string {
	d.t.Helper()
	g := d.schema.byName[d.rows[row][0]]
	require.GreaterOrEqual(d.t, g.Field(field), 0, field)
	return &d.rows[row][g.Field(field)+1]
}

func (d *dump) number(row int, field string) int64 {
	d.t.Helper()
	n, err := strconv.ParseInt(*d.value(row, field), 10, 64)
	require.NoError(d.t, err)
	return n
}

// set sets a value of the nth row of a group.
func (d *dump) set(group string, n int, field string, value any) *dump {
	d.t.Helper()
	at := d.value(d.row(group, n), field)
	switch v := value.(type) {
	case string:
		*at = v
	case int:
		*at = strconv.Itoa(v)
	}
	return d
}

func (d *dump) add(row int, field string, delta int64) {
	d.t.Helper()
	at := d.value(row, field)
	if n, err := strconv.ParseInt(*at, 10, 64); err == nil { // a real host has counters that began below zero
		*at = strconv.FormatInt(n+delta, 10)
	}
}

// insert inserts a row after another.
func (d *dump) insert(after int, line string) {
	d.rows = slices.Insert(d.rows, after+1, strings.Split(strings.Trim(line, "|"), "|"))
}

func (d *dump) drop(row int) { d.rows = slices.Delete(d.rows, row, row+1) }

// frame derives a frame from this dump, with another one as the previous sample.
func (d *dump) frame(before *dump) *Frame {
	d.t.Helper()
	var dv Deriver
	dv.Frame(before.sample(AllObjects), AllObjects)
	return dv.Frame(d.sample(AllObjects), AllObjects)
}

// grown returns the same host some seconds later: every counter has grown like on a busy host, and the states of a
// world share its time.
func (d *dump) grown(rng *rand.Rand, seconds int64) *dump {
	d.t.Helper()
	d = d.clone()
	micros := seconds * 1e6
	for i, r := range d.rows {
		g := d.schema.byName[r[0]]
		if g == nil {
			continue
		}
		switch g.Name {
		case "Server":
			d.add(i, "TimeStampInUsec", micros)
			d.add(i, "Time", seconds)
			continue
		case "VCPU":
			d.growWorld(rng, i, micros)
			continue
		}
		for _, f := range g.Fields {
			switch {
			case f.Type != "U64" && f.Type != "S64" || f.Name == "VectorID" || f.Name == "CPUHz" || f.Name == "PagesPerShare":
			case f.Name == "PowerInWatt" || f.Name == "ConfigNumOfOutstandingRequests" || g.Name == "NfsClient" && f.Name == "NumOfActiveCmds":
			case strings.Contains(f.Name, "TimeIn"):
				d.add(i, f.Name, rng.Int64N(micros+1))
			default:
				d.add(i, f.Name, rng.Int64N(100_000))
			}
		}
	}
	return d
}

func (d *dump) growWorld(rng *rand.Rand, row int, micros int64) {
	run := rng.Int64N(micros + 1)
	ready := rng.Int64N(micros - run + 1)
	costop := rng.Int64N(micros - run - ready + 1)
	wait := micros - run - ready - costop
	idle := rng.Int64N(wait + 1)
	for field, delta := range map[string]int64{
		"UpTimeInUsec": micros, "RunTimeInUsec": run, "ReadyTimeInUsec": ready, "CoStopTimeInUsec": costop,
		"TotalWaitTimeInUsec": wait, "WaitTimeInUsec": wait, "IdleTimeInUsec": idle, "UsedTimeInUsec": run * 5 / 4,
		"CpuLatencyInUsec": ready + costop + rng.Int64N(run+1), "MaxLimitedTimeInUsec": ready / 2,
	} {
		d.add(row, field, delta)
	}
	for _, field := range []string{"NumOfWorldSwitches", "NumOfTotalMigrations", "NumOfQuantumExpires", "NumOfWakeups"} {
		*d.value(row, field) = strconv.FormatInt((d.number(row, field)+rng.Int64N(50_000))%(1<<32), 10)
	}
}

// one finds a row by its id.
func one(t testing.TB, f *Frame, o Object, id string) *Row {
	t.Helper()
	for i := range f.Rows(o) {
		if f.Rows(o)[i].ID == id {
			return &f.Rows(o)[i]
		}
	}
	require.Failf(t, "no row", "%s %s", o, id)
	return nil
}

func rowNamed(t testing.TB, f *Frame, o Object, name string) *Row {
	t.Helper()
	for i := range f.Rows(o) {
		if f.Rows(o)[i].Name == name {
			return &f.Rows(o)[i]
		}
	}
	require.Failf(t, "no row", "%s %s", o, name)
	return nil
}

// said formats a figure like a screen with two decimals, and as "-" if it is absent.
func said(t testing.TB, r *Row, id string) string {
	t.Helper()
	m := Lookup(id)
	require.NotNil(t, m, id)
	require.Contains(t, m.Objects, r.Object, id)
	if s, ok := r.Text(m); ok {
		return s
	}
	if v, ok := r.Value(m); ok {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return "-"
}

func figureOf(t testing.TB, r *Row, id string) float64 {
	t.Helper()
	v, ok := r.Value(Lookup(id))
	require.True(t, ok, "%s has no %s", r.Name, id)
	return v
}

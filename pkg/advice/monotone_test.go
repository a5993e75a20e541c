package advice

import (
	"maps"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/advice/internal/examplefleet"
	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// TestProveMonotone is the strongest test of the rules and their engine: if any fact is removed from any example, the
// outcome stays the same or becomes unknown. It never becomes another verdict, which would rely on an unread fact.
func TestProveMonotone(t *testing.T) {
	l, err := Load(Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(Selection{Diagnoses: true})
	require.NoError(t, err)
	blanked := 0
	for _, r := range proof.Sample(t, 40, set.rules) {
		for i := range r.Examples {
			blanked += r.blankEach(t, &r.Examples[i])
		}
	}
	t.Logf("%d facts taken away", blanked)
	require.Greater(t, blanked, 200)
}

// blankEach evaluates the example once for each fact it has, without that fact.
func (r *compiled) blankEach(t *testing.T, e *Example) int {
	t.Helper()
	s, err := examplefleet.Build(&e.Facts)
	require.NoError(t, err)
	n := 0
	for _, f := range factsOf(s) {
		if f.state() == inventory.StateUnread {
			continue
		}
		n++
		back := f.blank()
		found, err := (&Probe{rule: r}).Judge(s, e.Profile, e.Findings)
		require.NoError(t, err)
		if found.Outcome != e.Expect && found.Outcome != Unknown {
			t.Errorf("%s, example %q without %s: %s became %s", r.ID, e.Name, f.name, e.Expect, found.Outcome)
		}
		back()
	}
	return n + r.forgetEach(t, e)
}

// forgetEach evaluates the example once for each outcome of another rule that it contains, without that outcome.
func (r *compiled) forgetEach(t *testing.T, e *Example) int {
	t.Helper()
	for rule := range e.Findings {
		less := *e
		less.Findings = maps.Clone(e.Findings)
		delete(less.Findings, rule)
		s, err := examplefleet.Build(&e.Facts)
		require.NoError(t, err)
		found, err := (&Probe{rule: r}).Judge(s, e.Profile, less.Findings)
		require.NoError(t, err)
		if found.Outcome != e.Expect && found.Outcome != Unknown {
			t.Errorf("%s, example %q without findings[%q]: %s became %s", r.ID, e.Name, rule, e.Expect, found.Outcome)
		}
	}
	return len(e.Findings)
}

// blankable is one fact of a snapshot, found by reflection.
type blankable struct {
	name string
	v    reflect.Value
}

// blank makes the fact unread; the returned function restores it.
func (b blankable) blank() (back func()) {
	was := reflect.New(b.v.Type()).Elem()
	was.Set(b.v)
	b.v.SetZero()
	return func() { b.v.Set(was) }
}

func (b blankable) state() inventory.State {
	_, state, _ := b.v.Addr().Interface().(inventory.Reader).Raw()
	return state
}

func factsOf(s *inventory.Snapshot) []blankable {
	var out []blankable
	walkFacts(reflect.ValueOf(s).Elem(), "", &out)
	return out
}

func walkFacts(v reflect.Value, name string, out *[]blankable) {
	if v.CanAddr() && reflect.PointerTo(v.Type()).Implements(expr.FactReader) {
		*out = append(*out, blankable{name, v})
		value, _, _ := v.Addr().Interface().(inventory.Reader).Raw()
		walkFacts(reflect.ValueOf(value), name, out)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walkFacts(v.Elem(), name, out)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkFacts(v.Index(i), name, out)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				walkFacts(v.Field(i), v.Type().Name()+"."+f.Name, out)
			}
		}
	}
}

// TestProveNeedsAreEnough: the needs of the library contain every fact its expressions read: with only the needed
// facts, every example has the same outcome.
func TestProveNeedsAreEnough(t *testing.T) {
	l, err := Load(Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(Selection{Diagnoses: true})
	require.NoError(t, err)
	for _, r := range proof.Sample(t, 40, set.rules) {
		needs := (&Ruleset{rules: []*compiled{r}}).Needs(Options{})
		for i := range r.Examples {
			e := &r.Examples[i]
			s, err := examplefleet.Build(&e.Facts)
			require.NoError(t, err)
			for _, f := range factsOf(s) {
				if !neededField(needs, f) {
					f.blank()
				}
			}
			s.Link()
			found, err := (&Probe{rule: r}).Judge(s, e.Profile, e.Findings)
			require.NoError(t, err)
			require.Equal(t, e.Expect, found.Outcome, "%s, example %q with needed facts only (%v)", r.ID, e.Name, needs.Facts())
		}
	}
}

// neededField reports whether the needs contain a fact, or counters provide it: those are not read from a server.
func neededField(n inventory.Needs, f blankable) bool {
	if f.name == "VM.NUMAHomes" {
		return true
	}
	names := jsonNames()
	return n.Any(names[f.name]) || names[f.name] == "Host.options" && n.Options()
}

// jsonNames maps Host.NUMANodes to Host.numaNodes.
var jsonNames = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, t := range expr.FactTypes {
		for f := range t.Fields() {
			out[t.Name()+"."+f.Name] = t.Name() + "." + expr.FieldName(f)
		}
	}
	return out
})

// Package memo holds the results of expressions by the values that they read: most of 8,000 VMs look alike to most rules, so that
// each case is evaluated once.
package memo

import (
	"encoding/binary"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/inventory"
)

// Program is a compiled expression with the values that determine its result. It is safe for concurrent use.
type Program struct {
	cel.Program

	readings []expr.Reading
	shared   bool    // the readings are all that the result depends on
	budget   *Budget // nil: no limit
}

// NewProgram returns the program of a checked expression. Its cost is charged to the budget; nil: there is no limit.
func NewProgram(p cel.Program, tree *cel.Ast, b *Budget) *Program {
	readings, complete := expr.ReadingsOf(tree)
	return &Program{p, readings, complete, b}
}

// ReadsProfile reports whether the result may depend on the profile of the object.
func (p *Program) ReadsProfile() bool {
	return !p.shared || slices.ContainsFunc(p.readings, func(r expr.Reading) bool { return r.Variable == expr.VarProfile })
}

// Memo holds the results of expressions. It is valid as long as the facts do not change, and not safe for concurrent use.
type Memo struct {
	columns map[inventory.Scope]map[string]*values // by variable and fact
	cases   map[*Program]*cases
	rows    map[any]*row // of vCenters, clusters and hosts, which many objects belong to
	latest  map[inventory.Scope]*row

	objects  int // in the snapshot
	trackers map[*Budget]*cost.Tracker
}

// values numbers the different values that a fact has. Equal values have equal numbers.
type values struct {
	at int // in the rows of the objects
	of func(any) (any, bool)
	by map[any]uint32

	own uint32 // numbers of values that are their object's alone
}

// row holds the numbers of the values of one object; 0: not read yet.
type row struct {
	of      any
	numbers []uint32
}

// Numbers of values from itself on are those of objects: of an object itself, or of a value that cannot be compared with that
// of others.
const itself = 1 << 31

// cases are the results of one expression.
type cases struct {
	columns []*values
	scopes  []inventory.Scope
	results map[string]result
}

type result struct {
	value ref.Val
	err   error
}

// New returns a memo without results, for an evaluation of so many objects.
func New(objects int) *Memo {
	m := &Memo{objects: objects, trackers: map[*Budget]*cost.Tracker{}}
	m.Forget()
	return m
}

// Forget removes all results, because facts have changed. What was charged to budgets remains.
func (m *Memo) Forget() {
	if m == nil {
		return
	}
	m.columns, m.cases = map[inventory.Scope]map[string]*values{}, map[*Program]*cases{}
	m.rows, m.latest = map[any]*row{}, map[inventory.Scope]*row{}
}

// Subject is an object that expressions are evaluated for.
type Subject interface {
	cel.Activation
	// Reads returns the variables of the subject, the kind of its own object, and its profile.
	Reads() (vars *Variables, own inventory.Scope, profile string)
}

// Run returns the result of an expression for a subject. It evaluates the expression only if no subject before had the same
// values. A nil memo evaluates every expression. If the budget of the expression is spent, the result is a LimitError.
func (m *Memo) Run(p *Program, s Subject) (ref.Val, error) {
	if m == nil || !p.shared || p.budget != nil && m.Spent(p.budget) {
		return m.eval(p, s)
	}
	c := m.casesOf(p)
	var buffer [64]byte
	key, shared := m.key(buffer[:0], c, s)
	if !shared {
		return m.eval(p, s)
	}
	if r, ok := c.results[string(key)]; ok {
		return r.value, r.err
	}
	v, err := m.eval(p, s)
	c.results[string(key)] = result{v, err}
	return v, err
}

func (m *Memo) casesOf(p *Program) *cases {
	if c, ok := m.cases[p]; ok {
		return c
	}
	c := &cases{results: map[string]result{}}
	for _, r := range p.readings {
		c.scopes, c.columns = append(c.scopes, r.Variable), append(c.columns, m.column(r))
	}
	m.cases[p] = c
	return c
}

func (m *Memo) column(r expr.Reading) *values {
	of := m.columns[r.Variable]
	if of == nil {
		of = map[string]*values{}
		m.columns[r.Variable] = of
	}
	if of[r.Fact] == nil {
		of[r.Fact] = &values{at: len(of), of: r.Of, by: map[any]uint32{}}
	}
	return of[r.Fact]
}

// key appends the numbers of the values that an expression reads. It returns false if one of them is the subject itself,
// so that no other object has the same.
func (m *Memo) key(key []byte, c *cases, s Subject) ([]byte, bool) {
	vars, own, profile := s.Reads()
	for i, v := range c.columns {
		if c.scopes[i] == expr.VarProfile {
			key = binary.NativeEndian.AppendUint32(key, v.number(profile))
			continue
		}
		x := vars.find(c.scopes[i])
		if x == nil || !x.known {
			return nil, false // it was not read, or does not exist
		}
		n := m.number(v, x)
		if n >= itself && x.name == own {
			return nil, false
		}
		key = binary.NativeEndian.AppendUint32(key, n)
	}
	return key, true
}

// number returns the number of an object's value.
func (m *Memo) number(v *values, x *variable) uint32 {
	if x.row == nil || x.row.of != x.value {
		x.row = m.row(x)
	}
	r := x.row
	if v.at >= len(r.numbers) {
		r.numbers = append(r.numbers, make([]uint32, v.at+1-len(r.numbers))...)
	}
	if r.numbers[v.at] == 0 {
		r.numbers[v.at] = v.read(x.value)
	}
	return r.numbers[v.at]
}

// row returns the row of a variable's object. There are too many VMs and devices to keep all their rows, and they are evaluated one
// after another, the devices of a VM in a sequence: of these kinds, only the latest object has one.
func (m *Memo) row(x *variable) *row {
	switch x.name {
	case inventory.ScopeVCenter, inventory.ScopeCluster, inventory.ScopeHost:
		if m.rows[x.value] == nil {
			m.rows[x.value] = &row{of: x.value}
		}
		return m.rows[x.value]
	}
	r := m.latest[x.name]
	if r == nil {
		r = new(row)
		m.latest[x.name] = r
	}
	if r.of != x.value {
		r.of = x.value
		clear(r.numbers)
	}
	return r
}

func (v *values) read(o any) uint32 {
	if v.of != nil {
		if value, known := v.of(o); known {
			return v.number(value)
		}
	}
	v.own++ // a row keeps the number
	return v.own | itself
}

func (v *values) number(value any) uint32 {
	n, ok := v.by[value]
	if !ok {
		n = uint32(len(v.by) + 1)
		v.by[value] = n
	}
	return n
}

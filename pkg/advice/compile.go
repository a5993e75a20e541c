package advice

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/interpreter"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/internal/memo"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// compiled is a rule ready for evaluation. Its programs are safe for concurrent use.
type compiled struct {
	*Rule
	applies, want *memo.Program   // applies may be nil: always
	because       *memo.Program   // of a diagnosis, instead of want: true is a fail
	conditions    func() []part   // the conjuncts of because
	lost          *memo.Program   // nil: unknown
	holds         []*memo.Program // by benefit; nil: unknown
	expected      []Expected      // the benefits, if holds is unknown
	cases         []*memo.Program
	covers        []*memo.Program // nil: always
	once          *memo.Program   // nil: each object needs its own check
	evidence      []*memo.Program
	remedies      []compiledRemedy
	notes         []*memo.Program // nil: always
	params        map[string]any
	asks          []string // of a diagnosis: the rules it refers to
	needs         inventory.Needs
	live          bool         // reads live counters
	passes        []VMState    // VMs that it skips
	budget        *memo.Budget // of a rule that is not built in

	options []string // of the host, read by the rule
}

type compiledRemedy struct {
	when, each, to *memo.Program // when may be nil: always; each may be nil: one change
	params         []string      // used by its value
	given          bool          // the user set one of them
	atMost         *int64        // the value that the user set, where the remedy proposes it or the most that an object accepts
}

type compiler struct {
	out  *compiled
	env  *cel.Env
	bad  strictyaml.Errors
	done map[string]done // by source: want, evidence and remedies often share expressions
}

// done is a compiled expression.
type done struct {
	program *memo.Program
	result  *cel.Type
}

// newCompiler returns a compiler with an environment for the variables of the rule's scope.
func newCompiler(r *Rule) (*compiler, error) {
	env, err := expr.ForScope(r.Scope, len(r.Explains) > 0)
	if err != nil {
		return nil, err
	}
	c := &compiler{out: &compiled{Rule: r, params: map[string]any{}, live: len(r.Live()) > 0, passes: r.Skips(), options: r.optionsRead()},
		env: env, done: map[string]done{}}
	if r.user {
		c.out.budget = new(memo.Budget)
	}
	c.declareParams()
	return c, nil
}

func compile(r *Rule) (*compiled, strictyaml.Errors) {
	c, err := newCompiler(r)
	if err != nil {
		return nil, strictyaml.Errors{r.file.At(r.root(), err.Error())}
	}
	c.run()
	return c.out, c.bad
}

// run compiles all expressions of the rule.
func (c *compiler) run() {
	r := c.out.Rule
	if len(r.Explains) > 0 {
		c.out.asks = r.refers()
	}
	c.ownNeeds()
	c.out.applies = c.condition(r.Applies)
	c.out.want = c.condition(r.Want)
	c.out.because = c.condition(r.Because)
	c.out.conditions = partsOf(r, c.env, c.out.budget)
	c.out.lost = c.program(r.Lost, cel.DoubleType)
	for _, x := range r.Benefit {
		c.out.holds = append(c.out.holds, c.condition(x.Holds))
		c.out.expected = append(c.out.expected, Expected{x, inventory.Absent[bool]()})
	}
	for _, x := range r.Cases {
		c.out.cases = append(c.out.cases, c.condition(x.When))
	}
	for _, x := range r.Covers {
		c.out.covers = append(c.out.covers, c.condition(x.When))
	}
	c.out.once = c.program(r.Once, cel.StringType)
	if !r.Once.Empty() {
		expr.AddLinkNeeds(&c.out.needs, string(inventory.ScopeCluster))
	}
	for _, x := range r.Evidence {
		c.out.evidence = append(c.out.evidence, c.program(x.Expr, nil))
	}
	for i := range r.Remedy {
		c.remedy(&r.Remedy[i])
	}
	for _, x := range r.Notes {
		c.out.notes = append(c.out.notes, c.condition(x.When))
	}
}

// ownNeeds adds the facts needed to enumerate the rule's objects.
func (c *compiler) ownNeeds() {
	if len(c.out.passes) > 0 {
		c.out.needs.AddFact(powerNeeds...)
	}
	switch c.out.Scope {
	case inventory.ScopePNIC:
		c.out.needs.AddFact("Host.pnics")
	case inventory.ScopeVNIC:
		c.out.needs.AddFact("VM.vnics", "VM.hostId")
	case inventory.ScopeVDisk:
		c.out.needs.AddFact("VM.disks", "VM.hostId")
	case inventory.ScopeVMKNIC:
		c.out.needs.AddFact("Host.vmknics")
	case inventory.ScopeHBA:
		c.out.needs.AddFact("Host.hbas")
	case inventory.ScopeLUN:
		c.out.needs.AddFact("Host.luns")
	case inventory.ScopeDatastore:
		c.out.needs.AddFact("Datastore.hostIds")
	case inventory.ScopeSwitch:
		c.out.needs.AddFact("Switch.kind", "Switch.hostIds", "Host.vswitches")
	}
}

func (c *compiler) declareParams() {
	var vars []cel.EnvOption
	for name, p := range c.out.Params {
		t, value := paramType(p.Value)
		if t == nil {
			n := strictyaml.Child(strictyaml.Child(c.out.root(), "params"), name)
			c.bad = append(c.bad, c.out.file.At(n, "a parameter's value is a number, a text, true or false"))
			continue
		}
		c.out.params["params."+name] = value
		vars = append(vars, cel.Variable("params."+name, t))
	}
	if len(vars) == 0 {
		return
	}
	env, err := c.env.Extend(vars...)
	if err != nil {
		c.bad = append(c.bad, c.out.file.At(strictyaml.Child(c.out.root(), "params"), err.Error()))
		return
	}
	c.env = env
}

func paramType(v any) (*cel.Type, any) {
	switch x := v.(type) {
	case int:
		return cel.IntType, int64(x)
	case float64:
		return cel.DoubleType, x
	case bool:
		return cel.BoolType, x
	case string:
		return cel.StringType, x
	}
	return nil, nil
}

// condition compiles a Boolean expression; it returns nil for an empty one.
func (c *compiler) condition(e Expr) *memo.Program {
	if e.Empty() {
		return nil
	}
	return c.program(e, cel.BoolType)
}

func (c *compiler) remedy(r *Remedy) {
	s := r.setting
	c.out.needs.Add(s.Needs())
	c.out.remedies = append(c.out.remedies, compiledRemedy{
		when: c.condition(r.When),
		each: c.program(r.Each, cel.ListType(cel.StringType)),
		to:   c.program(r.To, celValueTypes[s.Type()]), // an option whose type is known only at run time may have any type

		params: r.params(), atMost: c.limited(r), given: slices.ContainsFunc(r.params(), func(p string) bool { return c.out.Params[p].Given }),
	})
}

// bounded matches a value that is a parameter, or the most that an object accepts.
var bounded = regexp.MustCompile(`^\s*min\(params\.(\w+),`)

// limits reports whether the rule takes the most that an object accepts where that is less than the parameter's own value.
func (r *Rule) limits(param string) bool {
	return slices.ContainsFunc(r.Remedy, func(m Remedy) bool {
		found := bounded.FindStringSubmatch(m.To.Source)
		return found != nil && found[1] == param
	})
}

// limited returns the user's value of the parameter that a remedy proposes if the object accepts it; nil for other remedies.
func (c *compiler) limited(r *Remedy) *int64 {
	m := bounded.FindStringSubmatch(r.To.Source)
	if m == nil || !c.out.Params[m[1]].Given {
		return nil
	}
	n, ok := c.out.Params[m[1]].Value.(int)
	if !ok {
		return nil
	}
	return new(int64(n))
}

// celValueTypes maps the type of a setting's value to its CEL type.
var celValueTypes = map[inventory.ValueType]*cel.Type{
	inventory.TypeBool: cel.BoolType, inventory.TypeInt: cel.IntType,
	inventory.TypeLong: cel.IntType, inventory.TypeString: cel.StringType,
}

// program compiles an expression; if want is nil, it can have any type.
func (c *compiler) program(e Expr, want *cel.Type) *memo.Program {
	if e.Empty() {
		return nil
	}
	if e.node.Style&yaml.FoldedStyle != 0 {
		c.bad = append(c.bad, c.out.file.At(e.node, "write expressions with |- : folding (>) removes their line breaks"))
		return nil
	}
	if tag := e.node.ShortTag(); !strings.HasPrefix(tag, "!!") {
		c.bad = append(c.bad, c.out.file.At(e.node, fmt.Sprintf("YAML treats %s as a tag: quote an expression that begins with !", tag)))
		return nil
	}
	x, ok := c.done[e.Source]
	if !ok {
		x = c.compile(e)
		c.done[e.Source] = x
	}
	if x.program != nil && want != nil && !x.result.IsExactType(want) {
		c.bad = append(c.bad, c.out.file.InExpr(e.node, 1, 0, fmt.Sprintf("this must be a %s, not a %s", want, x.result)))
		return nil
	}
	return x.program
}

// compile checks an expression and creates its program, or records the errors.
func (c *compiler) compile(e Expr) done {
	ast, issues := c.out.checked(c.env, e.Source)
	if issues.Err() != nil {
		c.issues(e, issues)
		return done{}
	}
	c.findable(e, ast)
	expr.AddNeeds(&c.out.needs, ast)
	opts := []cel.ProgramOption{cel.OptimizeRegex(interpreter.MatchesRegexOptimization)}
	p, err := c.env.Program(ast, opts...)
	if err != nil {
		c.bad = append(c.bad, c.out.file.InExpr(e.node, 1, 0, err.Error()))
		return done{}
	}
	return done{memo.NewProgram(p, ast, c.out.budget), ast.OutputType()}
}

// checked returns the checked tree of an expression of a rule.
func (r *Rule) checked(env *cel.Env, text string) (*cel.Ast, *cel.Issues) {
	if r.user {
		return env.Compile(text)
	}
	return expr.CompileBuiltIn(env, text)
}

func (c *compiler) issues(e Expr, issues *cel.Issues) {
	for _, x := range issues.Errors() {
		message := expr.Explain(x.Message, e.Source, c.names())
		c.bad = append(c.bad, c.out.file.InExpr(e.node, x.Location.Line(), x.Location.Column(), message))
	}
}

// findable refuses an expression that refers to a rule with other quotes, such as r"RULE": code that searches the text
// for references would not find it.
func (c *compiler) findable(e Expr, a *cel.Ast) {
	for _, x := range expr.RulesAsked(a) {
		if !asks(e, x.Rule) {
			c.bad = append(c.bad, c.out.file.InExpr(e.node, x.Line, x.Column, expr.AskInQuotes))
		}
	}
}

// names lists the names with which an expression of the rule can start.
func (c *compiler) names() []string {
	names := []string{expr.VarProfile}
	for _, s := range expr.Chain[c.out.Scope] {
		names = append(names, string(s))
	}
	for p := range c.out.params {
		names = append(names, p)
	}
	slices.Sort(names)
	return names
}

// Ruleset is a list of compiled rules, ready to be evaluated against a snapshot.
type Ruleset struct {
	rules []*compiled
}

// Rules returns the rules, sorted by id.
func (s *Ruleset) Rules() []*Rule {
	rules := make([]*Rule, len(s.rules))
	for i, c := range s.rules {
		rules[i] = c.Rule
	}
	return rules
}

// powerNeeds are the facts needed to know whether a VM is running.
var powerNeeds = []string{"VM.powerState", "VM.template"}

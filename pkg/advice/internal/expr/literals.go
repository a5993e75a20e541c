package expr

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"github.com/vperf/vperf/pkg/inventory"
)

// literals refuses invalid literals when a rule is compiled: an invalid version, an option that no release has (the
// rule would never apply), or an option read as another type than it has.
type literals struct{}

// Name identifies the validator to CEL.
func (literals) Name() string { return "vperf.literals" }

// Validate reports every invalid literal of an expression. It visits the expression only once, because most calls are
// CEL's own.
func (literals) Validate(_ *cel.Env, _ cel.ValidatorConfig, a *ast.AST, issues *cel.Issues) {
	asked := map[int64]bool{} // ids of valid uses of findings
	ast.PreOrderVisit(a.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.IdentKind && e.AsIdent() == VarFindings && !asked[e.ID()] {
			issues.ReportErrorAtID(e.ID(), AskInQuotes)
		}
		if e.Kind() == ast.CallKind && asksForRule(e.AsCall()) {
			asked[e.AsCall().Args()[0].ID()] = true
		}
		if e.Kind() != ast.CallKind {
			return
		}
		call := e.AsCall()
		checkVendorCall(call, issues)
		check := literalCheck(a, call)
		if check == nil {
			return
		}
		last := call.Args()[len(call.Args())-1]
		if text, ok := literal(last); !ok {
			issues.ReportErrorAtID(last.ID(), "%s needs a text in quotes, so that vperf can check it", call.FunctionName())
		} else if err := check(text); err != nil {
			issues.ReportErrorAtID(last.ID(), "%v", err)
		}
	}))
}

// AskInQuotes is the message for a rule id that is not a plain quoted literal.
const AskInQuotes = `write findings["RULE"], with the rule's id in quotes`

// asksForRule reports whether a call is findings["RULE"]. The id must be a literal, so that it can be checked when
// rules are loaded.
func asksForRule(call ast.CallExpr) bool {
	if call.FunctionName() != operators.Index || call.Args()[0].Kind() != ast.IdentKind || call.Args()[0].AsIdent() != VarFindings {
		return false
	}
	_, ok := literal(call.Args()[1])
	return ok
}

// literalCheck returns a check for the literal argument of one of our functions; nil for other functions.
func literalCheck(a *ast.AST, call ast.CallExpr) func(string) error {
	function := call.FunctionName()
	if want, ok := optionTypes[function]; ok {
		return func(key string) error { return checkOption(function, key, want) }
	}
	switch function {
	case fnAtLeast:
		return func(s string) error {
			_, err := inventory.ParseVersion(s)
			return err
		}
	case fnVMX, fnKernelSetting:
		return func(s string) error {
			if s == "" {
				return fmt.Errorf("%s needs a key", function)
			}
			return nil
		}
	case fnVMXKeys:
		return func(s string) error {
			_, err := regexp.Compile(s)
			return err
		}
	case fnLive:
		return func(s string) error { return checkLive(a, call, s) }
	}
	return nil
}

// checkLive refuses counters that do not exist for this kind of object.
func checkLive(a *ast.AST, call ast.CallExpr, name string) error {
	scope := inventory.Scope(strings.ToLower(strings.TrimPrefix(a.GetType(call.Target().ID()).TypeName(), "inventory.")))
	if _, known := inventory.LookupLive(scope, name); known {
		return nil
	}
	return fmt.Errorf("no live counter %q of a %s%s; there are %s", name, scope, inventory.DidYouMean(name, liveNames(scope)), strings.Join(liveNames(scope), ", "))
}

func liveNames(of inventory.Scope) []string {
	var names []string
	for _, m := range inventory.LiveMetrics() {
		if m.Scope == of {
			names = append(names, m.Name)
		}
	}
	return names
}

func checkOption(function, key string, want inventory.ValueType) error {
	d, ok := inventory.LookupOption(key)
	if !ok {
		return fmt.Errorf("no release %s has an option %q%s", inventory.ReleaseSpan(), key, inventory.DidYouMean(key, inventory.OptionKeys()))
	}
	if d.Type == want {
		return nil
	}
	for other, t := range optionTypes {
		if t == d.Type && other != fnOptionMax {
			return fmt.Errorf("option %s is a %s: read it with %s, not %s", key, d.Type, other, function)
		}
	}
	return fmt.Errorf("option %s is a %s, which %s cannot read", key, d.Type, function)
}

func literal(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().Value().(string)
	return s, ok
}

// RuleAsked is a reference to another rule in an expression, and its position: lines count from 1, columns from 0.
type RuleAsked struct {
	Rule         string
	Line, Column int
}

// RulesAsked lists the rules whose findings an expression reads.
func RulesAsked(a *cel.Ast) []RuleAsked {
	var all []RuleAsked
	tree := a.NativeRep()
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		if x.Kind() == ast.CallKind && asksForRule(x.AsCall()) {
			id, _ := literal(x.AsCall().Args()[1])
			at := tree.SourceInfo().GetStartLocation(x.AsCall().Args()[0].ID())
			all = append(all, RuleAsked{id, at.Line(), at.Column()})
		}
	}))
	return all
}

// checkVendorCall refuses an invalid setting when a rule is compiled.
func checkVendorCall(call ast.CallExpr, issues *cel.Issues) {
	if !slices.Contains(vendorCalls, call.FunctionName()) || len(call.Args()) < 2 {
		return
	}
	at := call.Args()[1]
	address, ok := literal(at)
	if !ok {
		issues.ReportErrorAtID(at.ID(), "vendors.%s needs the setting in quotes, so that vperf can check it", call.FunctionName())
	} else if _, err := inventory.LookupSetting(address); err != nil {
		issues.ReportErrorAtID(at.ID(), "%v", err)
	}
}

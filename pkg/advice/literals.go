package advice

import (
	"fmt"
	"regexp"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"

	"github.com/vperf/vperf/pkg/inventory"
)

// literals refuses, when a rule is compiled, texts that could only ever be wrong: a version that is none, an option
// that no release has (which would be "not applicable" for ever), an option read as another type than it has.
type literals struct{}

// Name identifies the validator to CEL.
func (literals) Name() string { return "vperf.literals" }

// Validate reports every bad literal of an expression.
func (literals) Validate(_ *cel.Env, _ cel.ValidatorConfig, a *ast.AST, issues *cel.Issues) {
	root := ast.NavigateAST(a)
	check := func(function string, bad func(string) error) {
		for _, call := range ast.MatchDescendants(root, ast.FunctionMatcher(function)) {
			args := call.AsCall().Args()
			text, ok := literal(args[len(args)-1])
			if !ok {
				issues.ReportErrorAtID(args[len(args)-1].ID(), "%s takes a text in quotes, so that it can be checked here", function)
			} else if err := bad(text); err != nil {
				issues.ReportErrorAtID(args[len(args)-1].ID(), "%v", err)
			}
		}
	}
	check(fnAtLeast, func(s string) error {
		_, err := inventory.ParseVersion(s)
		return err
	})
	check(fnVMX, func(s string) error {
		if s == "" {
			return fmt.Errorf("%s needs a key", fnVMX)
		}
		return nil
	})
	check(fnKernelSetting, func(string) error { return nil })
	check(fnVMXKeys, func(s string) error {
		_, err := regexp.Compile(s)
		return err
	})
	checkLive(root, a, issues)
	for function, want := range optionTypes {
		check(function, func(key string) error { return checkOption(function, key, want) })
	}
}

// checkLive refuses counters that nobody measures of such an object.
func checkLive(root ast.NavigableExpr, a *ast.AST, issues *cel.Issues) {
	for _, call := range ast.MatchDescendants(root, ast.FunctionMatcher(fnLive)) {
		c := call.AsCall()
		scope := inventory.Scope(strings.ToLower(strings.TrimPrefix(a.GetType(c.Target().ID()).TypeName(), "inventory.")))
		name, ok := literal(c.Args()[0])
		if _, known := inventory.LookupLive(scope, name); !ok || !known {
			issues.ReportErrorAtID(c.Args()[0].ID(), "no live counter %q of a %s; there are %s", name, scope, strings.Join(liveNames(scope), ", "))
		}
	}
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
		return fmt.Errorf("no release from 6.0 to 9.0 has an option %q%s", key, didYouMean(key, inventory.OptionKeys()))
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

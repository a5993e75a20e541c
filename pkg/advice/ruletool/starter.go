package ruletool

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// starters are small valid rules to start from: one for each scope, and a diagnosis for scopes with symptoms.
//
//go:embed starters/*.yaml
var starters embed.FS

func diagnosisOf(s inventory.Scope) string { return "starters/diagnosis-" + string(s) + ".yaml" }

var categoryLine = regexp.MustCompile(`(?m)^category: .*$`)

// Starter returns the text of a rule to start from: it loads, has no missing parts, and its examples pass. If category
// is empty, the rule has the usual category of its scope.
func Starter(id string, category advice.Category, scope inventory.Scope) (string, error) {
	if err := advice.CheckID(id); err != nil {
		return "", err
	}
	if _, err := advice.ParseScope(string(scope)); err != nil {
		return "", err
	}
	file := "starters/" + string(scope) + ".yaml"
	if category == advice.CategoryDiagnosis {
		file = diagnosisOf(scope)
	} else if category != "" {
		if _, err := advice.ParseCategory(string(category)); err != nil {
			return "", err
		}
	}
	text, err := fs.ReadFile(starters, file)
	if err != nil {
		return "", &NoStarterError{scope}
	}
	rule := strings.Replace(string(text), "id: my-rule\n", "id: "+id+"\n", 1)
	if category != "" {
		rule = categoryLine.ReplaceAllString(rule, "category: "+string(category))
	}
	return rule, nil
}

// NoStarterError is returned by Starter for a diagnosis of a scope without a starter.
type NoStarterError struct{ Scope inventory.Scope }

// Error names the scope.
func (e *NoStarterError) Error() string {
	return fmt.Sprintf("there is no starter for a diagnosis of a %s", e.Scope)
}

// Others lists the scopes that have a starter diagnosis.
func (e *NoStarterError) Others() []inventory.Scope {
	return slices.DeleteFunc(advice.Scopes(), func(s inventory.Scope) bool {
		_, err := fs.Stat(starters, diagnosisOf(s))
		return err != nil
	})
}

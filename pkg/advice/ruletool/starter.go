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

// starters are small true rules, to be changed into others: one for each scope, and a diagnosis for scopes with symptoms.
//
//go:embed starters/*.yaml
var starters embed.FS

func diagnosisOf(s inventory.Scope) string { return "starters/diagnosis-" + string(s) + ".yaml" }

var categoryLine = regexp.MustCompile(`(?m)^category: .*$`)

// Starter is the text of a rule to begin with: it loads, misses nothing, and its examples come out as they say. Without a
// category it is filed where rules of the scope usually are.
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

// NoStarterError is returned by Starter for a diagnosis of a scope that has none to begin with.
type NoStarterError struct{ Scope inventory.Scope }

// Error names the scope.
func (e *NoStarterError) Error() string {
	return fmt.Sprintf("there is no diagnosis of a %s to begin with", e.Scope)
}

// Others lists the scopes that have one.
func (e *NoStarterError) Others() []inventory.Scope {
	return slices.DeleteFunc(advice.Scopes(), func(s inventory.Scope) bool {
		_, err := fs.Stat(starters, diagnosisOf(s))
		return err != nil
	})
}

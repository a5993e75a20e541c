package guide

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/vperf/vperf/docs/schema"
)

// fact describes a fact in the guide: a phrase that follows its name, and its source in vSphere.
type fact struct {
	Words string   // such as "counts virtual CPUs"
	Paths []string // properties of its managed object, or the called method
}

// readFacts returns the facts with their descriptions from the schema of rule files, which come from the comments of the
// facts.
func readFacts(origins map[string][]string) (map[string]fact, error) {
	var s struct {
		Defs map[string]struct {
			Properties map[string]struct {
				Description string `json:"description"`
			} `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(schema.Rule, &s); err != nil {
		return nil, fmt.Errorf("reading the schema of rules: %w", err)
	}
	facts := make(map[string]fact, len(origins))
	for name, paths := range origins {
		kind, field, _ := strings.Cut(name, ".")
		words := s.Defs[kind].Properties[field].Description
		facts[name] = fact{Words: strings.TrimSuffix(sourceSentence.ReplaceAllString(words, ""), "."), Paths: paths}
	}
	return facts, nil
}

// sourceSentence matches the part of a comment that the paths describe better.
var sourceSentence = regexp.MustCompile(`\s*Source:.*`)

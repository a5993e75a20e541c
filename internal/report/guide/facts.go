package guide

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/vperf/vperf/docs/schema"
)

// fact is how the guide speaks of a fact: in words that follow its name, and where vSphere has it.
type fact struct {
	Words string   // such as "counts virtual CPUs"
	Paths []string // properties of its managed object, or the method that is called
}

// readFacts puts facts into words. The words are the descriptions of the schema of rule files, which are made of the
// comments of the facts themselves.
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

// sourceSentence is where a comment says what the paths say better.
var sourceSentence = regexp.MustCompile(`\s*Source:.*`)

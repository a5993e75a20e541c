// Package rules holds the knowledge of vperf: one YAML file a rule, in folders by category, and in the folder sources one file
// an article, with the figures that rules quote, and in the folder outcomes one file an outcome of trials. It has no logic.
package rules

import "embed"

// FS is the rule library, with the articles and the outcomes.
//
//go:embed */*.yaml
var FS embed.FS

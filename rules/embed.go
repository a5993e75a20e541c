// Package rules holds the knowledge of vperf: one YAML file a rule, in folders by category. It has no logic.
package rules

import "embed"

// FS is the rule library.
//
//go:embed */*.yaml
var FS embed.FS

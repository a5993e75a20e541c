// Package schema holds the JSON Schemas of what vperf reads and writes. It has no logic.
package schema

import _ "embed" // for Rule

// Rule is the JSON Schema of rule files.
//
//go:embed rule.schema.json
var Rule []byte

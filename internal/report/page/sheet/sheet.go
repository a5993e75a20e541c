// Package sheet holds what all HTML pages of vperf share: the style, and the policy that lets a browser run nothing else.
package sheet

import (
	"crypto/sha256"
	_ "embed" // for CSS
	"encoding/base64"
)

// CSS is the style of the pages.
//
//go:embed sheet.css
var CSS string

// Policy allows this style and this script, by their hashes, and nothing else: no picture, no font, nothing from elsewhere. Without a
// script, none is allowed.
func Policy(style, script string) string {
	scripts := "'none'"
	if script != "" {
		scripts = "'" + Hash(script) + "'"
	}
	return "default-src 'none'; style-src '" + Hash(style) + "'; script-src " + scripts + "; img-src 'none'; base-uri 'none'; form-action 'none'"
}

// Hash returns the hash of a style or script as a policy names it.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

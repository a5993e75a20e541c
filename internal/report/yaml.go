package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/iostreams"
)

// YAML writes a JSON document as YAML and keeps the order of its fields.
func YAML(w io.Writer, document []byte) error {
	var root yaml.Node
	text := surrogates.ReplaceAllStringFunc(iostreams.EscapeControls(string(document)), joined)
	if err := yaml.Unmarshal([]byte(text), &root); err != nil { // JSON is YAML, apart from some ends of lines and pairs
		return fmt.Errorf("reading the JSON that is to be YAML: %w", err)
	}
	blockStyle(&root)
	var out bytes.Buffer // not w itself: the encoder does not wrap write errors
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(&root); err != nil {
		return fmt.Errorf("writing YAML: %w", err)
	}
	if err := e.Close(); err != nil {
		return fmt.Errorf("writing YAML: %w", err)
	}
	_, err := io.WriteString(w, iostreams.EscapeControls(out.String()))
	return err
}

// surrogates finds the pairs by which JSON escapes a letter above 16 bits, and escaped backslashes, which begin none.
var surrogates = regexp.MustCompile(`(?i)\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)

// joined is such a letter as YAML escapes it.
func joined(escape string) string {
	var high, low rune
	if _, err := fmt.Sscanf(strings.ToLower(escape), `\u%04x\u%04x`, &high, &low); err != nil {
		return escape
	}
	return fmt.Sprintf(`\U%08x`, utf16.DecodeRune(high, low))
}

// oldBools lists texts that YAML 1.1 readers take for true or false.
var oldBools = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true}

// blockStyle removes the braces and quotes of JSON. The encoder adds quotes where a text would be read as another type.
func blockStyle(n *yaml.Node) {
	n.Style = 0
	if n.Tag == "!!str" && (oldBools[strings.ToLower(n.Value)] || strings.ContainsFunc(n.Value, iostreams.ControlsText)) {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		blockStyle(child)
	}
}

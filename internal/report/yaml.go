package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/iostreams"
)

// YAML writes a JSON document as YAML and keeps the order of its fields.
func YAML(w io.Writer, document []byte) error {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(iostreams.EscapeControls(string(document))), &root); err != nil { // JSON is YAML, apart from some ends of lines
		return fmt.Errorf("reading the JSON that is to be YAML: %w", err)
	}
	blockStyle(&root)
	var text bytes.Buffer // not w itself: the encoder does not wrap write errors
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := e.Encode(&root); err != nil {
		return fmt.Errorf("writing YAML: %w", err)
	}
	if err := e.Close(); err != nil {
		return fmt.Errorf("writing YAML: %w", err)
	}
	_, err := io.WriteString(w, iostreams.EscapeControls(text.String()))
	return err
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

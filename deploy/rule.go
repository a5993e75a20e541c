package deploy

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// group is a group of rules as Prometheus reads it: what stands first is there for those behind it.
type group struct {
	Name  string `yaml:"name"`
	Rules []rule `yaml:"rules"`
}

// rule records or alerts.
type rule struct {
	Record      string            `yaml:"record,omitempty"`
	Alert       string            `yaml:"alert,omitempty"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

// yamlFile writes v below words about it.
func yamlFile(about string, v any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# Made by: go test ./deploy -update. Do not edit.\n#\n")
	for line := range strings.Lines(strings.TrimSpace(about)) {
		b.WriteString("# " + line)
	}
	b.WriteString("\n\n")
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}

// ruleFile is a file of rules.
func ruleFile(about string, groups []group) ([]byte, error) {
	return yamlFile(about, map[string][]group{"groups": groups})
}

// lay puts the parts of an expression on lines of their own.
func lay(parts ...string) string { return strings.Join(parts, "\n") }

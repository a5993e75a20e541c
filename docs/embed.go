// Package docs holds pages of the documentation that programs show.
package docs

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed advice.md auditing.md changing.md connecting.md counters.md doctor.md exit-codes.md mcp.md permissions.md trial.md troubleshooting.md vendors.md
var pages embed.FS

// Page is a page of the documentation.
type Page struct {
	Name  string // of the file, without .md
	Title string // its first heading
}

// Pages lists the embedded pages by name.
func Pages() []Page {
	entries, err := pages.ReadDir(".")
	if err != nil {
		panic(err) // it is in the program
	}
	list := make([]Page, len(entries))
	for i, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".md")
		text, err := Read(name)
		if err != nil {
			panic(err)
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		list[i] = Page{Name: name, Title: title}
	}
	return list
}

// Read returns the text of an embedded page, as Markdown.
func Read(name string) (string, error) {
	text, err := pages.ReadFile(name + ".md")
	if err != nil {
		return "", fmt.Errorf("there is no page %q in this program", name)
	}
	return string(text), nil
}

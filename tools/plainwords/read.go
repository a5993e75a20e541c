package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// line is one line of text for people.
type line struct {
	file   string
	number int
	kind   kind
	text   string
}

// readTree hands every line of text below root to take. Hidden folders and testdata are skipped: captures and goldens repeat
// the texts of the sources.
func readTree(root string, take func(line)) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "plainwords"):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		if err := readFile(path, take); err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		return nil
	})
}

func readFile(path string, take func(line)) error {
	switch filepath.Ext(path) {
	case ".go":
		return readGo(path, take)
	case ".md":
		return readMarkdown(path, take)
	case ".yaml", ".yml":
		return readYAML(path, take)
	case ".json":
		return readDashboard(path, take)
	}
	return nil
}

// readGo takes comments, and strings of three words or more.
func readGo(path string, take func(line)) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			takeLines(line{path, files.Position(c.Pos()).Line, comment, c.Text}, take)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
			text, err := strconv.Unquote(l.Value)
			if err == nil && len(strings.Fields(text)) >= 3 {
				takeLines(line{path, files.Position(l.Pos()).Line, literal, text}, take)
			}
		}
		return true
	})
	return nil
}

// takeLines splits a text into its lines.
func takeLines(l line, take func(line)) {
	for text := range strings.Lines(l.text) {
		text = strings.TrimSpace(strings.TrimLeft(text, "/* \t"))
		if strings.ContainsAny(text, " ") && !strings.HasPrefix(text, "go:") {
			take(line{l.file, l.number, l.kind, text})
		}
		l.number++
	}
}

// readMarkdown takes everything but code blocks.
func readMarkdown(path string, take func(line)) error {
	code := false
	return eachLine(path, func(number int, text string) {
		if strings.HasPrefix(text, "```") {
			code = !code
		} else if !code && strings.Contains(text, " ") {
			take(line{path, number, page, text})
		}
	})
}

// prose is what a line of YAML has for people: at least three words, after a key or a dash, or in a block.
var (
	yamlKey = regexp.MustCompile(`^[\w$/.-]+:\s*|^- (?:[\w$/.-]+:\s*)?`)
	words   = regexp.MustCompile(`[A-Za-z']{2,}[,;:]? +[A-Za-z']{1,}[,;:]? +[A-Za-z']{1,}`)
)

func readYAML(path string, take func(line)) error {
	return eachLine(path, func(number int, text string) {
		text = strings.TrimPrefix(yamlKey.ReplaceAllString(text, ""), "# ")
		if words.MatchString(text) {
			take(line{path, number, rule, text})
		}
	})
}

func eachLine(path string, visit func(number int, text string)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for number := 1; s.Scan(); number++ {
		visit(number, strings.TrimSpace(s.Text()))
	}
	return s.Err()
}

// readDashboard takes a JSON file's titles and descriptions.
func readDashboard(path string, take func(line)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	walkTexts(document, func(s string) { takeLines(line{path, lineOf(text, s), board, s}, take) })
	return nil
}

func walkTexts(node any, visit func(string)) {
	switch n := node.(type) {
	case []any:
		for _, item := range n {
			walkTexts(item, visit)
		}
	case map[string]any:
		for key, item := range n {
			if s, is := item.(string); is && (key == "title" || key == "description") {
				visit(s)
			}
			walkTexts(item, visit)
		}
	}
}

// lineOf is the number of the line of a file on which a string of it begins.
func lineOf(file []byte, s string) int {
	quoted, _ := json.Marshal(s)
	before, _, _ := strings.Cut(string(file), string(quoted))
	return 1 + strings.Count(before, "\n")
}

package cli

import (
	"context"
	"encoding/json"
	"html"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// origin is a source as a user names it, and what the printed commands may name.
type origin struct {
	args []string
	also []string // a server that the environment names, for readers elsewhere
	file bool     // commands that need a server have to ask for its context
	demo bool     // nothing can be changed
}

// TestProvePrintedCommands runs commands on every kind of source, finds all commands that they print, in text, JSON and HTML, results and
// errors, and parses them with the flags of vperf: each must exist, and have the source of the command that printed it. It finds commands
// by their form, so that new messages are checked as well. On the demo fleet and on one that runs, it types those that only read.
func TestProvePrintedCommands(t *testing.T) {
	proof.NotRaced(t)
	eachOrigin(t, func(t *testing.T, b *box, o origin, dir string) {
		t.Helper()
		tested, reading := map[string]int{}, map[string][]string{}
		for _, words := range printing(o, dir) {
			for _, command := range commandsIn(t, printedBy(t, b, o, words)) {
				tested[o.checks(t, words, command)]++
				if args := runnable(t, command[1:]); args != nil {
					reading[strings.Join(args, "\x00")] = args
				}
			}
		}
		for _, path := range map[bool][]string{
			true:  {"vperf audit", "vperf advise", "vperf plan", "vperf apply", "vperf explain"},
			false: {"vperf audit", "vperf advise", "vperf plan", "vperf apply", "vperf explain", "vperf trial run"},
		}[o.file] {
			require.Positive(t, tested[path], "%s is printed by nothing: %v", path, tested)
		}
		t.Logf("%v; %d of them differ and only read", tested, len(reading))
		if !o.demo && o.also == nil {
			return // only the source differs
		}
		for _, key := range proof.SampleLong(t, 3, 60, slices.Sorted(maps.Keys(reading))) {
			code, text := b.types(t, reading[key])
			assert.NotContains(t, []int{exitFailed, exitUsage, exitInterrupted}, code, "%q: %s", reading[key], text)
		}
	})
}

// typedHere are printed commands that only read, and flags that make them short.
var typedHere = map[string][]string{
	"audit": nil, "explain": nil, "plan": nil, "doctor": nil, "diff": nil, "history list": nil, "history show": nil, "history verify": nil,
	"trial plan": nil, "trial list": nil, "trial show": nil, "rules list": nil,
	"advise": {"--for", "0s"}, "report": {"--for", "0s", "--out", "-"}, "top": {"--plain", "-n", "1"},
}

// runnable returns the arguments of a printed command, or nil if it writes, has placeholders, or may go on for long.
func runnable(t *testing.T, words []string) []string {
	t.Helper()
	c := newRootFor(t, words)
	path := strings.TrimPrefix(c.CommandPath(), "vperf ")
	more, typed := typedHere[path]
	n := len(strings.Fields(path))
	if !typed || len(words) < n || slices.ContainsFunc(words, placeholder.MatchString) {
		return nil
	}
	args := slices.Concat(words[:n], clauseOf(c, words[n:]))
	if len(args) == n && (path == "explain" || path == "trial plan") {
		return nil // named, and not offered
	}
	if slices.Contains(args, "--help") || slices.Contains(args, "--for") || slices.Contains(args, "--out") {
		more = nil
	}
	return append(args, more...)
}

// placeholder matches words in which the reader has to put a value.
var placeholder = regexp.MustCompile(`\b[A-Z]{3,}\b|…|\.\.\.`)

// eachOrigin calls test for each kind of source.
func eachOrigin(t *testing.T, test func(t *testing.T, b *box, o origin, dir string)) {
	t.Helper()
	configured(t)
	b := newBox(t)
	dir := t.TempDir()
	passwordFile, snapshot := filepath.Join(dir, "pass word"), filepath.Join(dir, "it's a; fleet.json")
	require.NoError(t, os.WriteFile(passwordFile, []byte(b.Password()+"\n"), 0o600))
	require.NoError(t, os.WriteFile(os.Getenv("VPERF_CONFIG"), []byte("contexts:\n"+b.context(t, "lab")), 0o600))
	code, _, errs := vperf(t, "snapshot", "--context", "lab", "--out", snapshot)
	require.Zero(t, code, errs)

	for name, o := range map[string]origin{
		"demo":    {args: []string{"--demo", "--scenario", "busy-host"}, demo: true},
		"sim":     {also: []string{"--url", b.URL().String()}},
		"context": {args: []string{"--context", "lab"}},
		"url":     {args: []string{"--url", b.host, "--username", b.User(), "--password-file", passwordFile, "--insecure"}},
		"file":    {args: []string{"--from", snapshot}, file: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			if o.also != nil {
				b.export(t, "VPERF_")
			}
			test(t, b, o, dir)
		})
	}
}

// printing are command lines without their source. What they have in common is that their output names commands.
func printing(o origin, dir string) [][]string {
	all := [][]string{
		{"audit"}, {"audit", "host01", "-o", "json"}, {"audit", "host01", "--keep"}, {"advise", "--for", "0s"}, {"advise", "--for", "0s", "-o", "json"}, {"plan", "host01"},
	}
	if o.file {
		return append(all, []string{"report", "--for", "0s", "--out", filepath.Join(dir, "page.html")})
	}
	all = append(all, [][]string{{"doctor"}, {"trial", "plan", "host01", "--rule", "numa-io"}, {"trial", "list"}, {"rollback"}}...)
	if o.demo {
		return append(all, []string{"trial", "run", "host01", "--rule", "rss", "--yes"})
	}
	if o.also == nil {
		return all
	}
	all = append(all, [][]string{
		{"report", "--for", "0s", "--out", filepath.Join(dir, "page.html")}, {"diff", "--since", "1h"}, {"plan", "host01", "--rule", "no-such-rule"},
		{"plan", "host01", "--rule", "numa-io", "-o", "json"}, {"plan", "--vm", "db-01"}, {"audit", "--dry-run"},
		{"trial", "plan", "host01", "--rule", "rss"}, {"trial", "plan", "host01", "--rule", "numa-io", "-o", "json"},
		{"rollback", "--last"}, {"history", "verify", "nowhere"}, {"trial", "resume", "nowhere"}, {"apply", "--plan", filepath.Join(dir, "it's a; fleet.json")},
		{"history", "list"}, {"history", "show"}, {"trial", "show"}, {"diff", "--list"}, {"history", "effect", "nowhere"},
	}...)
	return append(all, [][]string{
		{"trial", "run", "host01", "host02", "--rule", "rss", "--set", "rss.rings=4", "--yes"}, {"apply", "host01", "--rule", "rss", "--yes"}, {"apply", "host01", "--rule", "rss", "--yes"},
		{"apply", "host01", "--rule", "numa-io", "--yes"}, {"history", "show"}, {"trial", "show"}, {"rollback", "--last", "--yes"}, {"history", "verify"}, {"history", "list"},
	}...)
}

// printedBy runs a command on the source, on a wide terminal, and returns all that it printed.
func printedBy(t *testing.T, b *box, o origin, words []string) string {
	t.Helper()
	args := slices.Clone(words)
	if newRootFor(t, words).Flags().Lookup("context") != nil {
		args = append(args, o.args...)
	}
	streams, out, errs := iostreams.Test()
	streams.SetTTY(false, len(words) == 1, false)
	streams.SetWidth(1000)
	f := NewFactory(streams)
	b.serveAsDemo(f)
	code := run(t.Context(), f, args)
	require.NotEqual(t, exitInterrupted, code)
	return allTexts(t, words, out.String(), errs.String())
}

// types runs a command as typed.
func (b *box) types(t *testing.T, args []string) (code int, text string) {
	t.Helper()
	streams, _, errs := iostreams.Test()
	f := NewFactory(streams)
	b.serveAsDemo(f)
	return run(t.Context(), f, args), errs.String()
}

// serveAsDemo makes the fleet of the box the demo fleet.
func (b *box) serveAsDemo(f *Factory) {
	f.Demo = func(context.Context, demoOptions) (*demoFleet, error) {
		return &demoFleet{Stop: func() {}, Endpoint: session.Endpoint{
			URL: &url.URL{Scheme: "https", Host: b.host, Path: "/sdk"}, User: b.User(), Password: session.Secret(b.Password()), CertificatePEM: b.CertificatePEM(),
		}}, nil
	}
}

// allTexts returns the texts in the output of a command: the strings of JSON, and the text of the page that it wrote.
func allTexts(t *testing.T, words []string, text, errs string) string {
	t.Helper()
	var document any
	if json.Unmarshal([]byte(text), &document) == nil {
		text = ""
		eachText(document, func(s string) { text += s + "\n" })
	}
	if i := slices.Index(words, "--out"); i > 0 {
		page, err := os.ReadFile(words[i+1])
		require.NoError(t, err, errs)
		text += html.UnescapeString(tags.ReplaceAllString(string(page), "\n"))
	}
	return text + "\n" + errs
}

var tags = regexp.MustCompile(`(?s)<(script|style|title).*?</(script|style|title)>|<[^>]*>`)

func eachText(v any, do func(string)) {
	switch x := v.(type) {
	case string:
		do(x)
	case []any:
		for _, e := range x {
			eachText(e, do)
		}
	case map[string]any:
		for _, e := range x {
			eachText(e, do)
		}
	}
}

// newRootFor returns the command that words name.
func newRootFor(t *testing.T, words []string) *cobra.Command {
	t.Helper()
	streams, _, _ := iostreams.Test()
	c, _, err := newRoot(NewFactory(streams)).Find(words)
	require.NoError(t, err, words)
	return c
}

// notTypedTexts begin with vperf and are no commands.
var notTypedTexts = regexp.MustCompile(`^vperf (audit of|advice for|plan for|report: |report\s*$|run |trial of)|^vperf audit$`)

// asNoun matches commands that are named and not offered.
var asNoun = regexp.MustCompile(`\b(by|that) vperf [a-z]+`)

// ofRules are texts of rules, which know no source.
var ofRules = regexp.MustCompile(`vperf plan does not measure|ready time and swap rate with vperf advise`)

// commandsIn returns the commands in a text, each as words: from vperf to the end of the line, or to a word or sign that ends the
// command in a sentence.
func commandsIn(t *testing.T, text string) (all [][]string) {
	t.Helper()
	text, _, _ = strings.Cut(text, "  eval \"$(vperf sim --background)\"") // what follows is typed on that fleet
	names := map[string]bool{}
	for _, c := range newRootFor(t, nil).Commands() {
		names[c.Name()] = !c.Hidden
	}
	text = ofRules.ReplaceAllString(asNoun.ReplaceAllString(text, ""), "")
	for _, m := range beginsCommand.FindAllStringSubmatchIndex(text, -1) {
		if words := shellWordsOf(text[m[2]:]); len(words) > 1 && names[words[1]] && !strings.Contains(strings.Join(words, " "), "|--") && // no synopsis
			!notTypedTexts.MatchString(text[m[2]:m[1]]) {
			all = append(all, words)
		}
	}
	return all
}

var beginsCommand = regexp.MustCompile("(?m)(?:^|[\\s(\"`#:])(vperf [a-z].*)$")

// shellWordsOf reads words as a shell does, up to the end of the line or of the clause.
func shellWordsOf(line string) (words []string) {
	line, _, _ = strings.Cut(line, "\n")
	var word strings.Builder
	in, quoted, begun := false, false, false // quoted: the last byte
	end := func() (last bool) {
		text := word.String()
		if trimmed := strings.TrimRight(text, ";:,.)`\""); !quoted && trimmed != text {
			text, last = trimmed, true
		}
		if text != "" || begun {
			words = append(words, text)
		}
		word.Reset()
		quoted, begun = false, false
		return last
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			in, quoted, begun = !in, true, true
		case c == '\\' && !in && i+1 < len(line):
			i++
			word.WriteByte(line[i])
		case c == ' ' && !in:
			if end() || strings.HasPrefix(line[i:], "  ") {
				return words
			}
		default:
			word.WriteByte(c)
			quoted, begun = in, true
		}
	}
	end()
	return words
}

// checks parses a command, compares its source with the origin, and returns its path.
func (o origin) checks(t *testing.T, by, words []string) string {
	t.Helper()
	streams, _, _ := iostreams.Test()
	c, rest, err := newRoot(NewFactory(streams)).Find(words[1:])
	require.NoError(t, err, "%q is printed by %q", words, by)
	said := strings.Join(words, " ")
	if slices.Contains(rest, "--help") {
		return c.CommandPath()
	}
	require.True(t, c.Runnable() && !c.HasSubCommands(), "%q is printed by %q and is no command", said, by)
	require.NoError(t, c.ParseFlags(clauseOf(c, rest)), "%q is printed by %q", said, by)
	got, path := sourceOf(c), strings.TrimPrefix(c.CommandPath(), "vperf ")
	if c.Flags().Lookup("context") == nil {
		return c.CommandPath()
	}
	asked := newRootFor(t, []string{"audit"})
	require.NoError(t, asked.ParseFlags(o.args))
	want := sourceOf(asked)
	accepted := []string{want.Command(strings.Fields(path)...)}
	if newRootFor(t, by).Flags().Lookup("context") == nil {
		accepted = append(accepted, typed.Source{}.Command(strings.Fields(path)...)) // it has no source
	}
	if o.also != nil {
		accepted = append(accepted, typed.Source{Server: o.also}.Command(strings.Fields(path)...))
	}
	require.Contains(t, accepted, got.Command(strings.Fields(path)...), "%q is printed by %q, and names another source", said, by)
	return c.CommandPath()
}

// clauseOf cuts the words of a command before the first that belongs to the sentence around it.
func clauseOf(c *cobra.Command, rest []string) []string {
	for i := 0; i < len(rest); i++ {
		name, isLong := strings.CutPrefix(rest[i], "--")
		name, _, given := strings.Cut(name, "=")
		flag := c.Flags().Lookup(name)
		switch {
		case isLong:
		case strings.HasPrefix(rest[i], "-") && len(rest[i]) == 2:
			flag = c.Flags().ShorthandLookup(rest[i][1:])
		case sentenceWord.MatchString(rest[i]):
			return rest[:i]
		}
		if flag != nil && flag.NoOptDefVal == "" && !given {
			i++ // its value
		}
	}
	return rest
}

// sentenceWord matches words that are no hosts, rules or placeholders.
var sentenceWord = regexp.MustCompile(`^[a-z]+$`)

// TestTypedKnowsTheSourcesOfAllCommands compares the table of typed.Source.Command with the flags.
func TestTypedKnowsTheSourcesOfAllCommands(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		if c.Hidden || c.HasParent() && !c.Runnable() {
			return
		}
		want := ""
		if c.Flags().Lookup("demo") != nil {
			want += " --demo"
		}
		if flag := c.Flags().Lookup("from"); flag != nil && !flag.Hidden {
			want += " --from x"
		}
		if c.Flags().Lookup("capture") != nil {
			want += " --capture y"
		}
		words := strings.Fields(c.CommandPath())[1:]
		if len(words) == 0 {
			return
		}
		got := typed.Source{Server: []string{"--demo"}, Files: [][2]string{{"from", "x"}, {"capture", "y"}}}.Command(words...)
		require.Equal(t, c.CommandPath()+want, got)
	}
	walk(newRootFor(t, nil))

	// Each flag that addFlags adds is one of the source.
	c := new(cobra.Command)
	new(sourceOptions).addFlags(c, true)
	for _, m := range regexp.MustCompile(`(?m)^ +(?:-\w, )?   *--([a-z-]+)|^ +-\w, --([a-z-]+)`).FindAllStringSubmatch(c.Flags().FlagUsages(), -1) {
		require.Contains(t, sourceFlags, m[1]+m[2])
	}
}

// TestPrintedURLsHaveNoPassword: -u refuses one, and no message repeats it.
func TestPrintedURLsHaveNoPassword(t *testing.T) {
	c := newRootFor(t, []string{"audit"})
	require.NoError(t, c.ParseFlags([]string{"--url", "https://me:hush@vc.example.com", "--insecure=false", "--context", "a,b", "--from", "-"}))
	require.Equal(t, "vperf audit --context 'a,b' --url https://me@vc.example.com/sdk --insecure=false --from FILE", sourceOf(c).Command("audit"))
}

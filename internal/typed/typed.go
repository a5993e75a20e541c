// Package typed builds every command that vperf prints for its users to type. Such a command repeats the source of the invocation that
// printed it, so that it never reads or changes another server.
package typed

import (
	"context"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
)

// Source is the source of an invocation, as arguments. The zero value is the server of the environment or of the current context,
// which a command in the same shell gets without arguments.
type Source struct {
	Server []string    // name a server and its account: --demo, --context, --url and the flags beside them
	Files  [][2]string // flags that name files, with their values
}

// takes has the commands that read a server, with the flags by which they read files instead. A test compares it with the flags of
// the commands.
var takes = map[string][]string{
	"audit": {"from"}, "advise": {"from", "capture"}, "report": {"from", "capture"}, "snapshot": {"from"}, "mcp": {"from"},
	"diff": {}, "probe": {}, "top": {}, "doctor": {}, "exporter": {}, "exporter history": {}, "exporter plan": {},
	"plan": {}, "apply": {}, "rollback": {}, "history verify": {}, "history effect": {}, "trial plan": {}, "trial run": {}, "trial resume": {},
}

// Command returns a command as a shell reads it: its words after vperf, and the source, if the command has one. Where the source is a
// file and the command needs a server, the user has to name it: the one that a shell happens to be set up for may be another.
func (s Source) Command(words ...string) string {
	all := append([]string{"vperf"}, words...)
	files, ok := takes[strings.Join(words[:min(2, len(words))], " ")]
	if !ok && !slices.Equal(words[:min(2, len(words))], []string{"probe", "show"}) {
		files, ok = takes[words[0]]
	}
	if !ok {
		return Words(all...)
	}
	all = append(all, s.Server...)
	for _, f := range s.Files {
		if slices.Contains(files, f[0]) {
			all = append(all, "--"+f[0], f[1])
		}
	}
	if len(all) == 1+len(words) && len(s.Files) > 0 {
		all = append(all, "--context", "CONTEXT")
	}
	return Words(all...)
}

// Words joins the words of a command as a shell reads them. A comma is quoted, too: PowerShell would make two words of one.
func Words(words ...string) string {
	all := make([]string, len(words))
	for i, w := range words {
		if all[i] = iostreams.Shown(w); all[i] == w && strings.Contains(w, ",") {
			all[i] = "'" + w + "'"
		}
	}
	return strings.Join(all, " ")
}

// Or returns the source, or the server that arguments name if the source has none: for readers in another shell than that of the
// invocation.
func (s Source) Or(server ...string) Source {
	if len(s.Server)+len(s.Files) == 0 {
		s.Server = server
	}
	return s
}

type contextKey struct{}

// With returns ctx with the source of this invocation, for code that has no other way to know it.
func With(ctx context.Context, s Source) context.Context {
	return context.WithValue(ctx, contextKey{}, s)
}

// Of returns the source that With put into ctx.
func Of(ctx context.Context) Source {
	s, _ := ctx.Value(contextKey{}).(Source)
	return s
}

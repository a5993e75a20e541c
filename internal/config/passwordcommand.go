package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// commandTimeout is long enough to touch a key, and short enough for a job that nobody watches.
var commandTimeout = 30 * time.Second

// passwordCommand runs a program that prints the password. It is named by its first word alone: the others may hold
// what opens the vault.
func passwordCommand(line, from string) source {
	return source{
		from: from + ": password command",
		get: func(ctx context.Context, _ *Settings, _ *Console) (session.Secret, error) {
			return runForPassword(ctx, line)
		},
		quiet: func(context.Context, *Settings) error { _, err := splitWords(line); return err },
	}
}

// runForPassword runs the words as they are, with no shell between that would make something of them.
func runForPassword(ctx context.Context, line string) (session.Secret, error) {
	words, err := splitWords(line)
	if err != nil {
		return "", fmt.Errorf("the command %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	var stdout, stderr limitedBuffer
	cmd := exec.CommandContext(limited, words[0], words[1:]...) //nolint:gosec // running the user's own command is the point
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second // its children may hold the pipes open
	if err := cmd.Run(); err != nil {
		if limited.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("no answer within %v", commandTimeout)
		}
		return "", fmt.Errorf("%s: %w%s", words[0], err, complaint(&stdout, &stderr))
	}
	p, err := FirstLine(bytes.NewReader(stdout.kept.Bytes()))
	if err != nil {
		return "", fmt.Errorf("what %s printed %w%s", words[0], err, complaint(&stdout, &stderr))
	}
	return p, nil
}

// complaint is what the command said on stderr, without any line of what it printed: some tools print a password twice.
func complaint(stdout, stderr *limitedBuffer) string {
	text := stderr.kept.String()
	for line := range strings.Lines(stdout.kept.String()) {
		if line = strings.TrimSpace(line); line != "" {
			text = strings.ReplaceAll(text, line, session.Secret(line).String())
		}
	}
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "\n" + text
}

// limitedBuffer keeps the beginning of what is written and swallows the rest: a command that prints without end must
// neither fill the memory nor be stopped by a full pipe.
type limitedBuffer struct{ kept bytes.Buffer }

// Write keeps at most twice what a password may have.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if room := 2*longestPassword - b.kept.Len(); room > 0 {
		b.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// shellOnly are characters that mean something to a shell, which is not there to understand them.
const shellOnly = "|&;<>()*"

// words is a command line being taken apart.
type words struct {
	done  []string
	word  strings.Builder
	begun bool // a word may be empty: ''
	plain bool // nothing of it was quoted
	quote rune // the open quote, or 0
}

// splitWords takes a command line apart as a shell does: blanks separate words, quotes and backslashes keep them
// together. What only a shell could do is refused, not handed to the program as text. Its errors continue a sentence
// about the command, and quote nothing of it.
func splitWords(line string) ([]string, error) {
	w := words{plain: true}
	escaped := false
	for _, r := range line {
		if escaped {
			w.escape(r)
			escaped = false
			continue
		}
		if r == '\\' && w.quote != '\'' {
			escaped = true
			continue
		}
		if err := w.add(r); err != nil {
			return nil, err
		}
	}
	if escaped || w.quote != 0 {
		return nil, errors.New("ends inside quotes or behind a backslash: close them")
	}
	w.end()
	if len(w.done) == 0 || w.done[0] == "" {
		return nil, errors.New("is empty: want a program and its arguments")
	}
	return w.done, nil
}

func (w *words) add(r rune) error {
	switch {
	case w.quote != 0 && r == w.quote:
		w.quote = 0
	case w.quote == '\'':
		w.word.WriteRune(r)
	case strings.ContainsRune("`$", r), w.quote == 0 && strings.ContainsRune(shellOnly, r):
		return fmt.Errorf("has %c outside single quotes, but no shell runs it: put it in single quotes, or write sh -c '…'", r)
	case w.quote != 0:
		w.word.WriteRune(r)
	case r == '\'', r == '"':
		w.quote, w.begun, w.plain = r, true, false
	case r == ' ', r == '\t', r == '\n':
		w.end()
	default:
		w.word.WriteRune(r)
		w.begun = true
	}
	return nil
}

// escape adds what stood behind a backslash. In double quotes it keeps its meaning only before what it could protect.
func (w *words) escape(r rune) {
	if w.quote == '"' && !strings.ContainsRune("\"\\$`", r) {
		w.word.WriteRune('\\')
	}
	w.word.WriteRune(r)
	w.begun, w.plain = true, false
}

// end closes a word, if one has begun.
func (w *words) end() {
	word := w.word.String()
	if w.plain {
		word = expandHome(word)
	}
	if w.begun {
		w.done = append(w.done, word)
	}
	w.word.Reset()
	w.begun, w.plain = false, true
}

package config

import (
	"bytes"
	"context"
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

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

// commandTimeout is long enough to touch a security key, and short enough for an unattended job.
var commandTimeout = 30 * time.Second

// passwordCommand runs a program that prints the password. Errors contain only its first word: the arguments may
// contain secrets.
func passwordCommand(line, from string) source {
	return source{
		from: from + ": password command",
		get: func(ctx context.Context, _ *Settings, _ *Console) (session.Secret, error) {
			return runForPassword(ctx, line)
		},
		quiet: func(context.Context, *Settings) error { _, err := splitWords(line); return err },
	}
}

// runForPassword runs the words without a shell, so that nothing in them is expanded.
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
		return "", fmt.Errorf("the output of %s %w%s", words[0], err, complaint(&stdout, &stderr))
	}
	return p, nil
}

// complaint returns the command's stderr, without lines that are also in its output: some tools print a password twice.
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

// limitedBuffer keeps the beginning of its input and drops the rest: a command that prints without end must neither
// fill the memory nor block on a full pipe.
type limitedBuffer struct{ kept bytes.Buffer }

// Write keeps at most twice the length of a password.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if room := 2*longestPassword - b.kept.Len(); room > 0 {
		b.kept.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

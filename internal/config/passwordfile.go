package config

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// longestPassword prevents sending the content of a wrong file to a server.
const longestPassword = 4096

func passwordFile(path, from string) source {
	if path == "-" {
		return source{
			from: from,
			get: func(ctx context.Context, _ *Settings, c *Console) (session.Secret, error) {
				return userfile.Await(ctx, c.firstLine)
			},
			quiet: func(context.Context, *Settings) error { return nil },
		}
	}
	path = expandHome(path)
	read := func(ctx context.Context) (session.Secret, error) {
		return userfile.Await(ctx, func() (session.Secret, error) { return readPassword(path) }) // it may be a pipe
	}
	return source{
		from:  from + ": " + path,
		get:   func(ctx context.Context, _ *Settings, _ *Console) (session.Secret, error) { return read(ctx) },
		quiet: func(ctx context.Context, _ *Settings) error { _, err := read(ctx); return err },
	}
}

// firstLine reads standard input once.
func (c *Console) firstLine() (session.Secret, error) {
	if c.line != "" {
		return c.line, nil
	}
	p, err := FirstLine(c.In)
	if err != nil {
		return "", fmt.Errorf("standard input %w", err)
	}
	c.line = p
	return p, nil
}

func readPassword(path string) (session.Secret, error) {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return "", plainPathError(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return "", plainPathError(err)
	}
	if err := userfile.Allows(path, info, userfile.OthersRead); err != nil {
		return "", err
	}
	p, err := FirstLine(file)
	if err != nil {
		return "", fmt.Errorf("the file %w", plainPathError(err))
	}
	return p, nil
}

// plainPathError returns an error without its path, which the caller adds.
func plainPathError(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// FirstLine reads a password: the first line, without its end. Its errors are for use after a text that names the
// place.
func FirstLine(r io.Reader) (session.Secret, error) {
	var read bytes.Buffer
	line, err := bufio.NewReader(userfile.Text(io.TeeReader(io.LimitReader(r, longestPassword+1), &read))).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("cannot be read: %w", err)
	}
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	switch {
	case line == "":
		return "", errors.New("has no password in its first line")
	case len(line) >= longestPassword:
		return "", fmt.Errorf("has a first line of more than %d bytes: this is not a password", longestPassword)
	case strings.ContainsRune(line, 0):
		return "", errors.New("is not text")
	}
	if at := strings.IndexFunc(line, func(r rune) bool { return iostreams.ControlsText(r) || r == '\t' || r == '\r' }); at >= 0 {
		if bytes.HasPrefix(read.Bytes(), []byte("\ufeff")) {
			at += len("\ufeff")
		}
		return "", fmt.Errorf("cannot be read: byte %d begins a control character or an invisible one, which nobody types: remove it", at+1)
	}
	return session.Secret(line), nil
}

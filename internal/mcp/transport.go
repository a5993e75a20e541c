package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// transport carries one message a line, as the SDK's transport does, which ends at the first line that is no message. This one answers
// such a line with an error, and goes on.
type transport struct {
	sdk.Connection

	in      io.ReadCloser
	lines   *bufio.Reader // of in
	out     io.WriteCloser
	writing sync.Mutex
	line    []byte // the rest of the current line
}

// inputError is an error of reading the input, which ends the server.
type inputError struct{ error }

// Connect implements sdk.Transport.
func (t *transport) Connect(ctx context.Context) (conn sdk.Connection, err error) {
	lines := &sdk.IOTransport{Reader: &lineReader{t}, Writer: &lineWriter{t}, MaxLineLength: -1} // lineReader has the limit
	t.Connection, err = lines.Connect(ctx)
	return t, err
}

// Read returns the next message. It answers JSON that is no message with an error.
func (t *transport) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := t.Connection.Read(ctx)
		if err == nil || ctx.Err() != nil || errors.Is(err, io.EOF) || errors.As(err, new(inputError)) {
			return m, err
		}
		if err := t.refuse(jsonrpc.CodeInvalidRequest, cleanError(err.Error())); err != nil {
			return nil, err
		}
	}
}

// Write writes a message. The SDK makes the data of an error with Go's quotes, which JSON does not have for all characters.
func (t *transport) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		if e, ok := errors.AsType[*jsonrpc.Error](r.Error); ok && !json.Valid(e.Data) {
			m = &jsonrpc.Response{ID: r.ID, Error: &jsonrpc.Error{Code: e.Code, Message: e.Message}}
		}
	}
	return t.Connection.Write(ctx, m)
}

// refuse answers a line that has no id.
func (t *transport) refuse(code int, why string) error {
	text, err := json.Marshal(why)
	if err == nil {
		_, err = fmt.Fprintf(&lineWriter{t}, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`+"\n", code, text)
	}
	return err
}

// next reads the next line that is JSON.
func (t *transport) next() error {
	for {
		line, long := t.line[:0], false
		for more := true; more; {
			part, err := t.lines.ReadSlice('\n')
			if more = errors.Is(err, bufio.ErrBufferFull); err != nil && !more && (len(part)+len(line) == 0 || !errors.Is(err, io.EOF)) {
				return err
			}
			if long = long || len(line)+len(part) > longestLine; !long {
				line = append(line, part...)
			}
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		code, why := int(jsonrpc.CodeParseError), "parse error: a line is not JSON; write each message in a line of its own"
		switch {
		case long:
			code, why = jsonrpc.CodeInvalidRequest, fmt.Sprintf("a line has more than %d bytes", longestLine)
		case len(line) == 0:
			continue
		case json.Valid(line):
			line = append(line, '\n')
			t.line = line
			return nil
		}
		if err := t.refuse(code, why); err != nil {
			return err
		}
	}
}

type lineReader struct{ of *transport }

// Read reads from lines that are JSON.
func (r *lineReader) Read(p []byte) (n int, err error) {
	if len(r.of.line) == 0 {
		if err := r.of.next(); errors.Is(err, io.EOF) {
			return 0, io.EOF
		} else if err != nil {
			return 0, inputError{err}
		}
	}
	n = copy(p, r.of.line)
	r.of.line = r.of.line[n:]
	return n, nil
}

// Close closes the input.
func (r *lineReader) Close() error { return r.of.in.Close() }

type lineWriter struct{ of *transport }

// Write writes a whole line: answers and refusals come from several goroutines.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.of.writing.Lock()
	defer w.of.writing.Unlock()
	return w.of.out.Write(p)
}

// Close closes the output.
func (w *lineWriter) Close() error { return w.of.out.Close() }

package iostreams

import (
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
)

// output is a file that remembers its first failed write, so that a renderer of
// a hundred Fprintf calls need not check each one and a full disk is still no
// success. It stays a file to those who look for one (a TUI asks for Fd).
type output struct {
	*os.File

	mu  sync.Mutex
	err error
}

// Write writes to the file unless an earlier write failed: half a result with a
// hole in it is worse than half a result.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.File.Write(p)
	o.err = err
	return n, err
}

// WriteString, like ReadFrom, keeps the file's own shortcut from going round Write.
func (o *output) WriteString(s string) (int, error) { return o.Write([]byte(s)) }

// ReadFrom copies r by way of Write.
func (o *output) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{o}, r)
}

func (o *output) writeError() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// messages is the file of messages. If its reader has gone, that is no failure: a command that showed the first of its messages would
// end there, with success, and do nothing.
type messages struct{ *os.File }

// Write writes to the file.
func (m messages) Write(p []byte) (int, error) {
	n, err := m.File.Write(p)
	if IsBrokenPipe(err) {
		return len(p), nil
	}
	return n, err
}

// WriteString keeps the file's own from going round Write.
func (m messages) WriteString(s string) (int, error) { return m.Write([]byte(s)) }

// ReadFrom copies r by way of Write.
func (m messages) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{m}, r)
}

// Windows error codes of a pipe whose reader has closed it; syscall does not name both.
const (
	errPipeBroken  = syscall.Errno(109)
	errPipeClosing = syscall.Errno(232)
)

// IsBrokenPipe reports whether err means that the reader of a pipe has closed it,
// as in `vperf audit | head`. This is not a failure, and no reader would see one.
func IsBrokenPipe(err error) bool {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return true
	}
	return runtime.GOOS == "windows" &&
		(errors.Is(err, errPipeBroken) || errors.Is(err, errPipeClosing))
}

package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Limits of a file. Larger files are not from esxtop, and would be kept in memory completely.
const (
	longestLine  = 64 << 20
	longestField = 64 << 10
	mostJunk     = 1 << 20 // before the header
)

// csvLines reads lines into one buffer that it reuses.
type csvLines struct {
	r       io.Reader
	buf     []byte
	at, end int   // the data that was read and not returned yet
	base    int64 // where in the file the buffer begins
	err     error // of the last read
	cr      bool  // lines end with CR alone
	sep     byte  // between fields
	line    int   // the number of the line that was given last
}

func newCSVLines(r io.Reader, base int64) *csvLines {
	return &csvLines{r: r, base: base, sep: ',', buf: make([]byte, 256<<10)}
}

func (l *csvLines) offset() int64 { return l.base + int64(l.at) }

// fill reads more; io.EOF when there is none.
func (l *csvLines) fill() error {
	if l.err != nil {
		return l.err
	}
	if l.at > 0 {
		copy(l.buf, l.buf[l.at:l.end])
		l.base += int64(l.at)
		l.end -= l.at
		l.at = 0
	}
	if l.end == len(l.buf) {
		if l.end >= longestLine {
			return fmt.Errorf("line %d is longer than %d MiB: this is no batch file of esxtop", l.line+1, longestLine>>20)
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	for range 100 {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		l.err = err // returned after the data that came with it
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// find returns the position of one of the bytes, at least ahead bytes from here; -1 at the end of the file.
func (l *csvLines) find(ahead int, ends string) (int, error) {
	for {
		rest := l.buf[l.at+ahead : l.end]
		var i int
		if len(ends) == 1 {
			i = bytes.IndexByte(rest, ends[0])
		} else {
			i = bytes.IndexAny(rest, ends)
		}
		if i >= 0 {
			return ahead + i, nil
		}
		ahead = l.end - l.at
		switch err := l.fill(); {
		case errors.Is(err, io.EOF):
			return -1, nil
		case err != nil:
			return -1, err
		}
	}
}

// next returns the next line without its end, and whether it had an end. The line is valid until the next call.
func (l *csvLines) next() (line []byte, ended bool, err error) {
	ends := "\n"
	if l.cr {
		ends = "\r"
	}
	n, err := l.find(0, ends)
	for range 2 { // old builds have a line end in the time stamp
		if err != nil || n < 0 {
			break
		}
		more := -1
		if l.unfinishedStamp(l.buf[l.at : l.at+n]) {
			more, err = l.find(n+1, ends)
		}
		if more < 0 || !l.continuesStamp(l.buf[l.at:l.at+n], l.buf[l.at+n+1:l.at+more]) {
			break
		}
		n = more
	}
	if err != nil {
		return nil, false, err
	}
	if ended = n >= 0; !ended {
		if n = l.end - l.at; n == 0 {
			return nil, false, io.EOF
		}
	}
	line = l.buf[l.at : l.at+n]
	l.at = min(l.at+n+1, l.end)
	l.line++
	return bytes.TrimRight(line, "\r\n"), ended, nil
}

// unfinishedStamp reports whether a line might be the first part of a time stamp.
func (l *csvLines) unfinishedStamp(line []byte) bool {
	return len(line) < 40 && bytes.IndexByte(line, l.sep) < 0 && startsLikeStamp(line)
}

// continuesStamp reports whether the line after one is the rest of its stamp.
func (l *csvLines) continuesStamp(line, next []byte) bool {
	quoted := len(line) > 0 && line[0] == '"'
	if quoted && bytes.Count(line, []byte{'"'}) == 1 {
		return len(next) > 0 && next[0] != '"' || bytes.HasPrefix(next, []byte{'"', l.sep})
	}
	return len(next) > 0 && next[0] == l.sep
}

// startsLikeStamp reports whether a text begins as a row does.
func startsLikeStamp(b []byte) bool {
	b = bytes.TrimLeft(b, `" `)
	digits := len(b) - len(bytes.TrimLeft(b, "0123456789"))
	return digits > 0 && digits <= 4 && digits < len(b) && bytes.IndexByte([]byte("/:-."), b[digits]) >= 0
}

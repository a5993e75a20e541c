package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

const csvTag = "(PDH-CSV"

// csvHeader is the first record of a file.
type csvHeader struct {
	fields []headerField
	bias   time.Duration // from its stamps to UTC
	cut    bool          // it ends within a field
	junk   bool          // there was other text before it
	bare   bool          // it has no tag: the time zone is unknown
	sep    byte          // between fields: a semicolon where commas are decimal, or a tab
}

// separators are the field separators in files that other programs have saved.
const separators = ",;\t"

// header reads up to the end of the header, skipping any text before it.
func (l *csvLines) header() (*csvHeader, error) {
	h := &csvHeader{}
	if err := l.findHeader(h); err != nil {
		return nil, err
	}
	for {
		used, done, err := h.parse(l.buf[l.at:l.end], l.err != nil)
		if err != nil {
			return nil, err
		}
		if done {
			record := l.buf[l.at : l.at+used]
			l.cr = bytes.HasSuffix(record, []byte("\r"))
			l.line += max(1, bytes.Count(record, []byte("\n")))
			l.sep = h.sep
			l.at += used
			return h, nil
		}
		if err := l.fillLine(); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
}

// findHeader moves to the beginning of the header.
func (l *csvLines) findHeader(h *csvHeader) error {
	start, skipped := "", 0
	for {
		n, err := l.find(0, "\r\n")
		if err != nil {
			return err
		}
		if n < 0 {
			n = l.end - l.at
		}
		line := l.buf[l.at : l.at+n]
		if start == "" && n > 0 {
			start = string(l.buf[l.at:min(l.at+sniffed, l.end)])
		}
		if tag := bytes.Index(line, []byte(csvTag)); tag >= 0 {
			h.junk = h.junk || !onlyMarks(line[:tag])
			l.at += tag
			return nil
		}
		if h.bare = namesColumns(line); h.bare {
			return nil
		}
		skipped += n + 1
		if l.at+n >= l.end || skipped > mostJunk {
			return noHeader(start)
		}
		h.junk = h.junk || n > 0
		l.at += n + 1
		l.line++
	}
}

// fillLine reads until the new data has the end of a line: headers are megabytes long, and pipes deliver small pieces.
func (l *csvLines) fillLine() error {
	for {
		had := l.end - l.at
		err := l.fill()
		if err != nil || bytes.ContainsAny(l.buf[l.at+had:l.end], "\r\n") {
			return err
		}
	}
}

// onlyMarks reports whether there is only a quote and the byte order mark that some editors write first.
func onlyMarks(b []byte) bool { return strings.Trim(string(b), "\"\ufeff ") == "" }

// namesColumns reports whether a line is a header without its tag.
func namesColumns(line []byte) bool {
	for _, sep := range separators {
		if bytes.Contains(line, []byte(string(sep)+`"\\`)) || bytes.Contains(line, []byte(string(sep)+`\\`)) {
			return true
		}
	}
	return false
}

func noHeader(start string) error {
	if start == "" {
		return errors.New("the file is empty")
	}
	if known := notCapture(start); known != "" {
		return errors.New(known)
	}
	firstLine, _, _ := strings.Cut(strings.ReplaceAll(start, "\r", "\n"), "\n")
	return fmt.Errorf(`no header: the first line of esxtop's batch output begins with "%s 4.0)" and names the columns; this file begins with %q`,
		csvTag, firstLine[:min(len(firstLine), 60)])
}

// parse parses the header. done is false if more of the file is needed.
func (h *csvHeader) parse(b []byte, all bool) (used int, done bool, err error) {
	h.fields, h.cut, h.sep = h.fields[:0], false, ','
	i := bytes.IndexAny(b, separators+"\r\n")
	if i < 0 {
		if i = len(b); !all {
			return 0, false, nil
		}
	}
	h.fields = append(h.fields, headerField{})
	h.bias = zoneBias(string(b[:i]))
	if i < len(b) && strings.IndexByte(separators, b[i]) >= 0 {
		h.sep = b[i]
	}
	if i, done, err = h.parseFields(b, i, all); !done {
		return 0, false, err
	}
	h.dropLast()
	end := lineEnd(b[i:])
	if !all && (i == len(b) || end == 1 && b[i] == '\r' && i+1 == len(b)) {
		return 0, false, nil // a line feed may follow
	}
	return i + end, true, nil
}

// parseFields parses the fields after the first one, which ends at i, and returns the end of the last one. done is
// false if a field continues after the data that was read.
func (h *csvHeader) parseFields(b []byte, i int, all bool) (end int, done bool, err error) {
	for i < len(b) && b[i] == h.sep {
		begin := i + 1
		f, end, ok := h.field(b, begin)
		if !ok && !all {
			return 0, false, nil
		}
		if end-begin > longestField {
			return 0, false, fmt.Errorf("field %d of the header is longer than %d KiB: this is no batch file of esxtop",
				len(h.fields)+1, longestField>>10)
		}
		h.fields = append(h.fields, f)
		i = end
	}
	return i, true, nil
}

// dropLast removes an invalid last field: one that was cut off, or an empty one after the comma at the end of esxtop's
// lines.
func (h *csvHeader) dropLast() {
	last := len(h.fields) - 1
	switch {
	case h.cut:
		h.fields[last] = headerField{leak: h.fields[last].leak}
	case last > 0 && h.fields[last] == (headerField{}):
		h.fields = h.fields[:last]
	}
}

// lineEnd returns the length of the line end at the beginning of a text.
func lineEnd(b []byte) int {
	if bytes.HasPrefix(b, []byte("\r\n")) {
		return 2
	}
	return min(len(b), 1)
}

// field parses the field that begins at i, and returns the position of its separator or line end. ok is false if the
// text ends before the field does.
func (h *csvHeader) field(b []byte, i int) (f headerField, end int, ok bool) {
	n := bytes.IndexAny(b[i:], "\"\r\n"+string(rune(h.sep)))
	if n < 0 {
		h.cut = bytes.Contains(b[i:], []byte(`\\`)) && bytes.Count(b[i:], []byte(`\`)) < 4
		return bareField(b[i:]), len(b), false
	}
	bare := b[i : i+n]
	i += n
	if b[i] != '"' {
		return bareField(bare), i, true
	}
	i++
	if i < len(b) && h.endsField(b[i]) {
		return bareField(bare), i, true // its first quote is lost
	}
	f.text, end, ok = h.quotedText(b, i)
	f.leak = len(bytes.TrimSpace(bare)) > 0 // 6.5 forgets a quote and a comma
	return f, end, ok
}

// quotedText parses the rest of a field after its first quote, like field. It returns no text if the field is cut off.
func (h *csvHeader) quotedText(b []byte, i int) (s string, end int, ok bool) {
	var text []byte
	for {
		n := bytes.IndexAny(b[i:], "\"\r\n")
		if n < 0 {
			h.cut = true
			return "", len(b), false
		}
		text = append(text, b[i:i+n]...)
		i += n
		if b[i] != '"' {
			if h.startsRow(b[i+1:]) {
				h.cut = true // the next line is a row
				return "", i, true
			}
			text = append(text, b[i])
			i++
			continue
		}
		after := i + 1 + len(b[i+1:]) - len(bytes.TrimLeft(b[i+1:], " "))
		if after == len(b) || h.endsField(b[after]) {
			return string(text), after, after < len(b)
		}
		if b[i+1] == '"' {
			i++ // two are one
		}
		text = append(text, '"') // esxtop doubles none in names
		i++
	}
}

func (h *csvHeader) endsField(c byte) bool { return c == h.sep || c == '\r' || c == '\n' }

// startsRow reports whether a row begins here: with a time and another field.
func (h *csvHeader) startsRow(b []byte) bool {
	stamp, _, ok := bytes.Cut(b[:min(len(b), 60)], []byte{h.sep})
	_, is := parseStamp(strings.Trim(string(stamp), "\" "), false)
	return ok && is
}

// bareField parses a field without quotes: Excel's, or the one that 6.5 leaks.
func bareField(b []byte) headerField {
	text := strings.TrimSpace(string(b))
	if strings.Trim(text, "-") == "" && text != "" {
		return headerField{leak: true}
	}
	return headerField{text: text}
}

// zoneBias parses (PDH-CSV 4.0) (zone)(minutes).
func zoneBias(s string) time.Duration {
	s = strings.TrimRight(s, "\" ")
	open := strings.LastIndexByte(s, '(')
	if open < 0 || !strings.HasSuffix(s, ")") {
		return 0
	}
	minutes, err := strconv.Atoi(s[open+1 : len(s)-1])
	if err != nil || minutes < -24*60 || minutes > 24*60 {
		return 0
	}
	return time.Duration(minutes) * time.Minute
}

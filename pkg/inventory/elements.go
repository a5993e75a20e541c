package inventory

import (
	"bytes"
	"io"
)

// elements splits a JSON list into its objects. It looks only for their ends, which takes a quarter of the time of a json.Decoder.
type elements struct {
	from  io.Reader
	space []byte // for text
	text  []byte // read, and not taken yet
	err   error  // of reading

	taken  int   // the number of objects
	passed int64 // the length of their text
}

// next returns the text of the next object, and its length with the comma and the space before it; nil if the list ends, or if
// anything else follows. The text is valid until the next call.
func (e *elements) next() (object []byte, length int) {
	for {
		p := parser{text: e.text}
		if e.taken > 0 {
			p.take(',')
		}
		p.space()
		if p.at < len(e.text) {
			if e.text[p.at] != '{' {
				return nil, 0
			}
			if n := extent(e.text[p.at:]); n > 0 {
				return e.text[p.at : p.at+n], p.at + n
			}
		}
		if e.err != nil {
			return nil, 0
		}
		e.read()
	}
}

// take drops the object that next has returned.
func (e *elements) take(length int) {
	e.text = e.text[length:]
	e.taken++
	e.passed += int64(length)
}

// read reads more text. A text that fills its space moves to twice the space, so that the end of a large object is not searched too
// often.
func (e *elements) read() {
	const least = 128 << 10
	n := len(e.text)
	if 2*n > len(e.space) || e.space == nil {
		space := make([]byte, max(least, 4*n))
		copy(space, e.text)
		e.space = space
	} else {
		copy(e.space, e.text)
	}
	more, err := e.from.Read(e.space[n:])
	e.text, e.err = e.space[:n+more], err
}

// rest returns a reader of what has not been taken.
func (e *elements) rest() io.Reader {
	return io.MultiReader(bytes.NewReader(e.text), &failing{e.from, e.err})
}

// failing is a reader that has failed, unless err is nil.
type failing struct {
	io.Reader

	err error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.Reader.Read(p)
}

// Package iostreams owns the three standard streams and their properties:
// whether a stream is a terminal, how wide it is and whether to use colour.
// Commands print through an IO and tests read their output.
//
// Results go to Out, everything else to Err. Untrusted text, such as the name
// of a VM, goes through Sanitize before a terminal gets it.
package iostreams

import (
	"bytes"
	"io"
	"os"

	"golang.org/x/term"
)

// IO is a program's streams. Use System or Test to make one.
type IO struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	inTTY, outTTY, errTTY bool
	noProgress            bool
	// The widths are asked for at each use, because people resize windows.
	outWidth, errWidth func() int

	colour colourMode
	getenv func(string) string
}

// System is the streams of this process.
func System() *IO {
	return &IO{
		In:       os.Stdin,
		Out:      &output{File: os.Stdout},
		Err:      messages{os.Stderr},
		inTTY:    isTerminal(os.Stdin),
		outTTY:   isTerminal(os.Stdout),
		errTTY:   isTerminal(os.Stderr),
		outWidth: widthOf(os.Stdout),
		errWidth: widthOf(os.Stderr),
		getenv:   os.Getenv,
	}
}

// Test returns an in-memory counterpart of System: an empty In, buffers for Out
// and Err, no terminal, no environment. SetTTY, SetWidth and SetEnv add those.
func Test() (streams *IO, out, err *bytes.Buffer) {
	out, err = &bytes.Buffer{}, &bytes.Buffer{}
	streams = &IO{In: &bytes.Buffer{}, Out: out, Err: err}
	streams.SetWidth(0)
	streams.SetEnv(nil)
	return streams, out, err
}

// MessagesOnly returns streams that have no input, drop results, and show messages without progress: for work in a program whose
// standard input and output carry a protocol.
func (s *IO) MessagesOnly() *IO {
	only := &IO{In: bytes.NewReader(nil), Out: io.Discard, Err: s.Err, noProgress: true}
	only.SetWidth(0)
	only.SetEnv(nil)
	return only
}

// SetTTY declares which streams are terminals.
func (s *IO) SetTTY(in, out, err bool) { s.inTTY, s.outTTY, s.errTTY = in, out, err }

// SetWidth fixes the width of the terminals.
func (s *IO) SetWidth(columns int) {
	fixed := func() int { return columns }
	s.outWidth, s.errWidth = fixed, fixed
}

// SetEnv replaces the environment that decides about colour.
func (s *IO) SetEnv(env map[string]string) {
	s.getenv = func(key string) string { return env[key] }
}

// InTTY reports whether a person can answer a question on In.
func (s *IO) InTTY() bool { return s.inTTY }

// OutTTY reports whether results go to a terminal, not to a file or a pipe.
func (s *IO) OutTTY() bool { return s.outTTY }

// ErrTTY reports whether messages go to a terminal.
func (s *IO) ErrTTY() bool { return s.errTTY }

// Width is the number of columns results may take; 0 means no limit, because
// Out is not a terminal (a pipe's reader wants whole lines) or will not say.
func (s *IO) Width() int {
	if !s.outTTY {
		return 0
	}
	return s.outWidth()
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func widthOf(f *os.File) func() int {
	return func() int {
		columns, _, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 0
		}
		return columns
	}
}

type colourMode int

const (
	colourAuto colourMode = iota
	colourAlways
	colourNever
)

// WriteError is the first error that a write to Out met. A command that printed
// results asks for it at its end.
func (s *IO) WriteError() error {
	if o, ok := s.Out.(*output); ok {
		return o.writeError()
	}
	return nil
}

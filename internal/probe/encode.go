package probe

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// Longest is the largest probe file that is read, in bytes.
const Longest = 64 << 20

// Limits of what a probe file may hold.
const (
	mostHosts   = 64
	mostEntries = 50_000 // of one list
)

// short are innermost objects and lists, which are written in one line if that is not long.
var short = regexp.MustCompile(`[\[{]\n\s+[^{}\[\]\n]*(?:\n\s+[^{}\[\]\n]*)*\n\s*[\]}]`)

var breaks = regexp.MustCompile(`\n\s*`)

const longestLine = 180

// Write writes a probe as JSON that a person can read: one entry a line.
func Write(w io.Writer, f *File) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(f); err != nil {
		return err
	}
	text := short.ReplaceAllFunc(b.Bytes(), func(entry []byte) []byte {
		inner := breaks.ReplaceAll(entry[1:len(entry)-1], []byte(" "))
		if len(inner) > longestLine {
			return entry
		}
		return bytes.Join([][]byte{entry[:1], bytes.TrimSpace(inner), entry[len(entry)-1:]}, nil)
	})
	_, err := w.Write(text)
	return err
}

// Loaded is a probe file that was read.
type Loaded struct {
	*File
	Path   string // as the user named it
	Digest string // of the file: sha256:…
}

// Load reads a probe file. It may come from anybody: its size and its content are checked.
func Load(r io.Reader, path string) (*Loaded, error) {
	text, err := io.ReadAll(io.LimitReader(r, Longest+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading probe %s: %w", path, err)
	case len(text) > Longest:
		return nil, fmt.Errorf("reading probe %s: it is larger than %d MiB, so it is no probe", path, Longest>>20)
	}
	f, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("reading probe %s: it is not a probe file, as vperf probe writes it: %w", path, err)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("reading probe %s: %w", path, err)
	}
	sum := sha256.Sum256(text)
	return &Loaded{File: f, Path: path, Digest: "sha256:" + hex.EncodeToString(sum[:])}, nil
}

// decode counts hosts and counters before it decodes them: an empty one needs several hundred times its text.
func decode(text []byte) (*File, error) {
	var lists struct{ Hosts, Counters []json.RawMessage }
	if err := json.Unmarshal(text, &lists); err != nil {
		return nil, err
	}
	if len(lists.Hosts) > mostHosts || len(lists.Counters) > mostEntries {
		return nil, errors.New("it has more hosts or counters than a probe can have")
	}
	f := new(File)
	return f, json.Unmarshal(text, f)
}

var (
	buildForm = regexp.MustCompile(`^[0-9]{1,12}$`)
	hostForm  = regexp.MustCompile(`^host-[0-9]{1,4}$`)
)

// check refuses what no probe contains, so that nothing else gets into tables.
func (f *File) check() error {
	switch {
	case f.Schema == "":
		return fmt.Errorf("it is not a probe file: the field schema is missing (want %s)", Schema)
	case f.Schema != Schema:
		return fmt.Errorf("its schema is %.60q, this version of vperf reads %s", f.Schema, Schema)
	}
	for i := range f.Hosts {
		if err := f.Hosts[i].check(); err != nil {
			return fmt.Errorf("host %d: %w", i+1, err)
		}
	}
	return nil
}

func (h *Host) check() error {
	if !hostForm.MatchString(h.Name) {
		return fmt.Errorf("name %.60q: want host-NUMBER", h.Name)
	}
	if h.Version != "" { // empty: the host did not report it
		if _, err := h.version(); err != nil {
			return err
		}
	}
	if h.Build != "" && !buildForm.MatchString(h.Build) {
		return fmt.Errorf("build %.60q: want a number", h.Build)
	}
	for _, n := range []int{len(h.Options), len(h.Drivers), len(h.Modules), len(h.Namespaces), len(h.Tables), len(h.Calls)} {
		if n > mostEntries {
			return errors.New("it has more entries than a probe can have")
		}
	}
	seen := map[string]bool{}
	for _, o := range h.Options {
		switch {
		case !optionForm.MatchString(o.Key) || len(o.Key) > 2*longestWord:
			return fmt.Errorf("option %.60q: want a key such as Net.UseHwTSO", o.Key)
		case seen[o.Key]:
			return fmt.Errorf("option %s is duplicated", o.Key)
		}
		seen[o.Key] = true
	}
	return nil
}

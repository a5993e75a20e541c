package probe

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed capabilities.txt
var capabilityText string

// ShippedCapabilities returns the capability table of this version of vperf. Callers must not change it.
var ShippedCapabilities = sync.OnceValue(func() *Capabilities {
	c, err := ParseCapabilities(capabilityText)
	if err != nil {
		panic(err) // the table is part of the binary and a test parses it
	}
	return c
})

// Capabilities is a table of the calls that hosts of each release answer or do not have. It is immutable.
type Capabilities struct {
	byCall map[string]map[string]string // call → release → Answered or the fault
}

// lacking are faults by which a host says that its release does not have something. Others depend on the user, the host's state or
// the argument, and say nothing about the release.
var lacking = []string{"NotSupported", "NotImplemented", "MethodNotFound", "NotFound", "NoCommand", "NotOffered", "InvalidName", "CLIFault"}

// Calls lists the calls, sorted.
func (c *Capabilities) Calls() []string {
	var all []string
	for call := range c.byCall {
		all = append(all, call)
	}
	slices.Sort(all)
	return all
}

// At returns Answered or the fault by which hosts of a release refuse a call; false if no probe says.
func (c *Capabilities) At(call, release string) (string, bool) {
	outcome, ok := c.byCall[call][release]
	return outcome, ok
}

// Releases lists the releases that the table describes, in the order of their names.
func (c *Capabilities) Releases() []string {
	var all []string
	for _, by := range c.byCall {
		for release := range by {
			if !slices.Contains(all, release) {
				all = append(all, release)
			}
		}
	}
	slices.Sort(all)
	return all
}

// Answered returns how many of the calls that a release was asked for are answered.
func (c *Capabilities) Answered(release string) (answered, of int) {
	for _, by := range c.byCall {
		outcome, ok := by[release]
		if ok {
			of++
		}
		if outcome == Answered {
			answered++
		}
	}
	return answered, of
}

// With returns the table with the entries of other that c does not have.
func (c *Capabilities) With(other *Capabilities) *Capabilities {
	out := c.clone()
	for call, by := range other.byCall {
		for release, outcome := range by {
			if _, known := out.At(call, release); !known {
				out.set(call, release, outcome)
			}
		}
	}
	return out
}

func (c *Capabilities) clone() *Capabilities {
	out := &Capabilities{byCall: map[string]map[string]string{}}
	for call, by := range c.byCall {
		for release, outcome := range by {
			out.set(call, release, outcome)
		}
	}
	return out
}

func (c *Capabilities) set(call, release, outcome string) {
	if c.byCall[call] == nil {
		c.byCall[call] = map[string]string{}
	}
	c.byCall[call][release] = outcome
}

// with adds the calls of a host. A call that the table has with another outcome is a conflict: the table stays.
func (c *Capabilities) with(release string, w witness, report *Imported) *Capabilities {
	out := c.clone()
	for _, call := range w.host.Calls {
		outcome := call.Outcome
		switch {
		case !callForm(call.Name):
			continue
		case outcome == Answered:
		case slices.Contains(lacking, call.Fault) && (outcome == Refused || outcome == Skipped):
			outcome = call.Fault
		default:
			continue
		}
		old, known := out.At(call.Name, release)
		if known && old != outcome {
			report.note(NoteConflict, release, call.Name, "the table: %s; %s: %s", old, w, outcome)
			continue
		}
		out.set(call.Name, release, outcome)
	}
	return out
}

// callForm reports whether a call's name can be written to a table: words of letters, digits and a few signs with one space between
// them.
func callForm(name string) bool {
	if name == "" || len(name) > 3*longestWord || strings.Contains(name, "  ") || strings.TrimSpace(name) != name {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(" ._-", r)
	})
}

// ParseCapabilities parses a table in the format that capabilities.txt describes.
func ParseCapabilities(text string) (*Capabilities, error) {
	c := &Capabilities{byCall: map[string]map[string]string{}}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		call, spec, ok := strings.Cut(line, "  ")
		if !ok || !callForm(call) || c.byCall[call] != nil {
			return nil, fmt.Errorf("capability table line %d: want CALL, two spaces, and RELEASE: OUTCOME; …; each call once", i+1)
		}
		for part := range strings.SplitSeq(spec, "; ") {
			release, outcome, ok := strings.Cut(part, ": ")
			if !ok || !wordForm.MatchString(release) || outcome != Answered && !slices.Contains(lacking, outcome) {
				return nil, fmt.Errorf("capability table line %d: %q: want RELEASE: %s or RELEASE: one of %s", i+1, part, Answered, strings.Join(lacking, ", "))
			}
			c.set(call, release, outcome)
		}
	}
	return c, nil
}

// String formats the table as ParseCapabilities parses it, with the comments of the shipped one.
func (c *Capabilities) String() string {
	var b strings.Builder
	for line := range strings.SplitSeq(capabilityText, "\n") {
		if !strings.HasPrefix(line, "#") {
			break
		}
		b.WriteString(line + "\n")
	}
	b.WriteByte('\n')
	for _, call := range c.Calls() {
		by := c.byCall[call]
		var parts []string
		for _, release := range c.Releases() {
			if outcome, ok := by[release]; ok {
				parts = append(parts, release+": "+outcome)
			}
		}
		b.WriteString(call + "  " + strings.Join(parts, "; ") + "\n")
	}
	return b.String()
}

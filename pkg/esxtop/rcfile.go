package esxtop

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// rcPanels are esxtop's panels in the order of the lines of its configuration file.
const rcPanels = "cmduvnipx"

// RC is esxtop's configuration file, such as .esxtop60rc, which W saves.
type RC struct {
	// Fields maps the key of a panel to the letters of its fields in order, lower case for hidden fields. Panels that
	// are not in it have esxtop's default fields.
	Fields map[byte]string
	Delay  time.Duration // between two samples; 0: it is not said
	Panel  byte          // to start with; 0: it is not said
}

// ParseRC parses a configuration file of esxtop. It skips text that it does not understand, and returns an error about
// it together with the rest.
func ParseRC(text string) (*RC, error) {
	rc := &RC{Fields: map[byte]string{}}
	var c complaints
	panel := 0
	for n, line := range lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "": // an unchanged panel, or the end
			panel = min(panel+1, len(rcPanels))
		case line[0] >= '0' && line[0] <= '9':
			rc.start(n, line, &c)
		case panel == len(rcPanels):
			c.add(n, fmt.Sprintf("%s comes after the fields of panel %c, the last one that is known", quoted(line), rcPanels[panel-1]))
		default:
			if what := wrongFields(line); what != "" {
				c.add(n, fmt.Sprintf("the fields of panel %c are %s: %s", rcPanels[panel], quoted(line), what))
			} else {
				rc.Fields[rcPanels[panel]] = line
			}
			panel++
		}
	}
	if len(rc.Fields) == 0 && rc.Delay == 0 && !c.any() {
		c.add(0, "it is empty")
	}
	return rc, c.err("reading esxtop's configuration", fmt.Sprintf("the fields of %d panels were read", len(rc.Fields)))
}

// start parses the last line: 5c is five seconds, and the panel for CPUs.
func (rc *RC) start(n int, line string, c *complaints) {
	const longest = 24 * 60 * 60
	digits := strings.TrimRight(line, rcPanels)
	seconds, err := strconv.Atoi(digits)
	if err != nil || len(line)-len(digits) > 1 || seconds < 1 || seconds > longest {
		c.add(n, fmt.Sprintf("%s is no delay in seconds with the letter of a panel (%s), as in 5c", quoted(line), rcPanels))
		return
	}
	rc.Delay = time.Duration(seconds) * time.Second
	if key := strings.TrimPrefix(line, digits); key != "" {
		rc.Panel = key[0]
	}
}

// wrongFields returns why a line has no valid fields; empty if it has.
func wrongFields(line string) string {
	seen := map[rune]bool{}
	for _, r := range strings.ToUpper(line) {
		switch {
		case r < 'A' || r > 'Z':
			return fmt.Sprintf("%q is no field's letter", r)
		case seen[r]:
			return fmt.Sprintf("%c is there twice", r)
		}
		seen[r] = true
	}
	return ""
}

// String returns the file's text. esxtop writes a line for each panel, so Fields must have all panels.
func (rc *RC) String() string {
	var b strings.Builder
	for i := range len(rcPanels) {
		b.WriteString(rc.Fields[rcPanels[i]] + "\n")
	}
	fmt.Fprintf(&b, "%d", max(1, int(rc.Delay/time.Second)))
	if rc.Panel != 0 {
		b.WriteByte(rc.Panel)
	}
	return b.String() + "\n"
}

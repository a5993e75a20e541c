package advice

import (
	"fmt"
	"regexp"
	"strings"
)

// waiveMark is the custom attribute by which an object carries its own waivers.
const waiveMark = "vperf.waive"

var waiveForm = regexp.MustCompile(`(?is)^(\S+)\s+until\s+(\S+)\s+(.+)$`)

// carried are the waivers that an object carries, and what is wrong with the rest of them.
func (w *Waivers) carried(b bearer) (list []Waiver, wrong []string) {
	text, _ := attribute(b, waiveMark)
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		x, err := w.parsePart(part)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("custom attribute %s of %s %s waives nothing with %q: %v", waiveMark, b.Ref().Kind, b.Ref().Name, part, err))
			continue
		}
		x.pick.on = b
		list = append(list, x)
	}
	return list, wrong
}

func (w *Waivers) parsePart(text string) (Waiver, error) {
	m := waiveForm.FindStringSubmatch(text)
	if m == nil {
		return Waiver{}, fmt.Errorf("want RULE until YYYY-MM-DD REASON, several parted by a semicolon")
	}
	until, err := ParseDate(m[2])
	if err != nil {
		return Waiver{}, err
	}
	if err := w.knows(m[1]); err != nil {
		return Waiver{}, err
	}
	return Waiver{Rule: m[1], Reason: m[3], Until: until, From: "custom attribute " + waiveMark}.ready(), nil
}

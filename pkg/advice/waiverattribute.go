package advice

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// waiveMark is the custom attribute by which an object carries its own waivers.
const waiveMark = "vperf.waive"

var waiveForm = regexp.MustCompile(`(?is)^(\S+)\s+until\s+(\S+)\s+(.+)$`)

// carried are the waivers that an object carries; what is wrong with the rest of them joins the complaints.
func (w *Waivers) carried(b bearer, wrong *complaints) (list []Waiver) {
	text, _ := attribute(b, waiveMark)
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		x, err := w.parsePart(part)
		if err != nil {
			wrong.add(fmt.Sprintf("custom attribute %s waives nothing with %q: %v", waiveMark, part, err), b)
			continue
		}
		x.pick.on = b
		list = append(list, x)
	}
	return list
}

func (w *Waivers) parsePart(text string) (Waiver, error) {
	m := waiveForm.FindStringSubmatch(text)
	if m == nil {
		return Waiver{}, errors.New("want RULE until YYYY-MM-DD REASON, several parted by a semicolon")
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

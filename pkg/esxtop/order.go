package esxtop

import (
	"cmp"
	"strconv"
	"strings"
)

// CompareIDs orders ids and names naturally: vmhba2 before vmhba10, and vector 0x9 before 0x1a.
func CompareIDs(a, b string) int {
	if x, ok := hexadecimal(a); ok {
		if y, too := hexadecimal(b); too {
			return cmp.Or(cmp.Compare(x, y), strings.Compare(a, b))
		}
	}
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m == 0 || n == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
			return c
		}
		a, b = a[m:], b[n:]
	}
	return cmp.Compare(len(a), len(b))
}

// hexadecimal parses the number of an interrupt vector.
func hexadecimal(id string) (uint64, bool) {
	text, found := strings.CutPrefix(id, "0x")
	n, err := strconv.ParseUint(text, 16, 64)
	return n, found && err == nil
}

// digits returns the number of leading digits.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

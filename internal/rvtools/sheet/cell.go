package sheet

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// words are the words for true and false that Windows writes in several languages.
var words = map[string]bool{
	"true": true, "yes": true, "wahr": true, "ja": true, "vrai": true, "oui": true, "verdadero": true, "sí": true, "vero": true,
	"sì": true, "verdadeiro": true, "sim": true, "waar": true, "sand": true, "sant": true, "prawda": true,
	"false": false, "no": false, "falsch": false, "nein": false, "faux": false, "non": false, "falso": false, "não": false,
	"onwaar": false, "nee": false, "falsk": false, "falskt": false, "fałsz": false,
}

// Bool parses a word for true or false.
func Bool(text string) (value, ok bool) {
	value, ok = words[strings.ToLower(strings.TrimSpace(text))]
	return value, ok
}

// Whole parses a whole number that may be grouped as in any language: 1.234, 1,234, 1 234, 1'234. One separator before exactly three
// digits groups them, because the columns that are read hold whole numbers. A fraction is cut off: 1.234,5 is 1234.
func Whole(text string) (int64, bool) {
	s := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\'' || r == '’' || r == '\u202f' {
			return -1
		}
		return r
	}, text)
	sign := int64(1)
	if rest, minus := strings.CutPrefix(s, "-"); minus {
		s, sign = rest, -1
	} else if rest, minus := strings.CutPrefix(s, "\u2212"); minus {
		s, sign = rest, -1
	}
	if strings.ContainsAny(s, "eE") {
		return scientific(s, sign)
	}
	whole, ok := ungrouped(s)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	return sign * n, err == nil
}

// scientific parses numbers such as 1.5E3, which spreadsheets write for large ones.
func scientific(s string, sign int64) (int64, bool) {
	if strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return sign * int64(f), true
}

// ungrouped returns the digits before a fraction, without separators.
func ungrouped(s string) (string, bool) {
	last := strings.LastIndexAny(s, ".,")
	if last < 0 {
		return s, isDigits(s)
	}
	before, after := s[:last], s[last+1:]
	other := strings.IndexAny(before, ".,")
	switch {
	case !isDigits(after):
		return "", false
	case other >= 0 && before[other] == s[last] && strings.Contains(before, otherOf(s[last])):
		return "", false // 1,234.567,890
	case other >= 0 && before[other] == s[last], other < 0 && len(after) == 3 && before != "0":
		return grouped(s, string(s[last]))
	case other >= 0:
		return grouped(before, otherOf(s[last]))
	}
	return before, isDigits(before)
}

func otherOf(separator byte) string {
	if separator == '.' {
		return ","
	}
	return "."
}

// grouped removes separators, which have to be before groups of three digits.
func grouped(s, separator string) (string, bool) {
	parts := strings.Split(s, separator)
	if n := len(parts[0]); n < 1 || n > 3 {
		return "", false
	}
	for i, p := range parts {
		if !isDigits(p) || i > 0 && len(p) != 3 {
			return "", false
		}
	}
	return strings.Join(parts, ""), true
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// The serial numbers of plausible dates in Excel: days since the end of 1899, from 1990 up to 2100.
const (
	firstSerial = 32874
	lastSerial  = 73051
)

// layouts are the forms of dates whose order of day and month is certain.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", "2006-1-2 15:04:05", "2006/1/2 15:04:05", "2006-1-2 15:04", "2006/1/2 15:04", "2006/1/2", "2006-1-2",
	"2.1.2006 15:04:05", "2.1.2006 15:04", "2.1.2006",
	"2006/1/2 3:04:05 PM", "2006-1-2 3:04:05 PM", "2006. 1. 2. 15:04:05",
}

// Date parses a date with or without a time. Exports have no time zone: UTC stands for the zone of the computer that made them. A
// date such as 3/4/2025, whose order of day and month differs by country, is not understood, unless one of them cannot be a month.
func Date(text string) (time.Time, bool) {
	text = strings.Join(strings.Fields(text), " ")
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		if !(n >= firstSerial && n < lastSerial) { // also for NaN
			return time.Time{}, false
		}
		t := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Add(time.Duration(math.Round(n*24*60*60)) * time.Second)
		return t, plausible(t)
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), plausible(t)
		}
	}
	return slashed(text)
}

func plausible(t time.Time) bool { return t.Year() >= 1990 && t.Year() < 2100 }

// slashed parses dates that are separated by slashes or dashes and end with the year.
func slashed(text string) (time.Time, bool) {
	var found []time.Time
	for _, day := range []string{"2/1/2006", "1/2/2006", "2-1-2006", "1-2-2006"} {
		for _, clock := range []string{" 15:04:05", " 15:04", " 3:04:05 PM", " 3:04 PM", ""} {
			if t, err := time.Parse(day+clock, text); err == nil && plausible(t) {
				found = append(found, t)
			}
		}
	}
	if len(found) == 0 || len(found) > 1 && !found[0].Equal(found[1]) {
		return time.Time{}, false
	}
	return found[0], true
}

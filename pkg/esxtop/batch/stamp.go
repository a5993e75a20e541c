package batch

import (
	"strings"
	"time"
)

// csvStamp is the time of a row as it stands there.
type csvStamp struct {
	time    time.Time // of day, on the first of January 1970, where no date is told
	date    bool
	points  bool // in the date, which begins with the day
	seconds bool
}

// parseStamp reads 04/24/2018 10:49:12, with a fraction as Windows has it, without seconds as Excel has it, or the time
// of day alone. ISO dates are read too, and those with points, which begin with the day. So do those with slashes where dayFirst.
func parseStamp(s string, dayFirst bool) (st csvStamp, ok bool) {
	year, month, day := 1970, 1, 1
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == 'T' || r == '\n' || r == '\r' || r == '\t' })
	if len(fields) > 1 && strings.ContainsAny(fields[0], "/-.") {
		var d [3]int
		if !numbers(fields[0], "/-.", d[:]) {
			return st, false
		}
		switch st.points = strings.Contains(fields[0], "."); {
		case d[0] > 31:
			year, month, day = d[0], d[1], d[2]
		case dayFirst, st.points:
			day, month, year = d[0], d[1], d[2]
		default:
			month, day, year = d[0], d[1], d[2]
		}
		st.date = true
		fields = fields[1:]
	}
	if len(fields) == 0 || len(fields) > 2 {
		return st, false
	}
	clock, fraction, _ := strings.Cut(fields[0], ".")
	var c [3]int
	switch strings.Count(clock, ":") {
	case 1:
		ok = numbers(clock, ":", c[:2])
	case 2:
		ok = numbers(clock, ":", c[:])
		st.seconds = true
	}
	if ok && len(fields) == 2 {
		c[0], ok = half(c[0], fields[1])
	}
	if !ok || month < 1 || month > 12 || day < 1 || day > 31 || c[0] > 24 || c[1] > 59 || c[2] > 60 {
		return st, false
	}
	st.time = time.Date(year, time.Month(month), day, c[0], c[1], c[2], 0, time.UTC)
	if unit := 100 * time.Millisecond; isNumber(fraction) {
		for _, digit := range fraction {
			st.time = st.time.Add(time.Duration(digit-'0') * unit)
			unit /= 10
		}
	}
	return st, st.time.Day() == day || c[0] == 24
}

// numbers reads as many numbers as there are places, with one of the marks between them.
func numbers(s, marks string, to []int) bool {
	i := 0
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(marks, r) }) {
		if i == len(to) || len(part) > 4 || !isNumber(part) {
			return false
		}
		for _, digit := range part {
			to[i] = to[i]*10 + int(digit-'0')
		}
		i++
	}
	return i == len(to)
}

// half turns an hour of half a day into one of the day.
func half(hour int, word string) (int, bool) {
	if hour < 1 || hour > 12 {
		return 0, false
	}
	switch strings.ToUpper(word) {
	case "AM":
		return hour % 12, true
	case "PM":
		return hour%12 + 12, true
	}
	return 0, false
}

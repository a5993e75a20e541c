package batch

import (
	"strings"
	"time"
)

// csvStamp is the time in a row.
type csvStamp struct {
	time    time.Time // without a date: the time of day, on 1 January 1970
	date    bool
	points  bool // in the date, which begins with the day
	seconds bool
}

// parseStamp parses 04/24/2018 10:49:12, optionally with a fraction as in Windows, without seconds as in Excel, or only
// the time of day. It also parses ISO dates and dates with points, which begin with the day; with dayFirst, dates with
// slashes do too.
func parseStamp(s string, dayFirst bool) (st csvStamp, ok bool) {
	date := calendarDay{1970, 1, 1}
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == 'T' || r == '\n' || r == '\r' || r == '\t' })
	if len(fields) > 1 && strings.ContainsAny(fields[0], "/-.") {
		st.points = strings.Contains(fields[0], ".")
		if date, ok = parseDay(fields[0], dayFirst || st.points); !ok {
			return st, false
		}
		st.date = true
		fields = fields[1:]
	}
	if len(fields) == 0 || len(fields) > 2 {
		return st, false
	}
	clock, fraction, _ := strings.Cut(fields[0], ".")
	c, seconds, ok := parseClock(clock)
	if ok && len(fields) == 2 {
		c.hour, ok = half(c.hour, fields[1])
	}
	if !ok || !date.valid() || !c.valid() {
		return st, false
	}
	st.seconds = seconds
	st.time = time.Date(date.year, time.Month(date.month), date.day, c.hour, c.minute, c.second, 0, time.UTC).Add(parseFraction(fraction))
	return st, st.time.Day() == date.day || c.hour == 24
}

type calendarDay struct{ year, month, day int }

func (d calendarDay) valid() bool { return d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= 31 }

// parseDay parses a date, which begins with the year if its first number cannot be a day.
func parseDay(s string, dayFirst bool) (calendarDay, bool) {
	var d [3]int
	ok := numbers(s, "/-.", d[:])
	switch {
	case d[0] > 31:
		return calendarDay{d[0], d[1], d[2]}, ok
	case dayFirst:
		return calendarDay{d[2], d[1], d[0]}, ok
	}
	return calendarDay{d[2], d[0], d[1]}, ok
}

type clockTime struct{ hour, minute, second int }

func (c clockTime) valid() bool { return c.hour <= 24 && c.minute <= 59 && c.second <= 60 }

// parseClock parses a time of day, with or without seconds.
func parseClock(s string) (c clockTime, seconds, ok bool) {
	var n [3]int
	switch strings.Count(s, ":") {
	case 1:
		ok = numbers(s, ":", n[:2])
	case 2:
		ok, seconds = numbers(s, ":", n[:]), true
	}
	return clockTime{n[0], n[1], n[2]}, seconds, ok
}

// parseFraction parses the decimals of a second; it returns 0 for invalid ones.
func parseFraction(digits string) (d time.Duration) {
	if !isNumber(digits) {
		return 0
	}
	unit := 100 * time.Millisecond
	for _, digit := range digits {
		d += time.Duration(digit-'0') * unit
		unit /= 10
	}
	return d
}

// numbers parses exactly len(to) numbers, with one of the marks between them.
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

// half converts an hour of the 12-hour clock.
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

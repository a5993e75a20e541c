// Package plural words how many there are of something.
package plural

import (
	"strconv"
	"strings"
)

// Count returns a number and its noun: "1 host", "2 hosts".
func Count(n int, noun string) string { return strconv.Itoa(n) + " " + Noun(n, noun) }

// Noun returns a noun in the form that fits n.
func Noun(n int, noun string) string {
	if strings.HasSuffix(noun, "ch") {
		return Form(n, noun, noun+"es")
	}
	return Form(n, noun, noun+"s")
}

// Form returns the form that fits n, for words that take more than an s.
func Form(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Are returns "1 host is" or "2 hosts are"; without a noun, "1 is" or "2 are".
func Are(n int, noun string) string {
	verb := Form(n, " is", " are")
	if noun == "" {
		return strconv.Itoa(n) + verb
	}
	return Count(n, noun) + verb
}

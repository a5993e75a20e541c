package esxtopservice

import (
	_ "embed"
	"strings"
)

// schemaText has the kinds of rows of ESXi 6.5. Lines that begin with a space continue the one before.
//
//go:embed schema.txt
var schemaText string

// newerFields are additional fields at the end of a row in builds of 9.0. Their real names are unknown; a client only has to
// handle additional fields.
var newerFields = map[string]string{"SCSIDevice": "NumOfUnmapOps:U64 NumOfBlocksUnmapped:U64"}

// newerFrom is the first version that has them.
const newerFrom = "9"

// CounterInfo returns the schema of a version, one line per row.
func CounterInfo(version string) string {
	var b strings.Builder
	_, rows, _ := strings.Cut(schemaText, "\n") // without the comment
	for row := range strings.Lines(strings.ReplaceAll(rows, "\n ", " ")) {
		words := strings.Fields(row)
		if version >= newerFrom {
			words = append(words, strings.Fields(newerFields[words[0]])...)
		}
		for _, w := range words {
			b.WriteString("|" + strings.Replace(w, ":", ",", 1))
		}
		b.WriteString("|\n")
	}
	b.WriteString("\n") // real ones end with an empty line
	return b.String()
}

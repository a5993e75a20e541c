// Plainwords lists the lines of text in this repository that are hard to read: sentences turned round ("what comes late is
// waited for") and words for which docs and outputs use a plainer one. Run it from the repository's root:
//
//	go run ./tools/plainwords            every suspicious line, as file:line: reason: text
//	go run ./tools/plainwords -count     only the counts, by kind of text
//	go run ./tools/plainwords cmd docs   only these files and folders
//
// It is a search, not a judge: a line that it lists may be good English. Its count says where to read next.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	countOnly := flag.Bool("count", false, "print the counts only")
	flag.Parse()
	roots := flag.Args()
	if len(roots) == 0 {
		roots = []string{"."}
	}
	if err := run(os.Stdout, roots, *countOnly); err != nil {
		fmt.Fprintln(os.Stderr, "plainwords:", err)
		os.Exit(1)
	}
}

// run reads all text below roots and prints its suspicious lines, then a table of counts.
func run(out io.Writer, roots []string, countOnly bool) error {
	var counts tally
	for _, root := range roots {
		err := readTree(root, func(l line) {
			reason := suspicion(l.text)
			counts.add(l.kind, reason != "")
			if reason != "" && !countOnly {
				fmt.Fprintf(out, "%s:%d: %s: %s\n", l.file, l.number, reason, l.text)
			}
		})
		if err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(out, counts.String())
	return err
}

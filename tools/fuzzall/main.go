// Fuzzall runs every fuzz target of this repository, one after the other, and prints how many inputs each has tried. It goes on after a
// failure, and its exit code is 1 if there was one. Run it from the repository's root:
//
//	go run ./tools/fuzzall -time 10m           ten minutes each
//	go run ./tools/fuzzall -time 10000000x     ten million inputs each
//	go run ./tools/fuzzall -part 2/4           the second quarter of the targets
//	go run ./tools/fuzzall -list               the targets
//
// The fuzzer writes an input that fails below testdata/fuzz of its package: commit it with the repair, so that every later run of the
// tests tries it. Inputs that reach new code are kept below $(go env GOCACHE)/fuzz, and the next run begins with them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
)

func main() {
	limit := flag.String("time", "10s", "for how long each target runs, or how many inputs it tries (100x)")
	part := flag.String("part", "1/1", "run only this part of the targets, such as 2/4")
	parallel := flag.Int("parallel", 0, "how many processes try inputs at once (0: one a CPU)")
	list := flag.Bool("list", false, "print the targets, and run none")
	flag.Parse()
	ok, err := fuzzAll(os.Stdout, ".", *part, *list, func(t target) result { return run(context.Background(), t, *limit, *parallel) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzzall:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// fuzzAll runs the targets below root that belong to part, prints a line for each and their sum, and reports whether none failed.
func fuzzAll(out io.Writer, root, part string, listOnly bool, run func(target) result) (bool, error) {
	targets, err := find(root)
	if err != nil {
		return false, err
	}
	if targets, err = choose(targets, part); err != nil {
		return false, err
	}
	var inputs, fresh, failed int
	for _, t := range targets {
		if listOnly {
			fmt.Fprintln(out, t)
			continue
		}
		r := run(t)
		fmt.Fprintf(out, "%-50s %12d inputs, %5d of them new, %5d kept  %s\n", t, r.inputs, r.fresh, r.kept, r.verdict())
		if r.failed {
			fmt.Fprintln(out, r.output)
			failed++
		}
		inputs, fresh = inputs+r.inputs, fresh+r.fresh
	}
	if !listOnly {
		fmt.Fprintf(out, "%-50s %12d inputs, %5d of them new; %d failed\n", strconv.Itoa(len(targets))+" targets", inputs, fresh, failed)
	}
	return failed == 0, nil
}

package main

import (
	"context"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// A result is what one target's run came to.
type result struct {
	inputs int // tried
	fresh  int // of them: reached new code
	kept   int // in the corpus at the end
	failed bool
	ended  bool // by the fuzzer's own deadline
	output string
}

func (r result) verdict() string {
	switch {
	case r.failed:
		return "FAILED"
	case r.inputs == 0:
		return "ok, but nothing was tried"
	case r.ended:
		return "ok (the fuzzer reported its own deadline)"
	}
	return "ok"
}

// minimizing limits the time in which the fuzzer shortens one input that reaches new code. Its own limit is a minute, in which it tries
// nothing else: targets with long inputs would do little more.
const minimizing = "2s"

// run fuzzes one target until limit, which is a time or a count.
func run(ctx context.Context, t target, limit string, parallel int) result {
	args := []string{"test", "-run", "^$", "-fuzz", "^" + t.name + "$", "-fuzztime", limit, "-fuzzminimizetime", minimizing, "-timeout", "0"}
	if parallel > 0 {
		args = append(args, "-parallel", strconv.Itoa(parallel))
	}
	output, err := exec.CommandContext(ctx, "go", append(args, "./"+t.folder)...).CombinedOutput() //nolint:gosec // a name found in this repository
	return judge(string(output), err != nil)
}

// progress is the line that the fuzzer prints every three seconds and at the end.
var progress = regexp.MustCompile(`execs: (\d+) .*new interesting: (\d+) \(total: (\d+)\)`)

// judge reads the output of a run.
func judge(output string, failed bool) result {
	r := result{failed: failed, output: output}
	if lines := progress.FindAllStringSubmatch(output, -1); lines != nil {
		last := lines[len(lines)-1]
		r.inputs, _ = strconv.Atoi(last[1])
		r.fresh, _ = strconv.Atoi(last[2])
		r.kept, _ = strconv.Atoi(last[3])
	}
	if failed && onlyDeadline(output) {
		r.failed, r.ended = false, true
	}
	return r
}

// onlyDeadline reports whether a run failed for no reason but that its time was over. Before Go 1.27 the fuzzer compares the end of its
// own time with that of its workers, which they may not have reached on a busy machine (https://go.dev/issue/75804). There is then no
// input that failed, and nothing else in the output.
func onlyDeadline(output string) bool {
	_, failure, found := strings.Cut(output, "--- FAIL: ")
	if !found {
		return false
	}
	lines := strings.Split(failure, "\n")
	return len(lines) > 2 && strings.TrimSpace(lines[1]) == "context deadline exceeded" && strings.TrimSpace(lines[2]) == "FAIL"
}

package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/tuning"
)

// fewSkipped is the number of skipped lines up to which the plan lists instead of counts them.
const fewSkipped = 6

// skipped lists the skipped changes: refused ones first, because the user may want to act on them. It counts a long remainder by
// reason.
func (p *page) skipped(all []tuning.Skipped) {
	if len(all) == 0 {
		return
	}
	groups := groupSteps(all)
	var refused, rest [][]tuning.Skipped
	for _, g := range groups {
		if g[0].Refused {
			refused = append(refused, g)
			continue
		}
		rest = append(rest, g)
	}
	p.w.WriteByte('\n')
	p.line(0, "%s", p.term.Style.Bold("skipped"))
	for _, g := range refused {
		p.skippedOf(g, p.term.Style.Yellow("REFUSED")+"  ", wording.Clean(join(targetNames(g))))
	}
	if !p.whole && len(rest) > fewSkipped {
		p.skippedCount(rest)
		return
	}
	for _, g := range rest {
		names := targetNames(g)
		if p.whole {
			p.skippedOf(g, "", wording.Clean(join(names)))
			continue
		}
		p.skippedOf(g, "", wording.SomeOf(names))
	}
}

func (p *page) skippedOf(g []tuning.Skipped, word, names string) {
	what := wording.Clean(join(g[0].Rules))
	if setting := addressText(g[0].Address); setting != "" {
		what = setting + " (" + what + ")"
	}
	p.hanging(objectIndent, detailIndent, "%s%s  %s: %s", word, names, what, wording.Clean(g[0].Why))
}

// skippedCount counts skipped changes by the head of their reasons, and names the rules or, if they are fewer, the objects.
func (p *page) skippedCount(groups [][]tuning.Skipped) {
	var heads []string
	of := map[string][]tuning.Skipped{}
	for _, g := range groups {
		head, _, _ := strings.Cut(g[0].Why, ":")
		if of[head] == nil {
			heads = append(heads, head)
		}
		of[head] = append(of[head], g...)
	}
	slices.SortStableFunc(heads, func(a, b string) int { return cmp.Compare(len(of[b]), len(of[a])) })
	for _, head := range heads {
		names := targetNames(of[head])
		if rules := rulesWithSkipped(of[head]); len(rules) <= len(names) {
			names = rules
		}
		some := join(names)
		if p.term.TTY {
			some = wording.SomeOf(names)
		}
		p.hanging(objectIndent, detailIndent, "%d  %s: %s", len(of[head]), wording.Clean(head), wording.Clean(some))
	}
	p.line(objectIndent, "--full lists each with its reason")
}

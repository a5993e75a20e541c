package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/tuning"
)

// fewLeft are so many lines of what is left alone that they need no counting.
const fewLeft = 6

// left lists what rules ask for and the plan leaves alone: what is refused first, for somebody may want to do something
// about it. A long rest is counted, by what stands against it.
func (p *page) left(all []tuning.Left) {
	if len(all) == 0 {
		return
	}
	groups := alike(all)
	var refused, rest [][]tuning.Left
	for _, g := range groups {
		if g[0].Refused {
			refused = append(refused, g)
			continue
		}
		rest = append(rest, g)
	}
	p.w.WriteByte('\n')
	p.line(0, "%s", p.term.Style.Bold("left alone"))
	for _, g := range refused {
		p.leftOf(g, p.term.Style.Yellow("REFUSED")+"  ", wording.Clean(join(targetNames(g))))
	}
	if !p.whole && len(rest) > fewLeft {
		p.leftCounted(rest)
		return
	}
	for _, g := range rest {
		names := targetNames(g)
		if p.whole {
			p.leftOf(g, "", wording.Clean(join(names)))
			continue
		}
		p.leftOf(g, "", wording.SomeOf(names))
	}
}

func (p *page) leftOf(g []tuning.Left, word, names string) {
	what := wording.Clean(join(g[0].Rules))
	if setting := addressText(g[0].Address); setting != "" {
		what = setting + " (" + what + ")"
	}
	p.hanging(objectIndent, detailIndent, "%s%s  %s: %s", word, names, what, wording.Clean(g[0].Why))
}

// leftCounted counts by the head of the reasons, and names the rules; or the objects, where they are fewer.
func (p *page) leftCounted(groups [][]tuning.Left) {
	var heads []string
	of := map[string][]tuning.Left{}
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
		if rules := rulesLeft(of[head]); len(rules) <= len(names) {
			names = rules
		}
		p.hanging(objectIndent, detailIndent, "%d  %s: %s", len(of[head]), wording.Clean(head), wording.Clean(join(names)))
	}
	p.line(objectIndent, "--full names each of them, and says why")
}

// alike puts together what is left alone of several objects for one reason.
func alike(all []tuning.Left) [][]tuning.Left {
	var by collect.ByKey[string, []tuning.Left]
	for _, l := range all {
		key := strings.Join(append(slices.Clone(l.Rules), l.Address.Key(), l.Address.Label, l.Why), "\x00")
		if l.Refused {
			key += "\x00refused"
		}
		g := by.At(key)
		*g = append(*g, l)
	}
	return by.Values()
}

// targetNames are the names of what is left alone, each once.
func targetNames(all []tuning.Left) []string {
	return once(all, func(l tuning.Left) []string { return []string{l.Target.Name} })
}

// rulesLeft are the rules that ask for it, each once.
func rulesLeft(all []tuning.Left) []string {
	return once(all, func(l tuning.Left) []string { return l.Rules })
}

// once are words of all that is left alone, each once.
func once(all []tuning.Left, of func(tuning.Left) []string) []string {
	var words collect.Distinct
	for _, l := range all {
		for _, w := range of(l) {
			words.Add(w)
		}
	}
	return words.Words
}

// refusedFirst is the order of a list that says each by itself.
func refusedFirst(all []tuning.Left) []tuning.Left {
	return slices.SortedStableFunc(slices.Values(all), func(a, b tuning.Left) int {
		switch {
		case a.Refused == b.Refused:
			return 0
		case a.Refused:
			return -1
		}
		return 1
	})
}

package trialreport

import (
	"bufio"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/page/sheet"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
)

var (
	//go:embed trial.css
	ownStyle string
	//go:embed parts/*.html
	partFiles embed.FS

	pageTemplate = template.Must(template.New("trial.html").ParseFS(partFiles, "parts/*.html"))
)

// Page writes the report of a trial as one HTML file that needs no network and no script. All text is untrusted: it is cleaned here
// and escaped by html/template.
func Page(w io.Writer, t *trials.Recorded) error {
	b := bufio.NewWriter(w)
	if err := pageTemplate.Execute(b, newDocument(t)); err != nil {
		return fmt.Errorf("writing the report of the trial: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing the report of the trial: %w", err)
	}
	return nil
}

// document is the whole content of the page as text.
type document struct {
	Policy string
	Style  template.CSS

	Title, Question, Alarm, Verdict, Class string
	Head                                   []named
	Caveats                                []string
	Outcomes                               template.HTML
	Sure, Design                           template.HTML
	Schedule                               *schedule
	Charts                                 []chart
	UnitsTitle, UnitsNote                  string
	Units, Guards, Dropped, Blocks         template.HTML
	DroppedShown                           bool
	DroppedText                            string
	Here, Published                        []string
	Command, Seed, Raw, Version            string
}

type named struct{ Name, Value string }

// tableIn returns a table of rows, of which the first is the heading; right are the columns of figures.
func tableIn(rows [][]string, right ...int) template.HTML {
	return doc.Of(table(rows, right...)).HTML(3)
}

func newDocument(t *trials.Recorded) document {
	r, res := t.Registration, t.Result
	style := sheet.CSS + ownStyle
	d := document{
		Policy: sheet.Policy(style, ""), Style: template.CSS(style), //nolint:gosec // both are ours
		Title: "Trial of " + wording.Clean(r.Rule) + ": " + verdictText(t), Question: wording.Clean(r.Question),
		Alarm: alarm(res), Verdict: verdictSentence(t), Class: verdictClass(res), Head: headOf(t), Caveats: caveats(t),
		Outcomes: tableIn(outcomeRows(t, len(res.Others)), 1, 2, 3, 4, 5),
		Schedule: newSchedule(t), Charts: charts(t), Units: tableIn(unitRows(t, len(r.Units)), 1, 2, 3),
		UnitsTitle: "Each " + unitNoun(r), Guards: tableIn(guardRows(t), 1, 2, 3, 4), Blocks: tableIn(blockRows(t), 3, 4, 5, 6, 7),
		DroppedShown: res.Dropped > 0, DroppedText: pairsText(t), Dropped: tableIn(droppedRows(t)),
		Here: hostsShown(t.Conditions.Hosts, len(t.Conditions.Hosts)), Published: publishedShown(t.Conditions.Published, len(t.Conditions.Published), true),
		Seed: strconv.FormatUint(r.Seed, 10),
	}
	if r.Design == inventory.DesignRandomised {
		d.Guards = "" // nobody watches them for days
		d.Units, d.UnitsNote = tableIn(lotRows(t, len(res.Pairs)), 2, 3, 4), "The effect is how much more the changed "+kinds(r)+" differ than the others, by Welch's t-test."
	}
	if len(r.Units) > 1 && r.Design.Switches() {
		d.UnitsNote = "The interval of one " + unitNoun(r) + " is wider than that of all together, because it has fewer pairs."
	}
	var sure, design []doc.Field
	for _, f := range facts(t, len(t.Conditions.Hosts)+len(t.Conditions.Published)) {
		switch f.name {
		case "p", "e-value", "Took effect", "Pairs", "Counted", "Caution", "Settings":
			sure = append(sure, doc.F(f.name, f.text))
		case "Outcome", "Design", "Sampled by", "Change":
			design = append(design, doc.F(f.name, f.text))
		case "Repeat":
			d.Command = f.text
		}
	}
	d.Sure = doc.Of(doc.Fields(append(sure, estimateDetail(t)...)...)).HTML(3)
	d.Design = doc.Of(doc.Fields(append(design, designDetail(t)...)...)).HTML(3)
	if run := t.Run; run != nil {
		d.Version = wording.Clean(run.Version)
		d.Raw = "All figures and every raw sample: " + command(&t.Conditions, "trial", "show", run.ID, "-o", "json")
	}
	return d
}

// unitNoun is the word for one unit.
func unitNoun(r *trial.Registration) string {
	if len(r.Units) == 0 {
		return "unit"
	}
	return wording.Kind(r.Units[0].Kind)
}

func verdictClass(res *trial.Result) string {
	switch {
	case alarm(res) != "":
		return ""
	case res.Verdict == trial.Keep:
		return "good"
	case res.Verdict == trial.Worse:
		return "bad"
	}
	return ""
}

func headOf(t *trials.Recorded) []named {
	all := []named{{"Rule", wording.Clean(t.Registration.Rule) + ", " + lowerFirst(wording.Clean(t.Conditions.Title))}}
	run := t.Run
	if run == nil {
		return all
	}
	all = append(all, named{"Run", wording.Clean(run.ID)}, named{"Began", moment(run.Began)})
	if !run.Ended.IsZero() {
		all = append(all, named{"Ended", moment(run.Ended)})
	}
	return append(all, named{"Server", cmp.Or(wording.Clean(run.Server.Name), "-")}, named{"By", cmp.Or(wording.Clean(run.User), "-")})
}

// estimateDetail is what a statistician asks for.
func estimateDetail(t *trials.Recorded) []doc.Field {
	r, e := t.Registration, t.Result.Estimate
	if e.N == 0 || r.Design == inventory.DesignBeforeAfter {
		return nil
	}
	f := newEffect(&r.Outcome, e)
	median, of, by := f, "mean of "+plural.Count(e.N, "difference"), "Student's t"
	if r.Design == inventory.DesignRandomised {
		of, by = fmt.Sprintf("difference of the means of both groups, %s in all", plural.Count(e.N, unitNoun(r))), "Welch's t"
	}
	median.e.Mean = e.HodgesLehmann
	return []doc.Field{doc.F("Estimate", fmt.Sprintf("%s, %s; Hodges-Lehmann estimate %s; 95 %% interval by %s.",
		of, f.signed(), median.signed(), by))}
}

// designDetail is what was fixed before the first block.
func designDetail(t *trials.Recorded) []doc.Field {
	r := t.Registration
	if r.Design == inventory.DesignBeforeAfter {
		return nil
	}
	when, what, minus := "before the first block", "guards, seed %d and the whole schedule", "with the change minus without"
	if r.Design == inventory.DesignRandomised {
		when, what, minus = "before any change", "seed %d and the lot", "after the change minus before it"
	}
	all := []doc.Field{
		doc.F("Registered", fmt.Sprintf("%s: outcome, direction, smallest effect that matters %s, error probability %s, "+what+".",
			when, percent(r.MinEffect), percent(r.Alpha), r.Seed)),
		doc.F("Computed as", formText(&r.Outcome, minus)),
	}
	if r.Design.Switches() {
		all = append(all, doc.F("Tested by", "exact sign flip of the differences of pairs: the coins alone decide which sign each has if the change has no effect. The e-value is valid at any look."),
			doc.F("Stops early", fmt.Sprintf("only if the e-value reaches %d and the verdict is clear, or if a guard trips.", eBar)))
	}
	if t.Conditions.Reason != "" {
		all = append(all, doc.F("Why this design", wording.Clean(t.Conditions.Reason)))
	}
	return all
}

// formText says how the outcome of a block is computed, and minus what differences are.
func formText(o *trial.Outcome, minus string) string {
	cost, work := termsText(o.Cost), termsText(o.Work)
	switch o.Form {
	case trial.Log1p:
		return "mean of log(1 + x) of the samples; x is " + over(cost, work) + "."
	case trial.Difference:
		return over(cost, work) + ", summed over the samples of a block; " + minus + "."
	}
	return "logarithm of " + over(cost, work) + ", each summed over the samples of a block; " + minus + "."
}

func over(cost, work string) string {
	if work == "" {
		return cost
	}
	return "(" + cost + ") / (" + work + ")"
}

func termsText(list []trial.Term) string {
	parts := make([]string, len(list))
	for i, term := range list {
		parts[i] = wording.Clean(term.Metric) + " of " + wording.Clean(term.Object)
		if term.Weight != "" {
			parts[i] += " × " + wording.Clean(term.Weight)
		}
	}
	return strings.Join(parts, " + ")
}

package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// Benefit, effort and risk of a change.

// noMeasurement starts the benefit text of a rule that has no published figure. brings shows it only where there is no figure.
const noMeasurement = "No published measurement"

// brings returns the measured benefits, their conditions, and whether these are comparable here. A benefit measured elsewhere is
// no promise; without any, the text states that there is none.
func (w *writer) brings(r *Recommendation) []string {
	var all, unsure, none collect.Distinct
	elsewhere := false
	for _, b := range r.Benefits {
		like, known := b.Holds.Value()
		switch {
		case w.Whole:
			all.Add(benefitText(b))
		case known && !like:
			elsewhere = true
		case strings.HasPrefix(b.Text, noMeasurement):
			none.Add(w.briefBenefit(b))
		case known:
			all.Add(w.briefBenefit(b))
		default:
			unsure.Add(w.briefBenefit(b))
		}
	}
	switch {
	case len(all.Words) > 0:
		return w.some(all.Words, mostBenefits)
	case len(unsure.Words) > 0:
		return unsure.Words[:1]
	case len(none.Words) > 0:
		return none.Words[:1]
	case elsewhere:
		if w.brief {
			return []string{noMeasurement + " under conditions like these"}
		}
		return []string{noMeasurement + " under conditions like these (--all shows others)"}
	}
	return []string{noMeasurement}
}

// briefBenefit omits the source of a benefit, which vperf explain names. It also omits figures that a rule quotes as context,
// and conditions whose comparability is unknown: a screen has no room for them.
func (w *writer) briefBenefit(b advice.Expected) string {
	s := wording.OneLine(b.Text)
	if own := b.Own(); own != "" {
		return own
	}
	if b.When == "" {
		return s
	}
	if _, known := b.Holds.Value(); !known && w.brief {
		return s + ", measured elsewhere; comparability unknown"
	}
	s += " (" + wording.OneLine(b.When) + "); "
	if like, known := b.Holds.Value(); known && like {
		return s + "conditions here are comparable"
	}
	return s + "comparability unknown"
}

// takes returns the effort, who makes the change, and the main tradeoff: that of the change, or else of removing the cause.
func (w *writer) takes(r *Recommendation) []string {
	if w.Whole {
		return takesTexts(r)
	}
	all := []string{workText(r)}
	rules := []*advice.Rule{r.Rule}
	for _, f := range slices.Backward(r.Findings) {
		if len(f.Remedies) > 0 {
			rules = slices.Insert(rules, 0, f.Rule)
		}
	}
	for _, rule := range rules {
		if s := wording.OneLine(rule.Tradeoff); s != "" {
			return []string{all[0] + ". " + s}
		}
	}
	return all
}

// workText returns the effort of the change, and whether vperf can make it.
func workText(r *Recommendation) string {
	if effort := effortText(r.Effort); effort != "" {
		return effort + ", " + riskText(r)
	}
	return riskText(r)
}

// impact returns the current loss by the symptoms, and their duration; on a screen without the reasons of unread values.
func (w *writer) impact(r *Recommendation) []string {
	parts, of := len(r.Parts), over(w.View)
	if w.brief {
		parts, of = mostParts, ""
	}
	var all []string
	switch lost, state, reason := r.Impact.Lost.Get(); {
	case state == inventory.StateKnown && lost > 0:
		all = append(all, lossText(lost)+partLosses(r, parts))
	case state == inventory.StateKnown:
		all = append(all, "VMs lose no vCPU time")
	case state == inventory.StateUnread && reason != "" && w.brief:
		all = append(all, "vCPU time lost: unknown")
	case state == inventory.StateUnread && reason != "":
		all = append(all, "vCPU time lost by VMs: unknown ("+reason+")")
	}
	if s := w.shareText(r, of); s != "" {
		all = append(all, s)
	}
	return all
}

// shareText returns the share of samples with the symptom, and their period.
func (w *writer) shareText(r *Recommendation, of string) string {
	share, state, reason := r.Impact.Share.Get()
	n, all, exact := samples(share, r.Symptoms)
	switch {
	case state == inventory.StateUnread && reason != "":
		return "duration unknown (" + reason + ")"
	case state != inventory.StateKnown:
		return ""
	case exact && n == all:
		return "in all " + plural.Count(int(all), "sample") + of
	case exact:
		return fmt.Sprintf("in %d of %s%s", n, plural.Count(int(all), "sample"), of)
	case share == 1:
		return "in all samples" + of
	}
	return "in " + wording.Percent(share) + " of the samples" + of
}

// wantsConfiguration reports whether naming a configuration would provide the fact that was not read for this reason.
func wantsConfiguration(reason string) bool { return strings.Contains(reason, "--from") }

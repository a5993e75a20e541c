package trialreport

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/trial"
)

// guardRows is the table of guards with the highest sample of both states.
func guardRows(t *trials.Recorded) [][]string {
	r := t.Registration
	rows := [][]string{{"GUARD", "LIMIT", "WORST WITHOUT", "WORST WITH", "HARM", "TRIPPED"}}
	for g := range r.Guards {
		guard := &r.Guards[g]
		unit := wording.Clean(guard.Unit)
		show := func(v float64, known bool) string {
			if !known {
				return "-"
			}
			return wording.WithUnit(wording.Number(v), unit)
		}
		limit, limited := lowestLimit(r, g)
		without, hasWithout := worstSample(t, g, false)
		with, hasWith := worstSample(t, g, true)
		row := []string{wording.Clean(guard.Title), show(limit, limited), show(without, hasWithout), show(with, hasWith), "-", "no"}
		if i := slices.IndexFunc(t.Result.Harm, func(h trial.HarmValue) bool { return h.Of == guard.ID }); i >= 0 {
			row[4] = evidence(t.Result.Harm[i].E)
		}
		if i := slices.IndexFunc(t.Result.Trips, func(p trial.Trip) bool { return p.Guard == guard.ID }); i >= 0 {
			row[5] = wording.Clean(t.Result.Trips[i].Text)
		}
		rows = append(rows, row)
	}
	return rows
}

// worstSample returns the worst sample of a guard in one of both states.
func worstSample(t *trials.Recorded, guard int, treated bool) (worst float64, known bool) {
	below := t.Registration.Guards[guard].Below
	for i := range t.Blocks {
		b := &t.Blocks[i]
		for u := range b.Units {
			if u >= len(b.Treated) || b.Treated[u] != treated {
				continue
			}
			for _, s := range b.Units[u].Samples {
				if guard >= len(s.Guards) || s.Guards[guard] < 0 { // -1: unknown
					continue
				}
				if v := s.Guards[guard]; !known || v > worst && !below || v < worst && below {
					worst, known = v, true
				}
			}
		}
	}
	return worst, known
}

// droppedRows is the table of pairs that do not count.
func droppedRows(t *trials.Recorded) [][]string {
	r := t.Registration
	rows := [][]string{{"PAIR", unitWord(r), "REASON"}}
	for _, p := range t.Result.Pairs {
		if p.Dropped != "" && p.Unit < len(r.Units) {
			rows = append(rows, []string{strconv.Itoa(p.Pair + 1), wording.Clean(r.Units[p.Unit].Name), wording.Clean(p.Dropped)})
		}
	}
	return rows
}

// blockRows is the table of all blocks: what was measured of each unit, before any statistics.
func blockRows(t *trials.Recorded) [][]string {
	r := t.Registration
	rows := [][]string{{"BLOCK", unitWord(r), "STATE", "COST", "WORK", "VALUE", "SAMPLES", "BEGAN", "DROPPED"}}
	for i := range t.Blocks {
		b := &t.Blocks[i]
		for u := range b.Units {
			if u >= len(r.Units) || u >= len(b.Treated) {
				continue
			}
			rows = append(rows, blockRow(r, b, u))
		}
	}
	return rows
}

func blockRow(r *trial.Registration, b *trial.Block, unit int) []string {
	ub := &b.Units[unit]
	row := []string{
		strconv.Itoa(number(b)), wording.Clean(r.Units[unit].Name), "without", "-", "-", "-", strconv.Itoa(len(ub.Samples)),
		b.Begin.UTC().Format("2006-01-02 15:04:05Z"), cmp.Or(wording.Clean(ub.Dropped), "-"),
	}
	if b.Treated[unit] {
		row[2] = "with"
	}
	if len(ub.Outcomes) > 0 && ub.Outcomes[0].Known {
		v := ub.Outcomes[0]
		row[3], row[4], row[5] = wording.Number(v.Cost), wording.Number(v.Work), wording.Number(r.Outcome.Form.Shown(v.Value))
	}
	return row
}

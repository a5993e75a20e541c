package trials

import (
	"io/fs"
	"slices"

	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
	"github.com/vperf/vperf/rules"
)

// OutcomeLibrary reads the outcomes of vperf and their guards.
func OutcomeLibrary() (*trial.Library, error) {
	folder, err := fs.Sub(rules.FS, "outcomes")
	if err != nil {
		return nil, err
	}
	return trial.Load(folder)
}

// FirstOutcome puts a named outcome before the others.
func FirstOutcome(library *trial.Library, list []trial.Outcome, id string) ([]trial.Outcome, error) {
	if id == "" {
		return list, nil
	}
	first := library.Outcome(id)
	if first == nil {
		var ids []string
		for _, known := range library.Outcomes {
			ids = append(ids, known.ID)
		}
		return nil, &UnknownOutcomeError{id, ids}
	}
	rest := slices.DeleteFunc(list, func(x trial.Outcome) bool { return x.ID == first.ID })
	return append([]trial.Outcome{*first}, rest...), nil
}

// OutcomesOf returns the outcomes that suit the rules of a run; a run without rules can have any.
func OutcomesOf(run *tuning.Run, id string) ([]trial.Outcome, error) {
	library, err := OutcomeLibrary()
	if err != nil {
		return nil, err
	}
	var list []trial.Outcome
	for _, rule := range RulesOf(run) {
		for _, o := range library.For(rule) {
			if !slices.ContainsFunc(list, func(x trial.Outcome) bool { return x.ID == o.ID }) {
				list = append(list, o)
			}
		}
	}
	if len(list) == 0 {
		list = slices.Clone(library.Outcomes)
	}
	return FirstOutcome(library, list, id)
}

// UnknownOutcomeError says that there is no outcome of a name.
type UnknownOutcomeError struct {
	ID  string
	All []string
}

func (e *UnknownOutcomeError) Error() string { return "no outcome " + e.ID }

// All are the trials among runs, in their order.
func All(runs []*tuning.Run) (all []*Recorded, err error) {
	for _, run := range runs {
		if !IsTrial(run) {
			continue
		}
		t, err := Load(run)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

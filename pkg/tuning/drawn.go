package tuning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vperf/vperf/pkg/inventory"
)

// ResultDrawn is the result of a run that has drawn by lot which targets get the changes of its plan, and made none.
const ResultDrawn = "drawn"

// Draw records a plan of which a trial changes only a part, which the user makes. It reads and writes no setting, and needs
// no approval. The registration is the first note of the trial. The run's plan tells the wanted values later.
func Draw(e Estate, runs *Runs, p *Plan, t Options, registration json.RawMessage) (id string, err error) {
	if !json.Valid(registration) {
		return "", errors.New("registering a trial: the registration is not valid JSON")
	}
	if id, err = runs.newID(t.now()); err != nil {
		return "", err
	}
	held := runs.locks("trial "+id, &t)
	defer held.releaseAll()
	if err := held.take(ofRun(id)); err != nil {
		return "", err
	}
	w, err := runs.begin(e, p, t, id)
	if err != nil {
		return "", err
	}
	if err := w.record(Record{Kind: RecordTrial, Trial: registration}); err != nil {
		return "", closing(w, err)
	}
	return id, w.end(ResultDrawn, "")
}

// NoteDrawn adds a note to a run that [Draw] made, such as its verdict after days. It returns an error for any other run.
func NoteDrawn(e Estate, runs *Runs, id string, t Options, note json.RawMessage) error {
	if !json.Valid(note) {
		return errors.New("noting in the journal of a trial: the note is not valid JSON")
	}
	held := runs.locks("trial "+id, &t)
	defer held.releaseAll()
	if err := held.take(ofRun(id)); err != nil {
		return err
	}
	run, err := runs.Get(id)
	switch {
	case err != nil:
		return err
	case !run.Trial() || run.Result != ResultDrawn:
		return fmt.Errorf("run %s has drawn no lot", id)
	case run.Server.UUID != e.Server.UUID:
		return fmt.Errorf("run %s was made on server %s", id, run.Server.Name)
	}
	w, err := runs.open(e, run, t)
	if err != nil {
		return err
	}
	return errors.Join(w.record(Record{Kind: RecordTrial, Trial: note}), w.journal.close())
}

// Values reads the live values of a run's plan: whether each step is made, not made, or neither, by [Step.ID].
func Values(ctx context.Context, e Estate, p *Plan) (map[int]StepValue, error) {
	all := map[int]StepValue{}
	for i := range p.Steps {
		s := &p.Steps[i]
		addresses := make([]Address, len(s.Changes))
		for k, c := range s.Changes {
			addresses[k] = c.Address
		}
		live, err := e.Settings.Read(ctx, s.Target, addresses)
		if err != nil {
			return nil, fmt.Errorf("reading the settings of %s: %w", s.Target.Name, err)
		}
		made, old := 0, 0
		var texts string
		unread := false
		for k, c := range s.Changes {
			_, state, _ := live[k].Get()
			unread = unread || state == inventory.StateUnread
			if Same(c.Address, live[k], c.After) {
				made++
			}
			if Same(c.Address, live[k], c.Before) {
				old++
			}
			if texts != "" {
				texts += ", "
			}
			texts += c.Key() + " is " + formatFact(live[k])
		}
		all[s.ID] = StepValue{Made: made == len(s.Changes), Old: old == len(s.Changes), Unread: unread, Text: texts}
	}
	return all, nil
}

// StepValue is what a target has of a step's changes.
type StepValue struct {
	Made   bool   // all settings have the wanted values
	Old    bool   // all settings have the values from before
	Unread bool   // a setting could not be read, so neither is known
	Text   string // the settings with their values
}

package trialreport

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// The schemas of the documents.
const (
	PlanSchema   = "vperf.trial-plan/v1"
	ResultSchema = "vperf.trial-result/v1"
	ListSchema   = "vperf.trials/v1"
)

type jsonPlan struct {
	Schema       string              `json:"schema"`
	Rule         string              `json:"rule"`
	Possible     bool                `json:"possible"` // a trial can measure the change
	Design       inventory.Design    `json:"design"`
	Reason       string              `json:"reason,omitempty"`
	Simulated    bool                `json:"simulated"`
	LastsSeconds float64             `json:"lastsSeconds,omitempty"`
	Command      string              `json:"command,omitempty"`
	Conditions   *trials.Conditions  `json:"conditions,omitempty"`
	Prospects    []trial.Prospect    `json:"prospects,omitempty"`
	Registration *trial.Registration `json:"registration,omitempty"`
}

// PlanJSON writes a plan as JSON.
func PlanJSON(w io.Writer, in PlanInput) error {
	out := jsonPlan{
		Schema: PlanSchema, Rule: in.rule(), Possible: in.How.Design == inventory.DesignRandomised && !in.Manual, Design: in.How.Design, Reason: in.How.Reason, Simulated: in.Conditions.Simulated,
	}
	if r := in.Registration; r != nil {
		out.Possible, out.Design, out.Reason = true, r.Design, in.Conditions.Reason
		out.LastsSeconds, out.Registration, out.Conditions, out.Prospects = in.Lasts.Seconds(), r, &in.Conditions, in.Prospects
		out.Command = repeatCommand(r, &in.Conditions)
	}
	return writeJSON(w, "the plan of the trial", out)
}

type jsonPercent struct {
	Effect float64  `json:"effect"`
	Low    *float64 `json:"low,omitempty"` // of the 95 % interval; absent: it has no end
	High   *float64 `json:"high,omitempty"`
}

// percentages returns an estimate in percent, or nil if there is none.
func percentages(e trial.Estimate) *jsonPercent {
	if e.N == 0 || e.Form == trial.Difference && e.Base <= 0 {
		return nil
	}
	p := &jsonPercent{}
	var low, high float64
	if p.Effect, low, high = e.Percent(); e.Bounded() {
		p.Low, p.High = &low, &high
	}
	return p
}

type jsonRow struct {
	Schema    string           `json:"schema,omitempty"`
	Run       string           `json:"run"`
	Server    tuning.Server    `json:"server"`
	User      string           `json:"user,omitempty"`
	Version   string           `json:"version,omitempty"`
	Began     time.Time        `json:"began,omitzero"`
	Ended     time.Time        `json:"ended,omitzero"`
	Rule      string           `json:"rule"`
	Outcome   string           `json:"outcome"`
	Units     []string         `json:"units"`
	Design    inventory.Design `json:"design"`
	Simulated bool             `json:"simulated"`
	Verdict   trial.Verdict    `json:"verdict"`
	Claim     string           `json:"claim"`
	Text      string           `json:"text"`
	Percent   *jsonPercent     `json:"percent,omitempty"`
	Kept      bool             `json:"kept"`
	Complete  bool             `json:"complete"` // the trial ended by itself; false: it was cut short, or waits
	Waiting   bool             `json:"waiting"`  // a lot is drawn and not judged yet
}

func rowJSON(t *trials.Recorded) jsonRow {
	r, res := t.Registration, t.Result
	row := jsonRow{
		Rule: r.Rule, Outcome: r.Outcome.ID, Units: []string{}, Design: r.Design, Simulated: t.Conditions.Simulated, Verdict: res.Verdict,
		Claim: res.Claim, Text: verdictSentence(t), Percent: percentages(res.Estimate), Kept: t.Kept, Complete: t.Ended, Waiting: t.Waiting(),
	}
	for _, u := range r.Units {
		row.Units = append(row.Units, u.Name)
	}
	if run := t.Run; run != nil {
		row.Run, row.Server, row.User, row.Version, row.Began, row.Ended = run.ID, run.Server, run.User, run.Version, run.Began, run.Ended
	}
	return row
}

type jsonTrial struct {
	jsonRow
	Settings     string              `json:"settings,omitempty"` // what became of them
	Command      string              `json:"command,omitempty"`  // that repeats the trial
	Conditions   trials.Conditions   `json:"conditions"`
	Result       *trial.Result       `json:"result"`
	Registration *trial.Registration `json:"registration"`
	Blocks       []trial.Block       `json:"blocks"`
}

// JSON writes all of a trial as JSON: registration, blocks with their raw samples, and result.
func JSON(w io.Writer, t *trials.Recorded) error {
	out := jsonTrial{jsonRow: rowJSON(t), Settings: aftermath(t), Conditions: t.Conditions, Result: t.Result, Registration: t.Registration, Blocks: t.Blocks}
	out.Schema = ResultSchema
	if out.Blocks == nil {
		out.Blocks = []trial.Block{}
	}
	if t.Registration.Design.Switches() {
		out.Command = repeatCommand(t.Registration, &t.Conditions)
	}
	return writeJSON(w, "the trial", out)
}

type jsonList struct {
	Schema string    `json:"schema"`
	Trials []jsonRow `json:"trials"`
}

// ListJSON writes trials as JSON, in the given order.
func ListJSON(w io.Writer, all []*trials.Recorded) error {
	out := jsonList{ListSchema, make([]jsonRow, len(all))}
	for i, t := range all {
		out.Trials[i] = rowJSON(t)
	}
	return writeJSON(w, "the list of trials", out)
}

func writeJSON(w io.Writer, what string, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing %s as JSON: %w", what, err)
	}
	return nil
}

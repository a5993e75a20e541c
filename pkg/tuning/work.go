package tuning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"time"
)

// Limits for operations that go on after an interruption: Ctrl-C ends a run after the step in flight, which has
// stepLimit to finish.
const (
	stepLimit      = 5 * time.Minute
	conditionLimit = time.Minute
)

// work is a run or rollback in progress.
type work struct {
	estate  Estate
	options Options
	run     *Run
	journal *journal
	// health is the health of hosts before the run changed anything on them, by id.
	health map[string]Health
	// hosts maps host keys to conditions, for their names.
	hosts survey
	// restoring is true while a trial is ended or recovered: vperf restores every value that it can reach, whatever the
	// health of the hosts, and saves the hosts' configuration once, at the end.
	restoring bool
	// unreached lists the reasons why values could not be restored for now.
	unreached []string
	// muted is true after the first event that could not be posted, so that only one warning is given.
	muted bool
}

func (t *Options) now() time.Time {
	if t.Now == nil {
		return time.Now()
	}
	return t.Now()
}

// begin creates a new run. If it returns an error, nothing remains of the run, and nothing was changed.
func (r *Runs) begin(e Estate, p *Plan, t Options, id string) (*work, error) {
	plan, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := r.disk.makeFolder(id); err != nil {
		return nil, fmt.Errorf("making the folder of run %s; nothing was changed: %w", id, err)
	}
	w, err := r.beginIn(e, p, t, id, plan)
	if err != nil {
		// What cannot be removed either is listed as a run that was interrupted before it began.
		return nil, errors.Join(err, r.disk.remove(id))
	}
	return w, nil
}

// Bytes that a journal takes: its first and last records, and the records of one change, of its rollback, and of the actions around them.
const (
	frameRoom  = 16 << 10
	changeRoom = 8 << 10
)

// journalRoom returns how many bytes the journal of a plan may take. A run that would fill the disk in the middle is not begun: it could not
// record the rollback either.
func journalRoom(p *Plan) int {
	size := frameRoom
	for _, s := range p.Steps {
		size += len(s.Changes) * changeRoom
	}
	return size
}

// room returns an error if the journal of a run cannot take what a run or rollback writes.
func (r *Runs) room(run *Run, of string) error {
	if run.Plan == nil {
		return nil
	}
	size := journalRoom(run.Plan)
	if err := r.disk.room(run.ID, size); err != nil {
		return fmt.Errorf("run %s: no room for the journal of the %s (%d KiB), which vperf writes before each change; nothing was changed: %w", run.ID, of, size>>10, err)
	}
	return nil
}

// beginIn creates the files of a new run in its folder.
func (r *Runs) beginIn(e Estate, p *Plan, t Options, id string, plan []byte) (*work, error) {
	if err := r.disk.create(path.Join(id, planFile), plan); err != nil {
		return nil, fmt.Errorf("saving the plan of run %s; nothing was changed: %w", id, err)
	}
	run := &Run{ID: id, Plan: p}
	if err := r.room(run, "run"); err != nil {
		return nil, err
	}
	run.begin(nil)
	w, err := r.open(e, run, t)
	if err != nil {
		return nil, err
	}
	begin := t.begin(e.Server)
	begin.Digest, begin.File = p.Digest, hashOf(plan)
	if err = w.journal.prove(""); err == nil {
		err = w.record(Record{Kind: RecordRunBegin, Begin: begin, End: true})
	}
	if err != nil {
		return nil, errors.Join(err, w.journal.close())
	}
	return w, nil
}

func (t *Options) begin(server Server) *Begin {
	return &Begin{Server: server, User: t.User, Version: t.Version, Reason: t.Reason, Ticket: t.Ticket, Restores: t.restores}
}

// open opens a run's journal for writing.
func (r *Runs) open(e Estate, run *Run, t Options) (*work, error) {
	if run.breakage != nil {
		return nil, run.breakage
	}
	name := path.Join(run.ID, journalFile)
	file, err := r.disk.open(name)
	if err == nil {
		// Cut off an incomplete last line before appending.
		err = errors.Join(file.Truncate(run.size), file.Sync())
	}
	if err != nil {
		return nil, fmt.Errorf("opening the journal of run %s: %w", run.ID, err)
	}
	end, err := r.disk.open(path.Join(run.ID, endFile))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the end of the journal of run %s: %w", run.ID, err), file.Close())
	}
	j := &journal{file: file, end: end, now: t.now, seq: len(run.Records), previous: run.last}
	w := &work{estate: e, options: t, run: run, journal: j, health: map[string]Health{}, hosts: survey{}}
	if run.ending.records < len(run.Records) { // a kill left the end behind
		_ = w.proveRecords() // if it fails, nothing is recorded
	}
	return w, nil
}

// record appends a record durably and applies it to the run.
func (w *work) record(r Record) error {
	r, err := w.journal.append(r)
	if err != nil {
		return err
	}
	w.run.take(r)
	return w.proveRecords()
}

// proveRecords makes the records up to the last one provable.
func (w *work) proveRecords() error {
	result := w.run.Result
	if result != "" && w.run.Open() {
		result = ""
	}
	return w.journal.prove(result)
}

// warn reports and records a fault that does not affect the changes.
func (w *work) warn(step int, target Target, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	w.progress(step, target, text)
	return w.record(Record{Kind: RecordWarned, Step: step, Target: &target, Text: text})
}

func (w *work) progress(step int, target Target, text string) {
	if w.options.OnProgress != nil {
		w.options.OnProgress(Progress{Step: step, Target: target, Text: text})
	}
}

// stop ends a run between two steps, without a failure.
type stop struct {
	why   string
	cause error
}

func (s *stop) Error() string { return s.why }
func (s *stop) Unwrap() error { return s.cause }

// mayBegin returns an error if the next step must not begin.
func (w *work) mayBegin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &stop{"it was interrupted", err}
	}
	if window := w.options.Window; window != nil && !window.Contains(w.options.now()) {
		return &stop{fmt.Sprintf("the window %s has ended", window), nil}
	}
	return nil
}

// condition returns the current condition of a target, even if the run is being interrupted.
func (w *work) condition(ctx context.Context, target Target) (Condition, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), conditionLimit)
	defer cancel()
	all, err := w.estate.Settings.Survey(ctx, []Target{target})
	if err == nil && len(all) != 1 {
		err = errors.New("unexpected number of objects in the answer")
	}
	if err != nil {
		return Condition{}, fmt.Errorf("reading the state of %s: %w", target.Name, err)
	}
	return all[0], nil
}

// end records how the run ended and closes its journal.
func (w *work) end(result, why string) error {
	return errors.Join(w.record(Record{Kind: RecordRunEnd, Result: result, Text: why}), w.journal.close())
}

func (w *work) outcome() *Outcome {
	return &Outcome{Run: w.run.ID, Results: w.run.Results, Warnings: w.run.Warnings}
}

// wait pauses until d has passed or ctx is done.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Run makes the trial of a registration with a switching design and returns its result.
//
// It ends when as many pairs count as are planned, or after the last spare pair.
//
// tell hears what happens; an error of it ends the trial. Run ends early if the e-value decides, a guard trips, ctx
// ends, or switching or sampling fails; then the result is that of the pairs there are, and says why. An error is
// returned, beside the result, if tell, the switch, the samples or the events failed; a context that ended is none.
// Run never restores the original values: the caller does, in every case.
func Run(ctx context.Context, r *Registration, on Estate, tell func(Progress) error) (*Result, error) {
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("checking the registration: %w", err)
	}
	meter, err := NewMeter(r)
	if err != nil {
		return nil, err
	}
	e := &engine{r: r, on: on, tell: tell, meter: meter, watch: newWatch(r), result: Analyse(r, nil)}
	end := e.run(ctx)
	e.result.Stop, e.result.Stopped = end.kind, end.text
	e.result.Trips = e.watch.trips
	return e.result, end.err
}

// engine is a running trial.
type engine struct {
	r      *Registration
	on     Estate
	tell   func(Progress) error
	meter  *Meter
	watch  *watch
	blocks []Block
	heard  hearing
	result *Result
	now    time.Time // of the newest sample
}

// ending is why a trial ends.
type ending struct {
	kind StopKind
	text string
	err  error
}

func (e *engine) run(ctx context.Context) ending {
	for pair := range e.r.Pairs {
		for half := range 2 {
			if end := e.block(ctx, pair, half); end != nil {
				return *end
			}
		}
		complete := e.r.complete(e.result)
		if end := e.enough(pair, complete); end != nil {
			return e.confirmed(ctx, *end)
		}
		if complete {
			break
		}
	}
	return e.confirmed(ctx, ending{kind: StopPlanned})
}

// enough returns why the trial ends early after a pair, or nil. A guard that shows harm comes before the evidence for an effect, unless that
// is the same harm. complete: as many pairs count as planned.
func (e *engine) enough(pair int, complete bool) *ending {
	early := e.result.Decisive() && !complete && pair+1 < e.r.Pairs
	if of, value := e.result.Harmful(); of != "" && (!early || e.result.Verdict != Worse) {
		return e.trip(Trip{Guard: of, How: "harm", Unit: -1, Value: value, Limit: harmBar,
			Text: fmt.Sprintf("%s gets worse with the change: one-sided e-value %.0f", of, value)}, StopGuard)
	}
	if early {
		return &ending{kind: StopEarly, text: fmt.Sprintf("the e-value reached %d after pair %d of %d", bar, pair+1, e.r.Expected(e.result.Dropped))}
	}
	return nil
}

// confirmed reads the settings after the last block, as the switch to the next one would: if somebody else changed one, that block
// does not count.
func (e *engine) confirmed(ctx context.Context, end ending) ending {
	if _, err := e.on.Switch.Set(ctx, e.blocks[len(e.blocks)-1].Treated); err != nil {
		return *e.failed(ctx, StopSwitch, "reading the settings after the last block", err)
	}
	return end
}

// block switches, measures one block and reports it. It returns nil if the trial goes on.
func (e *engine) block(ctx context.Context, pair, half int) *ending {
	treated := e.r.Schedule[pair].Treated(half)
	at, err := e.on.Switch.Set(ctx, treated)
	if err != nil {
		return e.failed(ctx, StopSwitch, "switching", err)
	}
	e.meter.Begin()
	e.meter.rewind(at)
	b := Block{Pair: pair, Half: half, Begin: at, End: at.Add(e.r.Block), Treated: treated}
	e.watch.begin(&b)
	e.now = at
	if end := e.report(Progress{Kind: BlockBegan, Block: &b}); end != nil {
		return end
	}
	end := e.sample(ctx, &b)
	measured := e.meter.Block(b.Begin, b.End, e.r.Settle)
	b.Units = measured.Units
	if end != nil {
		for u := range b.Units {
			b.Units[u].Dropped = "the trial ended in this block"
		}
	}
	e.heard.apply(&b)
	e.watch.learn(&b)
	if end == nil {
		if trip := e.watch.soft(&b); trip != nil {
			end = e.trip(*trip, StopGuard)
		}
	}
	e.blocks = append(e.blocks, b)
	if end == nil && e.silent() {
		err := fmt.Errorf("no sample was taken in %d blocks: compare the clocks of hosts and server", silentBlocks)
		end = &ending{StopSamples, err.Error(), err}
	}
	return e.done(len(e.blocks)-1, half == 1, end)
}

// silentBlocks without any sample, one after the other, end a trial.
const silentBlocks = 6

func (e *engine) silent() bool {
	if len(e.blocks) < silentBlocks {
		return false
	}
	for _, b := range e.blocks[len(e.blocks)-silentBlocks:] {
		for u := range b.Units {
			if len(b.Units[u].Samples) > 0 {
				return false
			}
		}
	}
	return true
}

// done reports a block, and the result if a pair is complete. end is how the trial ends anyway, or nil.
func (e *engine) done(index int, pair bool, end *ending) *ending {
	p := Progress{Kind: BlockDone, Block: &e.blocks[index]}
	if pair || end != nil {
		e.result = Analyse(e.r, e.blocks)
		p.Result = e.result
	}
	if told := e.report(p); end == nil {
		return told
	}
	return end
}

// Patience with samples that do not come.
const (
	patientRounds = 6   // without a sample, or after another unit has reached the end of the block
	backlogRounds = 180 // of samples that hosts had kept: an hour
)

// roundsPerHearing is after how many samples events are read, which is a call to the server. They are also read at the end of a block.
const roundsPerHearing = 2

// sample reads rounds until every unit's samples have reached the end of the block.
func (e *engine) sample(ctx context.Context, b *Block) *ending {
	most := int(e.r.Block/e.r.Interval) + patientRounds + backlogRounds
	for rounds, idle := 0, 0; rounds < most && idle < patientRounds; rounds++ {
		round, err := e.on.Samples.Next(ctx)
		if err != nil {
			return e.failed(ctx, StopSamples, "reading samples", err)
		}
		if round.Past {
			continue
		}
		newest := e.now
		trip, fresh := e.add(round, b)
		switch {
		case e.some(b):
			if e.now.After(newest) || len(round.Frames) == 0 { // others are late samples, which cost no time
				idle++
			}
		case fresh:
			idle = 0
		default:
			idle++
		}
		ends := trip != nil || e.every(b.End)
		if ends || rounds%roundsPerHearing == 1 {
			if end := e.hear(ctx, b); end != nil {
				return end
			}
		}
		if end := e.report(Progress{Kind: SampleTaken, Block: b, Guards: e.watch.readings}); end != nil {
			return end
		}
		if trip != nil {
			return e.trip(*trip, StopGuard)
		}
		if ends {
			return nil
		}
	}
	return e.hear(ctx, b)
}

// add takes the frames of a round. fresh reports whether a unit has a new sample.
func (e *engine) add(round *esxtop.Round, b *Block) (trip *Trip, fresh bool) {
	for _, f := range round.Frames {
		if f.Time.After(e.now) {
			e.now = f.Time
		}
		for _, u := range e.meter.Add(f) {
			fresh = true
			if t := e.watch.sample(b, u, e.meter.newest(u)); trip == nil {
				trip = t
			}
		}
	}
	return trip, fresh
}

// some reports whether a unit has all samples of a block. Only then the others are late: a clock that jumped ahead
// reaches the end without them.
func (e *engine) some(b *Block) bool {
	from := b.Begin.Add(e.r.Settle)
	for u := range e.r.Units {
		if e.meter.reached(u, b.End) && e.meter.incomplete(u, within(e.meter.samples[u], from, b.End), from, b.End) == "" {
			return true
		}
	}
	return false
}

// every reports whether the samples of all units have reached a moment.
func (e *engine) every(end time.Time) bool {
	for u := range e.r.Units {
		if !e.meter.reached(u, end) {
			return false
		}
	}
	return true
}

// hear reads events. An event that belongs to an earlier block drops it, and the block is reported again.
func (e *engine) hear(ctx context.Context, b *Block) *ending {
	if e.on.Events == nil {
		return nil
	}
	first := b.Begin
	if len(e.blocks) > 0 {
		first = e.blocks[0].Begin
	}
	since := b.Begin.Add(-e.r.Block)
	if since.Before(first) {
		since = first
	}
	list, err := e.on.Events.Since(ctx, since)
	if err != nil {
		return e.failed(ctx, StopEvents, "reading events", err)
	}
	for _, event := range e.heard.fresh(list, first) {
		if event.Kind == Stops {
			return e.trip(Trip{Guard: "event", How: "event", Unit: event.unit(), Text: event.Text}, StopEvent)
		}
		for i := range e.blocks {
			if event.apply(&e.blocks[i]) {
				if end := e.done(i, true, nil); end != nil {
					return end
				}
			}
		}
	}
	return nil
}

// trip records and reports a guard that ends the trial.
func (e *engine) trip(t Trip, kind StopKind) *ending {
	e.watch.trips = append(e.watch.trips, t)
	if end := e.report(Progress{Kind: GuardTripped, Trip: &t}); end != nil {
		return end
	}
	return &ending{kind: kind, text: t.Text}
}

func (e *engine) report(p Progress) *ending {
	p.Time = e.now
	if err := e.tell(p); err != nil {
		return &ending{StopCaller, err.Error(), err}
	}
	return nil
}

// failed ends the trial after an error. A context that ended is no error, and a foreign change has its own kind.
func (e *engine) failed(ctx context.Context, kind StopKind, doing string, err error) *ending {
	if ctx.Err() != nil {
		return &ending{kind: StopInterrupted, text: "interrupted"}
	}
	if _, foreign := errors.AsType[*ForeignError](err); foreign {
		return e.foreign(err)
	}
	err = fmt.Errorf("%s: %w", doing, err)
	return &ending{kind, err.Error(), err}
}

// foreign ends the trial after somebody else changed a setting. That was after the last switch: the last block does not count.
func (e *engine) foreign(err error) *ending {
	end := &ending{StopForeign, err.Error(), err}
	if len(e.blocks) > 0 && e.blocks[len(e.blocks)-1].drop(nil, "somebody else changed a setting") {
		return e.done(len(e.blocks)-1, true, end)
	}
	return end
}

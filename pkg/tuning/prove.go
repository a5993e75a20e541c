package tuning

import (
	"context"
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// prove verifies, after a restart, the values that were written before it or while the VM was off.
func (w *work) prove(ctx context.Context, u *unit) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepLimit)
	defer cancel()
	written := w.resultIndexes(u, func(c *Result) bool { return c.State == StatePending || c.State == StateDone || c.State == StateUndone })
	var addresses []Address
	for _, i := range written {
		addresses = append(addresses, w.run.Results[i].Address)
	}
	if len(addresses) == 0 {
		return nil
	}
	live, err := w.read(ctx, u.target, addresses)
	if err != nil {
		return err
	}
	var gone []string
	for _, i := range slices.Backward(written) {
		c := w.run.Results[i]
		record, lost := c.proof(live[c.Key()])
		if err := w.record(record); err != nil {
			return err
		}
		if lost != "" {
			gone = append(gone, lost)
		}
	}
	return sentences(gone)
}

// proof returns the record of a change after a restart, and an error text if the value is lost.
func (c *Result) proof(now value) (Record, string) {
	entry := Entry{Address: c.Address, Now: now, State: StateProven}
	record := Record{Kind: RecordProven, Step: c.Step, Target: &c.Target}
	switch {
	case Same(c.Address, now, c.Now) && c.State == StateUndone:
		entry.State = StateUndone
	case Same(c.Address, now, c.Now):
	default:
		why := fmt.Sprintf("after the restart %s of %s is %s, not %s", c.Key(), c.Target.Name, formatFact(now), formatFact(c.Now))
		record.Kind, record.Text = RecordFailed, why
		entry.State, entry.Why = StateWrong, why
		if c.State != StateUndone && Same(c.Address, now, c.Before) {
			entry.State = StateFailed
		}
		if _, state, _ := now.Get(); state == inventory.StateUnread {
			entry.State, entry.Waits = c.State, c.Waits
		}
		record.Changes = []Entry{entry}
		return record, why
	}
	record.Changes = []Entry{entry}
	return record, ""
}

package change

import (
	"context"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// singleReadWriter writes settings for which one read of the target returns everything needed.
type singleReadWriter[T any] struct {
	readAll func(ctx context.Context, s *estate, t tuning.Target) (T, error)
	// value extracts the setting from the read data; lacking is the meaning of an absent value.
	value       func(T, tuning.Address) valueFact
	absentMeans string
	// refuse returns why a value, in the type that was read, must not be planned.
	refuse func(T, tuning.Address, inventory.Value) string
	// group names settings that change together; "" for a setting that changes alone.
	group string
	// set receives a value in the type that was read: any previous value, including those that refuse rejects.
	set func(ctx context.Context, s *estate, now T, v inventory.Value) error
	// send makes the call without reading first; if nil, set makes it.
	send func(ctx context.Context, s *estate, t tuning.Target, all []tuning.Assignment) error
}

func (w *singleReadWriter[T]) previews(ctx context.Context, s *estate, c tuning.Condition, want []tuning.Assignment) ([]tuning.Preview, error) {
	now, err := w.readAll(ctx, s, c.Target)
	if err != nil {
		return nil, err
	}
	out := make([]tuning.Preview, len(want))
	for i, a := range want {
		out[i] = preview(a, w.value(now, a.Address), w.absentMeans, func(v inventory.Value) string { return w.refuse(now, a.Address, v) })
		out[i].Group = w.group
	}
	return out, nil
}

func (w *singleReadWriter[T]) read(ctx context.Context, s *estate, t tuning.Target, addresses []tuning.Address) ([]valueFact, error) {
	now, err := w.readAll(ctx, s, t)
	if err != nil {
		return nil, err
	}
	out := make([]valueFact, len(addresses))
	for i, a := range addresses {
		out[i] = w.value(now, a)
	}
	return out, nil
}

func (w *singleReadWriter[T]) write(ctx context.Context, s *estate, t tuning.Target, all []tuning.Assignment) error {
	if w.send != nil {
		return w.send(ctx, s, t, all)
	}
	v, err := single(all)
	if err != nil {
		return err
	}
	now, err := w.readAll(ctx, s, t)
	if err != nil {
		return err
	}
	old, err := requireKnown("present value", w.value(now, all[0].Address))
	if err != nil {
		return err
	}
	if v, err = convertType(v, old.Type); err != nil {
		return err
	}
	return w.set(ctx, s, now, v)
}

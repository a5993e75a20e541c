package expr

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/inventory"
)

// NoLiveCountersError makes a rule over live counters not applicable if none were measured.
type NoLiveCountersError struct{ Of any }

func (NoLiveCountersError) Error() string { return inventory.NoLiveCounters }

// Is makes errors.Is match ErrAbsent.
func (NoLiveCountersError) Is(target error) bool { return target == ErrAbsent }

// idleError makes a rule over live counters not applicable if there was nothing to measure, such as the latency of no
// commands.
type idleError struct{ metric string }

func (e idleError) Error() string      { return e.metric + ": there was no activity during the measurement" }
func (idleError) Is(target error) bool { return target == ErrAbsent }

// liveFunctions declares live for every kind of object that has counters.
func liveFunctions(e *cel.Env) (*cel.Env, error) {
	adapter := e.CELTypeAdapter()
	call := func(o, name ref.Val) ref.Val { return live(adapter, o, name) }
	for _, of := range []*cel.Type{celVM, celHost, celDatastore, celPNIC, celLUN, celVDisk} {
		var err error
		if e, err = member(fnLive, of, celSeries, call)(e); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// live returns the measured series of a counter.
func live(adapter types.Adapter, o, name ref.Val) ref.Val {
	metric := string(name.(types.String))
	var measured inventory.Live
	switch x := o.Value().(type) {
	case *inventory.VM:
		measured = x.Live
	case *inventory.Host:
		measured = x.Live
	case *inventory.Datastore:
		measured = x.Live
	case *inventory.PNIC:
		measured = x.Live
	case *inventory.LUN:
		measured = x.Live
	case *inventory.VDisk:
		measured = x.Live
	}
	s := measured.Lookup(metric)
	switch {
	case len(measured) == 0:
		return types.WrapErr(NoLiveCountersError{o.Value()})
	case s == nil:
		return Unread(o.Value(), metric, "the source of the counters does not provide it")
	case s.Samples == 0:
		return types.WrapErr(idleError{metric})
	}
	return adapter.NativeToValue(s)
}

// beyond returns the ratio of a series' samples that are worse than a limit. Without samples, it returns the minimum
// that follows from the summary.
func beyond(series, limit ref.Val) ref.Val {
	s, ok := series.Value().(*inventory.Series)
	if !ok {
		return types.NewErr("%s of a %s, not of a series", fnBeyond, series.Type().TypeName())
	}
	return types.Double(s.RatioBeyond(float64(limit.(types.Double))))
}

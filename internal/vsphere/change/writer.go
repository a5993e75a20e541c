package change

import (
	"context"
	"fmt"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// writer reads and writes settings of one kind, or of several kinds that are stored together and change in one call. All
// arguments of a call concern one target.
type writer interface {
	read(ctx context.Context, s *estate, t tuning.Target, addresses []tuning.Address) ([]inventory.Fact[inventory.Value], error)
	write(ctx context.Context, s *estate, t tuning.Target, all []tuning.Assignment) error
}

// writerOf finds the writer of a setting. A kind without a writer is explained to the user but never written.
func writerOf(a tuning.Address) (writer, error) {
	setting, err := inventory.LookupSetting(a.Setting)
	if err != nil {
		return nil, err
	}
	w := writers[setting.Kind.Name]
	if w == nil || !setting.Kind.Applicable() {
		return nil, fmt.Errorf("vperf explains %s but never writes it", a.Setting)
	}
	return w, nil
}

// previewer is a writer that can predict the effect of assignments, one target at a time.
type previewer interface {
	previews(ctx context.Context, s *estate, c tuning.Condition, want []tuning.Assignment) ([]tuning.Preview, error)
}

// byWriter groups settings by their writers, as indexes into the list, and returns the settings without a writer.
func byWriter(addresses []tuning.Address) (groups map[writer][]int, refused map[int]error) {
	groups, refused = map[writer][]int{}, map[int]error{}
	for i, a := range addresses {
		w, err := writerOf(a)
		if err != nil {
			refused[i] = err
			continue
		}
		groups[w] = append(groups[w], i)
	}
	return groups, refused
}

func addressesOf(all []tuning.Assignment) []tuning.Address {
	out := make([]tuning.Address, len(all))
	for i, a := range all {
		out[i] = a.Address
	}
	return out
}

func chosen[T any](list []T, places []int) []T {
	out := make([]T, len(places))
	for i, p := range places {
		out[i] = list[p]
	}
	return out
}

func placed[T any](list []T, places []int, found []T) {
	for i, p := range places {
		list[p] = found[i]
	}
}

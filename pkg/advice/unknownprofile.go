package advice

import (
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/advice/internal/memo"
	"github.com/vperf/vperf/pkg/inventory"
)

// choice is the profile of an object, and the reason for it.
type choice struct {
	profile Profile
	why     string
	// possible lists the profiles that an object of unknown profile may have, and unread the facts that decide it. The last one is that
	// of an object without anything special in these facts.
	possible []Profile
	unread   []inventory.Gap
}

// undecided collects the profiles that an object may have because facts are unread.
type undecided struct {
	why      string
	possible []Profile
	unread   []inventory.Gap
}

// unless adds a profile that the object may have if facts are unread.
func (u *undecided) unless(p Profile, unread []inventory.Gap) {
	if len(unread) > 0 {
		u.possible, u.unread = append(u.possible, p), append(u.unread, unread...)
	}
}

// orElse returns the profile that the object has if it has none of those before.
func (u *undecided) orElse(p Profile, why string) choice {
	if len(u.possible) == 0 {
		return choice{profile: p, why: why}
	}
	return choice{profile: ProfileUnknown, why: u.why, possible: append(u.possible, p), unread: u.unread}
}

// unreadFact returns the gap of an unread fact. An absent fact is no gap.
func unreadFact[T any](o inventory.Object, name string, f inventory.Fact[T]) []inventory.Gap {
	if _, state, reason := f.Get(); state == inventory.StateUnread {
		return []inventory.Gap{inventory.GapOf(o, name, reason)}
	}
	return nil
}

// ofSeverity returns the profile whose severities an object's findings have.
func (c *choice) ofSeverity() Profile {
	if n := len(c.possible); n > 0 {
		return c.possible[n-1]
	}
	return c.profile
}

// eachProfile evaluates an expression for every profile that the object may have. If the results differ, the result is unknown.
func eachProfile(p *memo.Program, a *activation) (ref.Val, error) {
	defer func(unknown Profile) { a.profile = unknown }(a.profile)
	var all results
	for _, a.profile = range a.possible {
		all.add(a.memo.Run(p, a))
	}
	switch {
	case all.differ:
		return expr.UnknownOf(append(all.gaps, a.unread...)...), nil
	case len(all.gaps) > 0:
		return expr.UnknownOf(all.gaps...), nil
	}
	return all.first, all.err
}

// results are those of one expression for several profiles.
type results struct {
	some   bool
	first  ref.Val
	err    error
	differ bool
	gaps   []inventory.Gap // of the results that are unknown
}

func (r *results) add(v ref.Val, err error) {
	u, unknown := v.(*types.Unknown)
	if unknown {
		r.gaps = append(r.gaps, expr.GapsOf(u)...)
	}
	if !r.some {
		r.some, r.first, r.err = true, v, err
		return
	}
	_, were := r.first.(*types.Unknown)
	r.differ = r.differ || were != unknown || !unknown && !same(r.first, r.err, v, err)
}

// same reports whether two results of an expression are equal.
func same(v ref.Val, err error, w ref.Val, otherErr error) bool {
	if err != nil || otherErr != nil {
		return err != nil && otherErr != nil && err.Error() == otherErr.Error()
	}
	return v.Equal(w) == types.True
}

package trial

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTookEffect: only a counter that moves as it must, and surely, shows that a change took effect.
func TestTookEffect(t *testing.T) {
	size := Outcome{ID: "size", Form: Ratio, Shows: []string{"lro"}, Moves: Up}
	other := Outcome{ID: "cpu", Form: Ratio}
	many := func(mean float64) Estimate { return Estimate{Mean: mean, N: 8, Form: Ratio} }
	for name, c := range map[string]struct {
		witness string
		e       Estimate
		p       float64
		want    Sight
	}{
		"moves":               {"size", many(.7), .004, SeenYes},
		"moves the other way": {"size", many(-.7), .004, SeenNot},
		"does not move":       {"size", many(0), 1, SeenNot},
		"moves by chance":     {"size", many(.1), .3, SeenNot},
		"too few pairs":       {"size", Estimate{Mean: .7, N: 5, Form: Ratio}, .06, SeenUnable},
		"not measured":        {"gone", many(.7), .004, SeenUnable},
		"no counter":          {"", many(.7), .004, SeenUnable},
	} {
		r := &Registration{Outcome: other, Others: []Outcome{size}, Witness: c.witness, Alpha: .05}
		got := r.tookEffect(&Result{Estimate: many(-.1), P: .01, Others: []OtherResult{{Outcome: "size", Estimate: c.e, P: c.p}}})
		require.Equal(t, c.want, got.Seen, name)
		require.NotEmpty(t, got.Why, name)
	}
	primary := &Registration{Outcome: size, Witness: "size", Alpha: .05}
	require.Equal(t, SeenYes, primary.tookEffect(&Result{Estimate: many(.7), P: .01}).Seen, "the outcome that decides can show it too")
	require.Equal(t, "size", Witness("lro", []Outcome{other, size}).ID)
	require.Nil(t, Witness("numa-io", []Outcome{other, size}))
}

package trial

import "context"

// Run makes the trial of a registration with a switching design and returns its result.
//
// tell hears what happens; an error of it ends the trial. Run ends early if the e-value decides, a guard trips, ctx
// ends, or switching or sampling fails; then the result is that of the pairs there are, and says why. An error is
// returned, beside the result, if tell, the switch or the samples failed. Run never restores the original values: the
// caller does, in every case.
func Run(ctx context.Context, r *Registration, on Estate, tell func(Progress) error) (*Result, error) {
	panic("not written yet")
}

// Analyse computes the result from the blocks there are. It is a pure function of its arguments.
func Analyse(r *Registration, blocks []Block) *Result { panic("not written yet") }

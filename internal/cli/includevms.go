package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/pkg/advice"
)

// includeVMs is the flag for VMs that do not run, which most rules skip.
type includeVMs []string

func (o *includeVMs) addFlag(c *cobra.Command) {
	c.Flags().StringSliceVar((*[]string)(o), "include-vms", nil,
		"judge these VMs by every rule too: `STATES` are off and templates (default: only by rules that matter for them)")
	completeWords(c, map[string][]string{"include-vms": stringsOf(advice.VMStates())})
}

func (o includeVMs) check() error {
	for _, word := range o {
		if _, err := advice.ParseVMState(word); err != nil {
			return fmt.Errorf("--include-vms: %w", err)
		}
	}
	return nil
}

// states are the states that the flag names. Whoever names a VM asks for it, whatever its state.
func (o includeVMs) states(named bool) []advice.VMState {
	if named {
		return advice.VMStates()
	}
	states := make([]advice.VMState, len(o))
	for i, word := range o {
		states[i] = advice.VMState(word)
	}
	return states
}

package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
)

// TestWhatApplyRefuses applies to a whole server with objects that must not change: vperf names them and makes no writing call.
// With the permission that allows it, vperf writes them.
func TestWhatApplyRefuses(t *testing.T) {
	t.Parallel()
	for scenario, c := range map[string]struct {
		args  []string
		code  int
		said  []string
		leave []string
	}{
		"config-profile": {[]string{"host04", "--rule", "tso"}, exitRefused, []string{"configuration profile of cluster general", "--override-owner"}, []string{"--override-owner"}},
		"busy-host":      {[]string{"host01", "--rule", "numa-io"}, exitRefused, []string{"host01.demo.local", "another task is running on it: task HostSystem.scanHostPatchV2"}, nil},
		"free-licence":   {[]string{"host01", "--rule", "numa-io"}, exitUndone, []string{"the host's licence does not allow changes"}, nil},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			fleet, err := simfleet.Start(simfleet.Config{Scenarios: []string{scenario}})
			require.NoError(t, err)
			t.Cleanup(fleet.Close)
			v := newProgram(t, fleet.Endpoints()[0])
			args := append([]string{"apply", "--yes"}, c.args...)
			code, text := v.run(args...)
			require.Equal(t, c.code, code, text)
			for _, output := range c.said {
				require.Contains(t, text, output)
			}
			if c.code == exitRefused {
				require.Zero(t, writes(fleet), "no call that writes")
			} else {
				require.Equal(t, 1, writes(fleet), "the one that was refused, and nothing after it")
			}
			if c.leave != nil {
				v.must(t, exitPending, append(args, c.leave...)...)
				require.Equal(t, 1, fleet.Calls()["UpdateOptions"])
			}
		})
	}
}

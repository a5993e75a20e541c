package source

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAFewServersAtATime(t *testing.T) {
	f := new(Fleet)
	for range 12 {
		f.members = append(f.members, new(member))
	}
	f.members[3].failed, f.members[4].idle = ErrInterrupted, true
	var now, most, all atomic.Int32
	f.each(func(*member) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			continue // somebody else raised it
		}
		time.Sleep(5 * time.Millisecond)
		now.Add(-1)
		all.Add(1)
	})
	require.Equal(t, int32(atOnce), most.Load())
	require.Equal(t, int32(10), all.Load(), "those that failed and those with nothing in scope are left alone")
}

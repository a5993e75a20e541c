package source

import (
	"sync"
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
	together := make(chan struct{}) // closed when as many as may are asked
	full := sync.OnceFunc(func() { close(together) })
	f.each(func(*member) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			continue // somebody else raised it
		}
		if n == atOnce {
			full()
		}
		select {
		case <-together:
			time.Sleep(time.Millisecond) // for one more than may come
		case <-time.After(time.Minute):
		}
		now.Add(-1)
		all.Add(1)
	})
	require.Equal(t, int32(atOnce), most.Load())
	require.Equal(t, int32(10), all.Load(), "those that failed and those with nothing in scope are left alone")
}

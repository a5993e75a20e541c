package source

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOneServerAfterTheOther: a server that is finished in time was alone.
func TestOneServerAfterTheOther(t *testing.T) {
	f := &Fleet{members: []*member{{}, {idle: true}, {}, {failed: ErrInterrupted}, {}}}
	var now, done atomic.Int32
	f.inTurn(time.Hour, func(*member) {
		require.Equal(t, int32(1), now.Add(1))
		now.Add(-1)
		done.Add(1)
	})
	require.Equal(t, int32(3), done.Load())
}

// TestASlowServerDoesNotHoldUpOthers: the first server is not finished until the last one has been read.
func TestASlowServerDoesNotHoldUpOthers(_ *testing.T) {
	f := &Fleet{members: []*member{{}, {}, {}}}
	last := make(chan struct{})
	f.inTurn(time.Millisecond, func(m *member) {
		switch m {
		case f.members[0]:
			<-last
		case f.members[2]:
			close(last)
		}
	})
}

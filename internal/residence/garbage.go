package residence

import (
	"os"
	"runtime/debug"
	"sync"
)

// sooner counts the callers of CollectSooner that have not ended.
var sooner struct {
	sync.Mutex
	callers, percent int // the percentage of before
}

// CollectSooner has garbage collected when it is a smaller percentage of the heap, until end is called, unless GOGC is set. It is for seldom
// work with much memory: its peak is lower, and it takes more CPU time. If calls overlap, the first one's percentage applies until all ended.
func CollectSooner(percent int) (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	sooner.Lock()
	defer sooner.Unlock()
	if sooner.callers++; sooner.callers == 1 {
		sooner.percent = debug.SetGCPercent(percent)
	}
	return sync.OnceFunc(func() {
		sooner.Lock()
		defer sooner.Unlock()
		if sooner.callers--; sooner.callers == 0 {
			debug.SetGCPercent(sooner.percent)
		}
	})
}

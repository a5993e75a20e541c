package perhost

import "sync"

// hostsAtOnce is how many hosts are asked at the same time; each is asked one thing after the other.
const hostsAtOnce = 8

// SideBySide does something for each item, for some at a time, and returns when all is done.
func SideBySide[T any](all []T, do func(i int, item T)) {
	slots := make(chan struct{}, hostsAtOnce)
	var running sync.WaitGroup
	for i, item := range all {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			do(i, item)
		})
	}
	running.Wait()
}

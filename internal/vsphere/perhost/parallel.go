package perhost

import "sync"

// hostsAtOnce is how many hosts are asked in parallel; calls to one host are sequential.
const hostsAtOnce = 8

// Parallel calls do for each item, a few in parallel, and returns when all calls are done.
func Parallel[T any](all []T, do func(i int, item T)) {
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

package measure

import (
	"sync"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// perfRooms holds the memory of answers until the next ones come. The garbage collector would free a sync.Pool in each interval.
type perfRooms struct {
	mu   sync.Mutex
	free []*soapwire.Room
}

func (r *perfRooms) take() *soapwire.Room {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.free)
	if n == 0 {
		return new(soapwire.Room)
	}
	room := r.free[n-1]
	r.free = r.free[:n-1]
	return room
}

func (r *perfRooms) put(room *soapwire.Room) {
	room.Reset()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, room)
}

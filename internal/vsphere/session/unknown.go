package session

import "sync"

// UnknownPaths records the properties that the server's API does not have, so that each is requested only once.
type UnknownPaths struct {
	mu    sync.Mutex
	paths map[property]bool
}

// property is a path of a type, as used in queries.
type property struct{ of, path string }

// Has reports whether Add recorded this property of the type: the server's API does not have it.
func (u *UnknownPaths) Has(of, path string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.paths[property{of, path}]
}

// Add records that the server's API does not have this property of the type.
func (u *UnknownPaths) Add(of, path string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.paths == nil {
		u.paths = map[property]bool{}
	}
	u.paths[property{of, path}] = true
}

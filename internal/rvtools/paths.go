package rvtools

import (
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// mostPaths is the number of paths that a row of vMultiPath has columns for.
const mostPaths = 8

// pathNames are the names of the columns of paths and of their states.
var pathNames = func() (all [mostPaths][2]string) {
	for i := range all {
		all[i] = [2]string{fmt.Sprintf("Path %d", i+1), fmt.Sprintf("Path %d state", i+1)}
	}
	return all
}()

// fillPaths counts the paths of a disk. A row whose columns are all filled may have more paths than it shows.
func fillPaths(l *inventory.LUN, r *row) {
	n, active, dead := int64(0), int64(0), int64(0)
	for _, name := range pathNames {
		if r.text(name[0]) == "" {
			continue
		}
		n++
		switch strings.ToLower(r.text(name[1])) {
		case "active":
			active++
		case "dead":
			dead++
		case "":
			l.Paths, l.ActivePaths, l.DeadPaths = inventory.Known(n), inventory.Unread[int64](NotHere), inventory.Unread[int64](NotHere)
			return
		}
	}
	switch n {
	case 0:
	case mostPaths:
		more := inventory.Unread[int64]("the export has columns for 8 paths, and the disk may have more")
		l.Paths, l.ActivePaths, l.DeadPaths = more, more, more
	default:
		l.Paths, l.ActivePaths, l.DeadPaths = inventory.Known(n), inventory.Known(active), inventory.Known(dead)
	}
}

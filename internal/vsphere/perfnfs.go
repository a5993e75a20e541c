package vsphere

import (
	"context"
	"path"
	"strings"

	"github.com/vmware/govmomi/vim25/types"
)

const (
	pathStoreType = "summary.type"
	pathStoreURL  = "summary.url"
)

// nfsVolumes are the names of NFS volumes that hosts mount, by what counters call them: the last part of where they are mounted,
// ds:///vmfs/volumes/2cff1c4b-8c4c8a3f/. Counters of datastores do not say which are NFS. When they cannot be read there
// are none.
func nfsVolumes(ctx context.Context, s *Session, hosts []*perfHost) map[string]string {
	volumes := map[string]string{}
	q := &query{
		what: "datastores", page: pageOfIndex,
		paths: []types.PropertySpec{{Type: typeDatastore, PathSet: []string{pathName, pathStoreType, pathStoreURL}}},
	}
	for _, h := range hosts {
		q.from = append(q.from, types.ObjectSpec{Obj: ref{Type: typeHost, Value: h.moid}, Skip: new(true), SelectSet: []types.BaseSelectionSpec{
			&types.TraversalSpec{Type: typeHost, Path: "datastore"},
		}})
	}
	if q.from == nil {
		return volumes
	}
	_ = newReader(s).collect(ctx, q, func(p *props) {
		kind, _ := read(p, pathStoreType, asText, must).Value()
		url, _ := read(p, pathStoreURL, asText, must).Value()
		if strings.HasPrefix(kind, "NFS") && url != "" {
			volumes[path.Base(url)] = nameOf(p)
		}
	})
	return volumes
}

package measure

import (
	"context"
	"path"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
)

const (
	pathStoreType = "summary.type"
	pathStoreURL  = "summary.url"
)

// nfsVolumes returns the names of the NFS volumes that hosts mount, by the counters' instance: the last part of the mount
// location, ds:///vmfs/volumes/2cff1c4b-8c4c8a3f/. Counters of datastores do not show which ones are NFS. If the volumes cannot
// be read, the result is nil, and they are read again in the next round.
func nfsVolumes(ctx context.Context, s *session.Session, hosts []*perfHost) map[string]string {
	volumes := map[string]string{}
	q := &property.Query{
		What: "datastores", Page: property.PageOfIndex,
		Paths: []types.PropertySpec{{Type: property.TypeDatastore, PathSet: []string{tree.PathName, pathStoreType, pathStoreURL}}},
	}
	for _, h := range hosts {
		q.From = append(q.From, types.ObjectSpec{Obj: ref{Type: property.TypeHost, Value: h.moid}, Skip: new(true), SelectSet: []types.BaseSelectionSpec{
			&types.TraversalSpec{Type: property.TypeHost, Path: "datastore"},
		}})
	}
	if q.From == nil {
		return volumes
	}
	if err := property.NewReader(s).Collect(ctx, q, func(p *property.Props) {
		kind, _ := property.Read(p, pathStoreType, property.Text, property.Required).Value()
		url, _ := property.Read(p, pathStoreURL, property.Text, property.Required).Value()
		if strings.HasPrefix(kind, "NFS") && url != "" {
			volumes[path.Base(url)] = tree.NameOf(p)
		}
	}); err != nil {
		return nil
	}
	return volumes
}

package comparison

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/kept"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Keep stores the snapshot of each server that was read.
func Keep(ctx context.Context, streams *iostreams.IO, store kept.Store, s *inventory.Snapshot, from source.Source) error {
	servers := from.Servers(ctx)
	for _, v := range s.VCenters {
		if why := cmp.Or(v.Unread, v.NoTime); why != "" {
			fmt.Fprintf(streams.Err, "vperf: warning: no snapshot of %s is kept: %s\n", iostreams.Sanitize(v.Name), iostreams.Sanitize(why))
			continue
		}
		i := slices.IndexFunc(servers, func(t tuning.Server) bool { return t.Name == v.Name })
		if i < 0 {
			return fmt.Errorf("keeping a snapshot of %s: the server does not report its identity", v.Name)
		}
		one := &inventory.Snapshot{Schema: s.Schema, Source: v.Name, VCenters: []*inventory.VCenter{v}}
		saved, err := store.Save(kept.Server{Name: v.Name, UUID: servers[i].UUID, Simulated: servers[i].Sandbox}, one)
		if err != nil {
			return err
		}
		fmt.Fprintf(streams.Err, "kept a snapshot of %s in %s (%s)\n", iostreams.Sanitize(v.Name), saved.Path, iostreams.Bytes(saved.Bytes))
	}
	return nil
}

// Kept returns the newest kept snapshots of a source's servers that are of a time or older.
func Kept(ctx context.Context, streams *iostreams.IO, store kept.Store, from source.Source, at time.Time) (*Side, error) {
	servers, err := Identities(ctx, from)
	if err != nil {
		return nil, err
	}
	var paths, missing []string
	all := &inventory.Snapshot{Schema: inventory.SnapshotSchema}
	for _, server := range servers {
		list, err := store.Of(server)
		if err != nil {
			return nil, err
		}
		k := kept.Before(list, at)
		if k == nil {
			missing = append(missing, noneKept(server, list, at))
			continue
		}
		s, err := kept.Open(ctx, k.Path)
		if err != nil {
			return nil, fmt.Errorf("reading a kept snapshot: %w", err)
		}
		fmt.Fprintf(streams.Err, "comparing with the snapshot of %s kept at %s\n", iostreams.Sanitize(server.Name), k.TakenAt.Format(time.RFC3339))
		all.VCenters, paths = append(all.VCenters, s.VCenters...), append(paths, k.Path)
	}
	if len(paths) == 0 {
		return nil, userfile.Errorf("%s\n%s stores one each time it runs; vperf diff --list shows them", strings.Join(missing, "\n"), typed.Of(ctx).Command("audit", "--keep"))
	}
	for _, m := range missing {
		fmt.Fprintf(streams.Err, "vperf: warning: %s\n", iostreams.Sanitize(m))
	}
	all.Source = strings.Join(paths, ", ")
	all.Link()
	return &Side{Snapshot: all, Side: diff.Side{Name: all.Source, Kind: "kept snapshot"}}, nil
}

// noneKept says which snapshots of a server there are instead of one that is old enough.
func noneKept(of kept.Server, list []kept.Snapshot, at time.Time) string {
	text := fmt.Sprintf("no snapshot of %s is kept that was taken at %s or before", of.Name, at.UTC().Format(time.RFC3339))
	if len(list) > 0 {
		text += fmt.Sprintf(": the oldest of %d was taken at %s", len(list), list[len(list)-1].TakenAt.Format(time.RFC3339))
	}
	return text
}

// Identities returns the servers of a source. A saved snapshot names its vCenters itself.
func Identities(ctx context.Context, from source.Source) (all []kept.Server, err error) {
	for _, s := range from.Servers(ctx) {
		all = append(all, kept.Server{Name: s.Name, UUID: s.UUID, Simulated: s.Sandbox})
	}
	saved, ok := from.(source.Saved)
	if !ok {
		if len(all) == 0 {
			return nil, errors.New("finding the kept snapshots: the server does not report its identity")
		}
		return all, nil
	}
	s, err := saved.Read(ctx, inventory.Targets{}, inventory.Needs{})
	if err != nil {
		return nil, err
	}
	for _, v := range s.VCenters {
		if v.ID != "" {
			all = append(all, kept.Server{Name: v.Name, UUID: v.ID})
		}
	}
	if len(all) == 0 {
		return nil, userfile.Errorf("the snapshot has no vCenter with an instance UUID: name the old snapshot as a file")
	}
	return all, nil
}

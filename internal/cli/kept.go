package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/kept"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// age is the value of --since: a duration that may be in days or weeks.
type age struct {
	text string
	long time.Duration
	set  bool
}

// Set parses 7d, 2w, 12h or 90m.
func (a *age) Set(s string) error {
	long, err := parseAge(s)
	if err != nil {
		return err
	}
	*a = age{text: s, long: long, set: true}
	return nil
}

func parseAge(s string) (time.Duration, error) {
	for unit, day := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if digits, ok := strings.CutSuffix(s, unit); ok {
			if n, err := strconv.ParseUint(digits, 10, 12); err == nil {
				return time.Duration(n) * day, nil
			}
		}
	}
	long, err := time.ParseDuration(s)
	if err != nil || long < 0 {
		return 0, fmt.Errorf("%q is no age: type a number with a unit, such as 7d, 2w or 12h", s)
	}
	return long, nil
}

// String returns the age as it was typed.
func (a *age) String() string { return a.text }

// Type returns the placeholder of the value in help.
func (*age) Type() string { return "AGE" }

// before returns the latest time of a snapshot that is old enough.
func (a *age) before(now time.Time) time.Time { return now.Add(-a.long) }

// keptStore is the folder of the kept snapshots.
func keptStore() (kept.Store, error) {
	dir, err := stateDir()
	if err != nil {
		return kept.Store{}, fmt.Errorf("finding the kept snapshots: %w", err)
	}
	return kept.Store{Dir: filepath.Join(dir, "snapshots")}, nil
}

// keep stores the snapshot of each server that was read.
func keep(ctx context.Context, streams *iostreams.IO, s *inventory.Snapshot, from source.Source) error {
	store, err := keptStore()
	if err != nil {
		return err
	}
	servers := from.Servers(ctx)
	for _, v := range s.VCenters {
		if v.Unread != "" {
			fmt.Fprintf(streams.Err, "vperf: warning: no snapshot of %s is kept: %s\n", iostreams.Sanitize(v.Name), iostreams.Sanitize(v.Unread))
			continue
		}
		i := slices.IndexFunc(servers, func(t tuning.Server) bool { return t.Name == v.Name })
		if i < 0 {
			return fmt.Errorf("keeping a snapshot of %s: the server does not report its identity", v.Name)
		}
		one := &inventory.Snapshot{Schema: s.Schema, Source: v.Name, VCenters: []*inventory.VCenter{v}}
		saved, err := store.Save(kept.Server{Name: v.Name, UUID: servers[i].UUID}, one)
		if err != nil {
			return err
		}
		fmt.Fprintf(streams.Err, "kept a snapshot of %s in %s (%s)\n", iostreams.Sanitize(v.Name), saved.Path, iostreams.Bytes(saved.Bytes))
	}
	return nil
}

// keptSide returns the newest kept snapshots of a source's servers that are of a time or older.
func keptSide(ctx context.Context, streams *iostreams.IO, from source.Source, at time.Time) (*comparand, error) {
	store, err := keptStore()
	if err != nil {
		return nil, err
	}
	servers, err := identities(ctx, from)
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
		s, err := kept.Open(k.Path)
		if err != nil {
			return nil, fmt.Errorf("reading a kept snapshot: %w", err)
		}
		fmt.Fprintf(streams.Err, "comparing with the snapshot of %s kept at %s\n", iostreams.Sanitize(server.Name), k.TakenAt.Format(time.RFC3339))
		all.VCenters, paths = append(all.VCenters, s.VCenters...), append(paths, k.Path)
	}
	if len(paths) == 0 {
		return nil, fileError("%s\nvperf audit --keep stores one each time it runs; vperf diff --list shows them", strings.Join(missing, "\n"))
	}
	for _, m := range missing {
		fmt.Fprintf(streams.Err, "vperf: warning: %s\n", iostreams.Sanitize(m))
	}
	all.Source = strings.Join(paths, ", ")
	all.Link()
	return &comparand{snapshot: all, Side: diff.Side{Name: all.Source, Kind: "kept snapshot"}}, nil
}

// noneKept says which snapshots of a server there are instead of one that is old enough.
func noneKept(of kept.Server, list []kept.Snapshot, at time.Time) string {
	text := fmt.Sprintf("no snapshot of %s is kept that was taken at %s or before", of.Name, at.UTC().Format(time.RFC3339))
	if len(list) > 0 {
		text += fmt.Sprintf(": the oldest of %d was taken at %s", len(list), list[len(list)-1].TakenAt.Format(time.RFC3339))
	}
	return text
}

// identities returns the servers of a source. A saved snapshot names its vCenters itself.
func identities(ctx context.Context, from source.Source) (all []kept.Server, err error) {
	for _, s := range from.Servers(ctx) {
		all = append(all, kept.Server{Name: s.Name, UUID: s.UUID})
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
		return nil, fileError("the snapshot has no vCenter with an instance UUID: name the old snapshot as a file")
	}
	return all, nil
}

// keptSchema is the version of the JSON form of the list of kept snapshots.
const keptSchema = "vperf.kept/v1"

type keptJSON struct {
	Server  string    `json:"server"`
	UUID    string    `json:"uuid"`
	TakenAt time.Time `json:"takenAt"`
	Path    string    `json:"path"`
	Bytes   int64     `json:"bytes"`
}

// listKept shows the kept snapshots.
func listKept(f *Factory, to outputs) error {
	store, err := keptStore()
	if err != nil {
		return err
	}
	all, err := store.List()
	if err != nil {
		return err
	}
	sinks, err := to.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	return sinks.write(f.IO, func(form format, w io.Writer, _ report.Terminal) error {
		if form.name == "json" {
			rows := make([]keptJSON, len(all))
			for i, k := range all {
				rows[i] = keptJSON{k.Server.Name, k.Server.UUID, k.TakenAt, k.Path, k.Bytes}
			}
			return writeJSON(w, map[string]any{"schema": keptSchema, "snapshots": rows})
		}
		return keptTable(w, all)
	})
}

func keptTable(w io.Writer, all []kept.Snapshot) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "no snapshots are kept yet; vperf audit --keep stores one")
		return err
	}
	if err := writeRows(w, func(row func(...string)) {
		row("SERVER", "TAKEN", "SIZE", "FILE")
		for _, k := range all {
			row(k.Server.Name, k.TakenAt.Format(time.RFC3339), iostreams.Bytes(k.Bytes), k.Path)
		}
	}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s; of each server, vperf keeps %s\n", plural.Count(len(all), "snapshot"), kept.Rule)
	return err
}

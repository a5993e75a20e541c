package kept

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

var (
	lab = Server{Name: "lab", UUID: "99c70193-6b5d-5b6e-bb06-0a0d5067d9b1"}
	now = time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)
)

func at(t time.Time) *inventory.Snapshot {
	return &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: "lab", VCenters: []*inventory.VCenter{{
		Entity: inventory.Entity{ID: lab.UUID, Name: "lab"}, TakenAt: t,
	}}}
}

func TestSaveListOpen(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "snapshots")}
	all, err := s.List()
	require.NoError(t, err)
	require.Empty(t, all, "no folder is made by looking")
	require.NoFileExists(t, s.Dir)
	for _, age := range []time.Duration{48 * time.Hour, 0, 24 * time.Hour} {
		_, err := s.Save(lab, at(now.Add(-age)))
		require.NoError(t, err)
	}
	_, err = s.Save(Server{Name: "other", UUID: "../../etc"}, at(now))
	require.NoError(t, err)

	all, err = s.List()
	require.NoError(t, err)
	require.Len(t, all, 4)
	require.Equal(t, []time.Time{now, now.Add(-24 * time.Hour), now.Add(-48 * time.Hour)}, []time.Time{all[0].TakenAt, all[1].TakenAt, all[2].TakenAt})
	require.Equal(t, lab, all[0].Server)
	require.Equal(t, "../../etc", all[3].Server.UUID)
	require.Equal(t, s.Dir, filepath.Dir(filepath.Dir(all[3].Path)), "no UUID leads out of the store")

	info, err := os.Stat(all[0].Path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Equal(t, all[0].Bytes, info.Size())
	folder, err := os.Stat(filepath.Dir(all[0].Path))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), folder.Mode().Perm())
	opened, err := Open(t.Context(), all[2].Path)
	require.NoError(t, err)
	require.True(t, now.Add(-48*time.Hour).Equal(opened.TakenAt()))

	_, err = s.Save(Server{Name: "unnamed"}, at(now))
	require.ErrorContains(t, err, "the server has no UUID")
}

func TestBefore(t *testing.T) {
	all := []Snapshot{{TakenAt: now}, {TakenAt: now.Add(-time.Hour)}, {TakenAt: now.Add(-48 * time.Hour)}}
	require.Equal(t, now, Before(all, now).TakenAt, "exactly as old is old enough")
	require.Equal(t, now.Add(-time.Hour), Before(all, now.Add(-time.Minute)).TakenAt)
	require.Equal(t, now.Add(-48*time.Hour), Before(all, now.Add(-2*time.Hour)).TakenAt)
	require.Nil(t, Before(all, now.Add(-49*time.Hour)))
	require.Nil(t, Before(nil, now))
}

// Two years of a snapshot every hour leave a bounded number, and one of each age that people ask for.
func TestSurplus(t *testing.T) {
	var all []Snapshot
	for h := range 2 * 365 * 24 {
		all = append([]Snapshot{{TakenAt: now.Add(time.Duration(h) * time.Hour)}}, all...)
		if len(all) > 1000 {
			all = left(all)
		}
	}
	all = left(all)
	require.LessOrEqual(t, len(all), Newest+Days+Weeks)
	require.Greater(t, len(all), 80)
	newest := all[0].TakenAt
	for _, days := range []int{1, 2, 7, 14, 30} {
		age := newest.Sub(Before(all, newest.AddDate(0, 0, -days)).TakenAt)
		require.Less(t, age, time.Duration(days+2)*24*time.Hour, "%d days", days)
	}
	for _, weeks := range []int{6, 20, 50} {
		age := newest.Sub(Before(all, newest.AddDate(0, 0, -7*weeks)).TakenAt)
		require.Less(t, age, time.Duration(weeks+2)*7*24*time.Hour, "%d weeks", weeks)
	}
	require.Empty(t, surplus(all), "what is kept once is kept when nothing is new")
	require.Empty(t, surplus(nil))
}

func left(all []Snapshot) (kept []Snapshot) {
	gone := map[time.Time]bool{}
	for _, k := range surplus(all) {
		gone[k.TakenAt] = true
	}
	for _, k := range all {
		if !gone[k.TakenAt] {
			kept = append(kept, k)
		}
	}
	return kept
}

func TestPruneRemovesFiles(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	for i := range Newest + 5 { // all within one hour
		_, err := s.Save(lab, at(now.Add(time.Duration(i)*time.Minute)))
		require.NoError(t, err)
	}
	all, err := s.Of(lab)
	require.NoError(t, err)
	require.Len(t, all, Newest)
	files, err := os.ReadDir(filepath.Dir(all[0].Path))
	require.NoError(t, err)
	require.Len(t, files, Newest+1, "no temporary file stays")
}

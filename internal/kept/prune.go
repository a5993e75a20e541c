package kept

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// The rule by which snapshots are kept, for each server. It bounds their number, and needs no clock: days and weeks count from the
// newest snapshot.
const (
	Newest = 10 // always
	Days   = 35 // the last snapshot of each of these days
	Weeks  = 53 // and of each of these weeks
)

// Rule describes the rule in words.
var Rule = fmt.Sprintf("the newest %d, the last one of each day for %d days, and the last one of each week for %d weeks", Newest, Days, Weeks)

// prune removes the snapshots of a server that the rule does not keep.
func (s Store) prune(of Server) error {
	all, err := s.Of(of)
	if err != nil {
		return err
	}
	for _, old := range surplus(all) {
		err = errors.Join(err, ignoreMissing(os.Remove(old.Path)))
	}
	if err != nil {
		return fmt.Errorf("removing old snapshots of %s: %w", of.Name, err)
	}
	return nil
}

// surplus returns the snapshots that the rule does not keep, of a list that begins with the newest.
func surplus(all []Snapshot) (old []Snapshot) {
	days, weeks := map[string]bool{}, map[string]bool{}
	for i, k := range all {
		age := all[0].TakenAt.Sub(k.TakenAt)
		day := k.TakenAt.UTC().Format(time.DateOnly)
		year, n := k.TakenAt.UTC().ISOWeek()
		week := fmt.Sprintf("%d-%d", year, n)
		keep := i < Newest || age < Days*24*time.Hour && !days[day] || age < Weeks*7*24*time.Hour && !weeks[week]
		days[day], weeks[week] = true, true
		if !keep {
			old = append(old, k)
		}
	}
	return old
}

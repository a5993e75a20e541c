package tuning

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"
)

// locks are the locks of one operation. It takes one for its run, so that a run that has not ended and whose lock is
// free was interrupted; one for each target of its plan; and one for the cluster of each host that it may restart, so
// that two runs do not take two hosts of a cluster out of service. The host of a VM is not locked: changing the VM does
// not change the host or its other VMs.
type locks struct {
	disk disk
	by   string
	held map[string]func()
	over *locks // locks of the enclosing operation; nil if there is none
}

// within returns locks for a part of the operation. The part may use the locks of the whole, and releases only its own.
func (l *locks) within() *locks {
	return &locks{disk: l.disk, by: l.by, held: map[string]func(){}, over: l}
}

func (l *locks) has(name string) bool { return l != nil && (l.held[name] != nil || l.over.has(name)) }

func (r *Runs) locks(doing string, t *Options) *locks {
	if t.User != "" {
		doing += " by " + t.User
	}
	by := fmt.Sprintf("%s, process %d, since %s", doing, os.Getpid(), t.now().Format(time.DateTime))
	return &locks{disk: r.disk, by: by, held: map[string]func(){}}
}

// take takes all locks without waiting. If another run holds one, take returns that error; releaseAll releases the
// locks taken so far.
func (l *locks) take(things ...string) error {
	names := map[string]bool{}
	for _, thing := range things {
		sum := sha256.Sum256([]byte(thing))
		names[hex.EncodeToString(sum[:16])] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if l.has(name) {
			continue
		}
		release, err := l.disk.lock(name, l.by)
		if err != nil {
			return err
		}
		l.held[name] = release
	}
	return nil
}

func (l *locks) releaseAll() {
	for name, release := range l.held {
		release()
		delete(l.held, name)
	}
}

// The names of locks.
func ofRun(id string) string                    { return "run " + id }
func ofTarget(server Server, key string) string { return "target " + server.UUID + " " + key }

// ofPlan returns the names of the locks for the targets of a plan.
func ofPlan(p *Plan, t *Options) []string {
	var all []string
	for _, s := range p.Steps {
		all = append(all, ofTarget(p.Server, s.Target.Key()))
		if t.HostReboot && isHost(s.Target) && s.Cluster != "" {
			all = append(all, ofTarget(p.Server, cluster(s.Cluster).Key()))
		}
	}
	return all
}

package exporter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/userfile"
)

// saveEvery is how often the counters of a target are saved, in case the process is killed. What comes after is read again from
// the hosts.
const saveEvery = 5 * time.Minute

// keptCounters begins a file of counters. The ledger and a checksum follow.
type keptCounters struct {
	Target string
	Began  time.Time
	Saved  time.Time // by the server's clock
	Pools  module.PoolSums
}

// resume continues the counters of an earlier process. What is wrong with them is logged, and they begin at 0.
func (t *Target) resume() {
	if t.config.Counters == "" {
		return
	}
	head, err := t.restore()
	switch {
	case errors.Is(err, os.ErrNotExist):
		t.trace.debug("counters begin at 0: there is no %s", t.config.Counters)
		return
	case err != nil:
		t.trace.warn("counters begin at 0: %v", err)
		return
	}
	t.resumed = true
	t.progress.Resume(t.ledger.Newest())
	t.ready.Resume(head.Pools)
	t.change(func(s *state) { s.began = head.Began })
	t.trace.debug("counters continue from %s", head.Saved.UTC().Format(time.RFC3339))
}

func (t *Target) restore() (head keptCounters, err error) {
	file, err := userfile.Open(t.config.Counters)
	if err != nil {
		return head, err
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(userfile.Counters.Bound(file))
	if err != nil {
		return head, fmt.Errorf("%s: %w", t.config.Counters, err)
	}
	end := len(text) - sha256.Size
	if end < 0 || sha256.Sum256(text[:end]) != [sha256.Size]byte(text[end:]) {
		return head, fmt.Errorf("%s is damaged", t.config.Counters)
	}
	from := bytes.NewReader(text[:end]) // a ByteReader: each decoder takes only its own part
	if err := gob.NewDecoder(from).Decode(&head); err != nil {
		return head, fmt.Errorf("%s is of another version of vperf: %w", t.config.Counters, err)
	}
	if head.Target != t.config.Name {
		return head, fmt.Errorf("%s has the counters of target %s", t.config.Counters, head.Target)
	}
	if err := t.ledger.Restore(from); err != nil {
		return head, fmt.Errorf("%s: %w", t.config.Counters, err)
	}
	return head, nil
}

// save saves the counters.
func (t *Target) save() error {
	to, err := iostreams.OpenDestination(t.config.Counters, nil)
	if err != nil {
		return fmt.Errorf("saving counters: %w", err)
	}
	defer to.Discard()
	err = to.Save(func(w io.Writer) error {
		sum := sha256.New()
		both := io.MultiWriter(w, sum)
		head := keptCounters{Target: t.config.Name, Began: t.snapshot().began, Saved: t.serverNow(), Pools: t.ready.Sums()}
		if err := gob.NewEncoder(both).Encode(head); err != nil {
			return err
		}
		if err := t.ledger.Save(both); err != nil {
			return err
		}
		_, err := w.Write(sum.Sum(nil))
		return err
	})
	if err != nil {
		return fmt.Errorf("saving counters: %w", err)
	}
	return nil
}

// saveOften saves the counters again and again, and once more when ctx ends and sampling is over.
func (t *Target) saveOften(ctx context.Context, sampling <-chan struct{}) {
	for ctx.Err() == nil {
		t.wait(ctx, saveEvery)
		if ctx.Err() != nil {
			<-sampling
		}
		if err := t.save(); err != nil {
			t.trace.warn("%v", err)
		}
	}
}

package exporter

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/exposition"
)

// version is which state of the target a page shows, and until when, by our clock, it does if nothing changes; zero: for ever.
type version struct {
	ledger, target uint64
	until          time.Time
}

func (v version) fresh(now version, at time.Time) bool {
	return v.ledger == now.ledger && v.target == now.target && (v.until.IsZero() || at.Before(v.until))
}

// form is one of the pages that a target has.
type form struct {
	modules string
	format  exposition.Format
	gzip    bool
}

// pages stores rendered pages, in the forms that were requested recently.
type pages struct {
	now  func() time.Time
	mu   sync.Mutex
	kept map[form]*rendering
}

// rendering is a page, or one that is being made.
type rendering struct {
	done    chan struct{} // closed when it is made
	version version
	used    time.Time
	body    body
	err     error
}

// pageKept is how long a page is kept without requests.
const pageKept = 5 * time.Minute

// maxForms is how many pages of a target are kept. Scrapers ask for a few forms; who asks for each combination of modules must not fill the
// memory with pages.
const maxForms = 16

// makeRoom forgets the pages that were not requested for the longest time, so that another one may be kept. Requests that still send one
// hold it until they have ended.
func (p *pages) makeRoom() {
	for len(p.kept) >= maxForms {
		var oldest form
		var found *rendering
		for f, r := range p.kept {
			if r.isDone() && (found == nil || r.used.Before(found.used)) {
				oldest, found = f, r
			}
		}
		if found == nil {
			return // all are being made: there are slots for them
		}
		delete(p.kept, oldest)
	}
}

// get returns the page of the target's present state. Concurrent requests wait for one rendering.
func (p *pages) get(ctx context.Context, f form, version func() version, render func() (body, error)) (body, error) {
	now, at := version(), p.now()
	p.mu.Lock()
	for f, r := range p.kept {
		if at.Sub(r.used) > pageKept {
			delete(p.kept, f)
		}
	}
	r := p.kept[f]
	if r != nil && (!r.isDone() || r.version.fresh(now, at)) {
		r.used = at
		p.mu.Unlock()
		select {
		case <-r.done:
			return r.body, r.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	r = &rendering{done: newSignal(), version: now, used: at, err: errUnmade}
	delete(p.kept, f)
	p.makeRoom()
	p.kept[f] = r
	p.mu.Unlock()
	defer p.made(f, r)
	r.body, r.err = render()
	return r.body, r.err
}

// errUnmade is returned to requests that wait for a page whose rendering panics; the request that renders it gets the
// panic.
var errUnmade = errors.New("cannot write the page; please report this with the messages in the log")

// made ends the waiting for a page. One that went wrong is not kept.
func (p *pages) made(f form, r *rendering) {
	if r.err != nil {
		p.mu.Lock()
		delete(p.kept, f)
		p.mu.Unlock()
	}
	close(r.done)
}

func newSignal() chan struct{} { return make(chan struct{}) }

func (r *rendering) isDone() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// body is a page in blocks: one that grows in one piece is copied, and takes twice its size on the way.
type body [][]byte

func (b body) length() (n int64) {
	for _, block := range b {
		n += int64(len(block))
	}
	return n
}

func (b body) reader() io.Reader {
	readers := make([]io.Reader, len(b))
	for i, block := range b {
		readers[i] = bytes.NewReader(block)
	}
	return io.MultiReader(readers...)
}

// blocks takes a page in.
type blocks struct{ full body }

const blockSize = 256 << 10

// Write implements io.Writer.
func (b *blocks) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		last := len(b.full) - 1
		if last < 0 || len(b.full[last]) == cap(b.full[last]) {
			size := blockSize
			if last < 0 {
				size = blockSize / 16 // small pages stay small
			}
			b.full = append(b.full, make([]byte, 0, size))
			last++
		}
		block := b.full[last]
		free := min(cap(block)-len(block), len(p))
		b.full[last] = append(block, p[:free]...)
		p = p[free:]
	}
	return n, nil
}

package exporter

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

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
	now    func() time.Time
	making singleflight.Group // by form: requests at the same time wait for one rendering
	mu     sync.Mutex
	kept   map[form]*rendering
}

// rendering is a page that was made.
type rendering struct {
	version version
	used    time.Time
	body    body
}

// pageKept is how long a page is kept without requests.
const pageKept = 5 * time.Minute

// maxForms is how many pages of a target are kept. Scrapers ask for a few forms; who asks for each combination of modules must not fill the
// memory with pages.
const maxForms = 16

// get returns the page of the target's present state. If rendering panics, each request that waits for it does.
func (p *pages) get(f form, version func() version, render func() (body, error)) (body, error) {
	now := version()
	if b, kept := p.find(f, now); kept {
		return b, nil
	}
	made, err, _ := p.making.Do(fmt.Sprint(f), func() (any, error) {
		b, err := render()
		if err == nil {
			p.keep(f, &rendering{version: now, used: p.now(), body: b})
		}
		return b, err
	})
	if err != nil {
		return nil, err
	}
	return made.(body), nil
}

// find returns a page that is kept and still shows the present state, and forgets those that nobody asks for.
func (p *pages) find(f form, now version) (body, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.now()
	maps.DeleteFunc(p.kept, func(_ form, r *rendering) bool { return at.Sub(r.used) > pageKept })
	r := p.kept[f]
	if r == nil || !r.version.fresh(now, at) {
		return nil, false
	}
	r.used = at
	return r.body, true
}

// keep keeps a page, in place of the one that was not requested for the longest time if there are many. Requests that still send
// that one hold it until they have ended.
func (p *pages) keep(f form, r *rendering) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.kept, f)
	for len(p.kept) >= maxForms {
		delete(p.kept, slices.MinFunc(slices.Collect(maps.Keys(p.kept)), func(a, b form) int { return p.kept[a].used.Compare(p.kept[b].used) }))
	}
	p.kept[f] = r
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

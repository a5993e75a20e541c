package exporter

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"

	"github.com/vperf/vperf/internal/exporter/module"
)

// probe handles /probe with the latest samples of a target. It waits for the page no longer than its scraper does, and
// never for the target.
func (s *server) probe(w http.ResponseWriter, r *http.Request) {
	began := s.now()
	out := &tally{ResponseWriter: w}
	a, refused := s.parseProbe(r)
	if refused != nil {
		sayText(out, refused.code, refused.why)
	} else {
		s.answer(out, r, a)
	}
	took := s.now().Sub(began)
	s.metrics.probed(out.code, took)
	s.history.add(visit{When: began, Took: took, Target: a.name, Modules: module.Words(a.modules), Code: out.code, Bytes: out.bytes, Who: who(r)})
}

// answer makes the page and sends it, or says why there is none.
func (s *server) answer(w http.ResponseWriter, r *http.Request, a ask) {
	began := s.now()
	ctx, cancel := context.WithTimeout(r.Context(), a.timeout)
	defer cancel()
	page, err := s.page(ctx, a)
	if a.debug {
		s.debug(w, a, page, err, s.now().Sub(began))
		return
	}
	if err != nil {
		code, why := failure(a, err)
		if code >= http.StatusInternalServerError {
			s.Log.Warn("probe failed", "target", a.name, "code", code, "err", why)
		}
		sayText(w, code, why)
		return
	}
	s.send(w, page)
}

// page waits for the target's page. Should that hang whatever its context says, its slot stays taken, and we answer in time
// nevertheless.
func (s *server) page(ctx context.Context, a ask) (*Page, error) {
	select {
	case s.slots <- struct{}{}:
	default:
		return nil, errBusy
	}
	type made struct {
		page *Page
		err  error
	}
	done := make(chan made, 1)
	go func() {
		defer func() { <-s.slots }()
		defer func() {
			if broken := recover(); broken != nil {
				s.Log.Error("rendering a page failed", "target", a.name, "why", broken, "stack", string(debug.Stack()))
				done <- made{err: errors.New("cannot render the page; see the log")}
			}
		}()
		page, err := a.target.Page(ctx, a.modules, a.format, a.gzip)
		if err == nil && page == nil {
			err = errors.New("there is no page")
		}
		done <- made{page, err}
	}()
	select {
	case m := <-done:
		return m.page, m.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// send sends a page. Its bytes are immutable, so a slow reader blocks nobody else; it is disconnected in the end.
func (s *server) send(w http.ResponseWriter, p *Page) {
	h := w.Header()
	h.Set("Content-Type", p.ContentType)
	h.Set("Vary", "Accept, Accept-Encoding")
	if p.Gzip {
		h.Set("Content-Encoding", "gzip")
	}
	if p.Length >= 0 {
		h.Set("Content-Length", strconv.FormatInt(p.Length, 10))
	}
	_ = http.NewResponseController(w).SetWriteDeadline(s.writeBefore()) // where there are no deadlines the server's own holds
	w.WriteHeader(http.StatusOK)
	if _, err := io.Copy(w, p.Body); err != nil {
		s.Log.Debug("the client did not read the whole page", "err", err)
	}
}

// tally counts the bytes of a response.
type tally struct {
	http.ResponseWriter
	code  int
	bytes int64
}

func (t *tally) WriteHeader(code int) {
	if t.code == 0 {
		t.code = code
	}
	t.ResponseWriter.WriteHeader(code)
}

func (t *tally) Write(b []byte) (int, error) {
	if t.code == 0 {
		t.code = http.StatusOK
	}
	n, err := t.ResponseWriter.Write(b)
	t.bytes += int64(n)
	return n, err
}

// Unwrap lets a ResponseController reach the connection.
func (t *tally) Unwrap() http.ResponseWriter { return t.ResponseWriter }

package measure

import (
	"context"

	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// station is one host of a source. While an operation runs, all fields belong to its goroutine.
type station struct {
	session *session.Session
	host    RosterHost

	service ref   // zero: not connected
	login   int64 // the session in which the schema was read
	info    string
	decoder *esxtopDecoder
	held    bool // the host keeps data for vperf
}

// connect finds the service and reads its schema, unless they are known.
func (st *station) connect(ctx context.Context) error {
	if st.service != (ref{}) {
		return nil
	}
	service, err := findEsxtop(ctx, st.session, st.host.Name)
	if err != nil {
		return err
	}
	if _, err := st.learn(ctx, service); err != nil {
		return err
	}
	st.service = service
	return nil
}

// learn reads the schema and reports whether it has changed. While it stays the same, the previous sample stays valid.
func (st *station) learn(ctx context.Context, service ref) (changed bool, err error) {
	login := st.session.Renewals()
	info, err := perhost.EsxtopCommand(ctx, st.session, service, perhost.EsxtopSchema)
	if err != nil {
		return false, err
	}
	st.login = login
	if info == st.info {
		return false, nil
	}
	d, err := newDecoder(info, st.host)
	if err != nil {
		return false, err
	}
	st.info, st.decoder = info, d
	return true, nil
}

// fetch reads one sample from the host and returns the size of the text.
func (st *station) fetch(ctx context.Context, objects esxtop.Objects) (r *reading, size int, err error) {
	anew := st.service == (ref{})
	if err := st.connect(ctx); err != nil {
		return nil, 0, err
	}
	st.held = true // it may, from the first request on
	text, err := perhost.EsxtopCommand(ctx, st.session, st.service, perhost.EsxtopFetch)
	if err != nil {
		return nil, 0, err
	}
	if st.session.Renewals() != st.login { // the session was renewed: the service may have lost its state
		if _, err := st.learn(ctx, st.service); err != nil {
			return nil, 0, err
		}
	}
	r, err = st.decoder.decode(text, objects)
	if err == nil && r.reset && !anew { // the host may have come back with another release
		changed, err := st.learn(ctx, st.service)
		if err != nil || !changed {
			return r, len(text), err
		}
		r, err = st.decoder.decode(text, objects)
		return r, len(text), err
	}
	return r, len(text), err
}

// leave lets the host free the data it keeps for vperf, and forgets the service. It works after ctx has ended too, with a short
// limit.
func (st *station) leave(ctx context.Context) error {
	service, held := st.service, st.held
	st.service, st.held = ref{}, false
	if !held {
		return nil
	}
	ctx, cancel := st.session.CleanupContext(ctx)
	defer cancel()
	_, err := perhost.EsxtopCommand(ctx, st.session, service, perhost.EsxtopFree)
	return err
}

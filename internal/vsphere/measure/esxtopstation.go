package measure

import (
	"context"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// station is one host of a source. Between two looks at it, everything belongs to the goroutine that asks the host.
type station struct {
	session *session.Session
	host    RosterHost

	service ref   // zero: not connected
	login   int64 // the session that the schema was read in
	info    string
	decoder *esxtopDecoder
	held    bool // the host keeps data for us
}

// connect finds the service and reads what its rows mean, unless that is known.
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

// learn reads the schema and tells whether it is another. As long as it stays the same, the sample before counts on.
func (st *station) learn(ctx context.Context, service ref) (changed bool, err error) {
	login := st.session.Renewals()
	info, err := esxtopCommand(ctx, st.session, service, esxtopSchema)
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

// fetch takes one look at the host, and says how much text that took.
func (st *station) fetch(ctx context.Context, objects esxtop.Objects) (r *reading, size int, err error) {
	anew := st.service == (ref{})
	if err := st.connect(ctx); err != nil {
		return nil, 0, err
	}
	st.held = true // it may, from the moment that it hears of us
	text, err := esxtopCommand(ctx, st.session, st.service, esxtopFetch)
	if err != nil {
		return nil, 0, err
	}
	if st.session.Renewals() != st.login { // somebody logged in again: what was agreed upon before may be void
		if _, err := st.learn(ctx, st.service); err != nil {
			return nil, 0, err
		}
	}
	r, err = st.decoder.decode(text, objects)
	if err == nil && r.reset && !anew { // it may have come back as another release
		changed, err := st.learn(ctx, st.service)
		if err != nil || !changed {
			return r, len(text), err
		}
		r, err = st.decoder.decode(text, objects)
		return r, len(text), err
	}
	return r, len(text), err
}

// leave frees what the host keeps for us and forgets the way to it. It works after ctx has ended too, but not for long.
func (st *station) leave(ctx context.Context) error {
	service, held := st.service, st.held
	st.service, st.held = ref{}, false
	if !held {
		return nil
	}
	ctx, cancel := st.session.Goodbye(ctx)
	defer cancel()
	_, err := esxtopCommand(ctx, st.session, service, esxtopFree)
	return err
}

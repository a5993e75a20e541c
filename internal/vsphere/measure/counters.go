package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// CounterSource is where counters are to come from.
type CounterSource string

// Sources of counters.
const (
	CountersAuto        CounterSource = "auto"        // whichever fits
	CountersEsxtop      CounterSource = "esxtop"      // the Esxtop service of the hosts: everything, from two seconds on
	CountersPerformance CounterSource = "performance" // the PerformanceManager: less, every 20 seconds
)

// CounterOptions say which counters are wanted.
type CounterOptions struct {
	Source  CounterSource
	Request esxtop.Request // an interval of nothing is the source's own: 5 or 20 seconds
	History time.Duration  // how much of what hosts have kept comes first, where the source can have it
	Beside  int            // hosts of other servers that are asked at the same time: they count, too
	Near    bool           // the server is this machine's, and carries what many hosts draw
	// Tell hears, before it happens, what more hosts than are asked unasked will draw through the server; nil: nobody listens.
	Tell func(words string)
	// Replay moves the server's clock instead of waiting; nil: the clock runs by itself.
	Replay Replay
}

// Replay is the clock of a server whose past is replayed. It stands still until it is moved.
type Replay interface {
	Now() time.Time
	// Forward moves the clock. It returns io.EOF where all was replayed.
	Forward(context.Context, time.Duration) error
	// Finish moves the clock to the end of what is replayed.
	Finish(context.Context) error
}

// What the Esxtop service is asked for unless somebody names it: no more than four hosts answer every five seconds. Fewer hosts may
// be asked as much more often.
const (
	autoHosts   = 4
	autoPerHost = defaultInterval / autoHosts
)

// OpenCounters opens a source of the hosts' counters. The Esxtop service tells more than the PerformanceManager, and more often; but
// every host's answer goes through the server, and is megabytes. So unless it is named it is taken for up to four hosts, and asked for no
// more than four hosts give every five seconds: one host every two seconds, which is as often as any host is asked. A delay that is
// shorter is raised to that. For more hosts it is the PerformanceManager, whatever the delay, as it is where the service is missing or
// takes a privilege that the user lacks; the source's note says why. Whoever gets the source closes it.
func (r *Roster) OpenCounters(ctx context.Context, hosts []RosterHost, o CounterOptions) (esxtop.Source, error) {
	choice, err := o.choose(len(hosts) + o.Beside)
	switch {
	case err != nil:
		return nil, err
	case len(hosts) == 0:
		return nil, errNoHosts
	case !choice.service:
		return r.performance(ctx, hosts, o, choice.because)
	}
	service := EsxtopOptions{Request: o.Request, Least: choice.least, Because: choice.because, Replay: o.Replay}
	if choice.many {
		service.Tell = o.Tell
	}
	source, err := r.Esxtop(ctx, hosts, service)
	if err == nil || ctx.Err() != nil || o.Source == CountersEsxtop || !canFallBack(err) {
		return source, err
	}
	return r.performance(ctx, hosts, o, "the Esxtop service is out of reach: "+whyNot(err))
}

// canFallBack tells what stands against the service alone from what stands against anything.
func canFallBack(err error) bool {
	_, refused := errors.AsType[*session.LoginError](err)
	_, broken := errors.AsType[*session.ConnectError](err)
	return !refused && !broken && !session.Expired(err)
}

func whyNot(err error) string {
	if denied, is := errors.AsType[*session.PermissionError](err); is {
		return fmt.Sprintf("privilege %s is missing on %s", session.OrUnknown(denied.Privilege), session.OrUnknown(denied.Object))
	}
	return session.Why(err)
}

// counterChoice is which source it is.
type counterChoice struct {
	service bool
	least   time.Duration // between two looks
	many    bool          // it is worth a word how much the hosts draw
	because string        // why it is not the service, or not more often
}

// choose is the rule. Hosts are those of all servers.
func (o CounterOptions) choose(hosts int) (counterChoice, error) {
	switch o.Source {
	case CountersPerformance:
		return counterChoice{}, nil
	case CountersEsxtop:
		if hosts > maxEsxtopHosts {
			return counterChoice{}, tooManyHosts(hosts)
		}
		return counterChoice{service: true, many: hosts > autoHosts}, nil
	case CountersAuto, "":
	default:
		return counterChoice{}, fmt.Errorf("no source of counters is called %q; type auto, esxtop or performance", string(o.Source))
	}
	switch {
	case o.Near && hosts <= maxEsxtopHosts:
		return counterChoice{service: true}, nil
	case hosts > maxEsxtopHosts:
		return counterChoice{because: fmt.Sprintf("%d hosts are too many for the Esxtop service", hosts)}, nil
	case hosts > autoHosts:
		because := fmt.Sprintf("of more than %d hosts the Esxtop service is asked with --source esxtop only", autoHosts)
		return counterChoice{because: because}, nil
	}
	because := ""
	if hosts > 1 {
		because = fmt.Sprintf("%d hosts are asked no more often unless --source esxtop wants it", hosts)
	}
	return counterChoice{service: true, least: time.Duration(hosts) * autoPerHost, because: because}, nil
}

var errNoHosts = errors.New("reading counters: there is no host to ask")

// performance opens the PerformanceManager. Of a replay it reads what hosts have kept when all of it is over.
func (r *Roster) performance(ctx context.Context, hosts []RosterHost, o CounterOptions, because string) (esxtop.Source, error) {
	p := PerformanceOptions{Request: o.Request, History: o.History, Note: because}
	if o.Replay != nil {
		if err := o.Replay.Finish(ctx); err != nil {
			return nil, err
		}
		p.Clock.Now = o.Replay.Now
	}
	return Performance(ctx, r, hosts, p)
}

package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/esxtop"
)

// CounterSource selects the source of counters.
type CounterSource string

// Sources of counters.
const (
	CountersAuto        CounterSource = "auto"        // chosen by OpenCounters
	CountersEsxtop      CounterSource = "esxtop"      // the Esxtop service of the hosts: all counters, every two seconds or slower
	CountersPerformance CounterSource = "performance" // the PerformanceManager: fewer counters, every 20 seconds
)

// CounterOptions selects counters and how they are read.
type CounterOptions struct {
	Source     CounterSource
	Request    esxtop.Request // an interval of 0 is the source's default: 5 or 20 seconds
	History    time.Duration  // how much of the hosts' stored history to return first, if the source has it
	OtherHosts int            // number of hosts of other servers that are read at the same time; they count toward the limits
	ByHost     bool           // frames of a host may come before older ones of other hosts, which saves most of the traffic of a history
	Local      bool           // the server runs on this machine, so traffic through it is not limited
	// OnTraffic is called before reading more hosts than by default, with a message about the traffic through the server; may be nil.
	OnTraffic func(words string)
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

// Default limits of the Esxtop service: the load of four hosts that answer every five seconds. Fewer hosts may be read
// correspondingly more often.
const (
	autoHosts   = 4
	autoPerHost = defaultInterval / autoHosts
)

// OpenCounters opens a source of the hosts' counters. The Esxtop service has more counters than the PerformanceManager, at
// shorter intervals, but every host's answer passes through the server and has megabytes. Unless it is requested by name, it is
// used for up to four hosts only, and at most at the rate of four hosts every five seconds: one host every two seconds, which is
// the minimum interval of any host. A shorter interval is raised to that. For more hosts OpenCounters uses the
// PerformanceManager, whatever the interval, and also if the service is missing or requires a privilege that the user lacks; the
// source's note says why. The caller closes the source.
func (r *Roster) OpenCounters(ctx context.Context, hosts []RosterHost, o CounterOptions) (esxtop.Source, error) {
	choice, err := o.choose(len(hosts) + o.OtherHosts)
	switch {
	case err != nil:
		return nil, err
	case len(hosts) == 0:
		return nil, errNoHosts
	case !choice.service:
		return r.performance(ctx, hosts, o, choice.minReason)
	}
	service := EsxtopOptions{Request: o.Request, MinInterval: choice.minInterval, MinReason: choice.minReason, Replay: o.Replay}
	if choice.many {
		service.OnTraffic = o.OnTraffic
	}
	source, err := r.Esxtop(ctx, hosts, service)
	if err == nil || ctx.Err() != nil || o.Source == CountersEsxtop || !canFallBack(err) {
		return source, err
	}
	return r.performance(ctx, hosts, o, "the Esxtop service cannot be reached: "+causeText(err))
}

// canFallBack reports whether an error concerns the Esxtop service alone, so that the PerformanceManager may work.
func canFallBack(err error) bool {
	_, refused := errors.AsType[*session.LoginError](err)
	_, broken := errors.AsType[*session.ConnectError](err)
	return !refused && !broken && !session.Expired(err)
}

func causeText(err error) string {
	if denied, is := errors.AsType[*session.PermissionError](err); is {
		return fmt.Sprintf("privilege %s is missing on %s", session.OrUnknown(denied.Privilege), session.OrUnknown(denied.Object))
	}
	return session.Cause(err)
}

// counterChoice is the chosen source.
type counterChoice struct {
	service     bool
	minInterval time.Duration // the minimum interval
	many        bool          // the traffic is large enough for a message
	minReason   string        // why not the service, or not more often
}

// choose applies the rules of OpenCounters. hosts counts the hosts of all servers.
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
		return counterChoice{}, fmt.Errorf("there is no counter source %q; use auto, esxtop or performance", string(o.Source))
	}
	switch {
	case o.Local && hosts <= maxEsxtopHosts:
		return counterChoice{service: true}, nil
	case hosts > maxEsxtopHosts:
		return counterChoice{minReason: fmt.Sprintf("%d hosts are too many for the Esxtop service", hosts)}, nil
	case hosts > autoHosts:
		because := fmt.Sprintf("for more than %d hosts, the Esxtop service is used only with --source esxtop", autoHosts)
		return counterChoice{minReason: because}, nil
	}
	because := ""
	if hosts > 1 {
		because = fmt.Sprintf("%d hosts are not read more often without --source esxtop", hosts)
	}
	return counterChoice{service: true, minInterval: time.Duration(hosts) * autoPerHost, minReason: because}, nil
}

var errNoHosts = errors.New("reading counters: there is no host")

// performance opens the PerformanceManager. Of a replay it reads what hosts have kept when all of it is over.
func (r *Roster) performance(ctx context.Context, hosts []RosterHost, o CounterOptions, because string) (esxtop.Source, error) {
	p := PerformanceOptions{Request: o.Request, History: o.History, ByHost: o.ByHost, Note: because}
	if o.Replay != nil {
		if err := o.Replay.Finish(ctx); err != nil {
			return nil, err
		}
		p.Clock.Now = o.Replay.Now
	}
	return Performance(ctx, r, hosts, p)
}

package doctor

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// DefaultLimit is the time for all checks of a server.
const DefaultLimit = 2800 * time.Millisecond

// Input is one server to check.
type Input struct {
	Name    string // as reports name it: the context, or host and port
	Host    string // without a port
	Context string
	Config  []Value
	User    string
	// Typed is the server as a source, for lines to type.
	Typed typed.Source
	// NoPassword is why there is no password; nil: there is one.
	NoPassword error
	// Ambiguous is why commands that write refuse this server; nil: they do not.
	Ambiguous error
	Notes     []string // about values that do not apply
	Target    Target
	Commands  []string      // that have to work; empty: all
	Limit     time.Duration // for all checks; 0 is DefaultLimit
}

// Parts of the limit, so that one check without an answer leaves time for the others.
const (
	openPart = 2 // of three
	allParts = 3
)

// Run checks a server. It takes at most the limit, and the moment that logging out takes.
func Run(ctx context.Context, in Input) Server {
	if in.Limit <= 0 {
		in.Limit = DefaultLimit
	}
	x := &examination{Input: in, results: map[string]Result{}, granted: map[string]map[string]bool{}}
	ctx, cancel := context.WithTimeoutCause(ctx, in.Limit, &limitError{in.Limit})
	defer cancel()
	x.configured()
	if x.open(ctx) {
		x.examine(ctx)
		x.leave()
	}
	return x.server()
}

// leaveLimit is the time for logging out; a session that stays open times out.
const leaveLimit = 200 * time.Millisecond

// leave logs out, without waiting for a server that does not answer.
func (x *examination) leave() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		x.session.Close()
	}()
	select {
	case <-done:
	case <-time.After(leaveLimit):
	}
}

// limitError is the cause of a check that took too long.
type limitError struct{ limit time.Duration }

func (e *limitError) Error() string { return session.TimeoutWords(e.limit) }
func (e *limitError) Unwrap() error { return context.DeadlineExceeded }

// examination is the state of the checks of one server.
type examination struct {
	Input
	session   Session
	product   Product
	inventory *Inventory
	noList    error // why there is no inventory

	mu         sync.Mutex
	results    map[string]Result
	granted    map[string]map[string]bool // by object and privilege
	account    string                     // as the server names it
	notGranted error                      // why privileges could not be read
}

// The checks of a server, in the order of the report.
const (
	checkConfig     = "config"
	checkName       = "name"
	checkPort       = "port"
	checkProxy      = "proxy" // only if HTTPS_PROXY names one for the server
	checkTLS        = "tls"
	checkLogin      = "login"
	checkProduct    = "product"
	checkHosts      = "hosts"
	checkClock      = "clock"
	checkRoundTrip  = "round-trip"
	checkStatistics = "counters"
	checkEsxtop     = "esxtop"
	checkREST       = "rest"
	checkAnswers    = "answers" // only if the server sends something that cannot be decoded
	checkPrivileges = "privileges"
)

// CheckIDs returns the ids of all checks of a server, in the order of the report.
func CheckIDs() []string {
	return []string{
		checkConfig, checkName, checkPort, checkProxy, checkTLS, checkLogin, checkProduct, checkHosts, checkClock, checkRoundTrip,
		checkStatistics, checkEsxtop, checkREST, checkAnswers, checkPrivileges,
	}
}

func (x *examination) set(id string, status Status, text, cause string, try ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.results[id] = Result{ID: id, Status: status, Text: text, Cause: cause, Try: slices.Clone(try)}
}

// configured reports the values in force.
func (x *examination) configured() {
	if x.Config == nil {
		return // the demo fleet has none
	}
	var parts []string
	for _, v := range x.Config {
		from, _, _ := strings.Cut(v.From, " (") // without a context's file
		parts = append(parts, strings.TrimSpace(v.Name+" "+v.Value)+" ("+from+")")
	}
	text := strings.Join(parts, ", ")
	switch {
	case x.Ambiguous != nil:
		x.set(checkConfig, Fail, text, "commands that write refuse: "+x.Ambiguous.Error(), "choose the server with --context NAME or --url URL")
	case len(x.Notes) > 0:
		x.set(checkConfig, Warning, text, strings.Join(x.Notes, "; "))
	default:
		x.set(checkConfig, OK, text, "")
	}
}

// examine runs the checks that need a login: those that are independent at the same time.
func (x *examination) examine(ctx context.Context) {
	x.product = x.session.Product()
	var all sync.WaitGroup
	all.Go(func() { x.clock(ctx) })
	all.Go(func() { x.rest(ctx) })
	all.Go(func() { x.answers(ctx) })
	all.Go(func() {
		x.inventory, x.noList = x.session.Inventory(ctx)
		x.release()
		x.hosts()
		all.Go(func() { x.statistics(ctx) })
		all.Go(func() { x.esxtop(ctx) })
		all.Go(func() { x.privileges(ctx) })
	})
	all.Wait()
}

// server collects the results. A check that was not reached is unknown, because of the first one that failed.
func (x *examination) server() Server {
	s := Server{Name: x.Name, Context: x.Context, Status: OK, Config: x.Config}
	reason := ""
	for _, id := range CheckIDs() {
		r, done := x.results[id]
		switch {
		case done:
			if !r.Status.Works() && reason == "" && id != checkConfig {
				reason = id
			}
		case id == checkConfig || id == checkProxy || id == checkAnswers || x.session != nil:
			continue
		default:
			r = Result{ID: id, Status: Unknown, Text: "not checked: see " + Title(reason), BlockedBy: reason}
		}
		s.Checks = append(s.Checks, r)
		s.Status = worse(s.Status, r.Status)
	}
	s.Commands, s.Grants = x.commands()
	if len(x.Commands) > 0 {
		s.Status = OK
	}
	for _, c := range s.Commands {
		s.Status = worse(s.Status, c.Status)
	}
	return s
}

// titles are the names of checks for people, if they differ from the ids.
var titles = map[string]string{checkTLS: "TLS", checkRoundTrip: "round trip", checkEsxtop: "Esxtop", checkREST: "REST"}

// Title returns the name of a check for people.
func Title(id string) string {
	if t := titles[id]; t != "" {
		return t
	}
	return id
}

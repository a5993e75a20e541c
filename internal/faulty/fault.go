package faulty

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"
)

// Kind is what happens to a call.
type Kind string

// The kinds of faults.
const (
	Hangs       Kind = "hangs"        // the call is not executed, and never answered
	Slow        Kind = "slow"         // executed at once, answered later
	TooLate     Kind = "too late"     // executed at once, answered when the client has given up
	Faults      Kind = "faults"       // answered with a fault of the server
	Cut         Kind = "cut"          // executed, and the connection ends in the middle of the answer
	Garbage     Kind = "garbage"      // executed, and answered with bytes that are no XML
	Huge        Kind = "huge"         // executed, and answered with a string of 100 MB inside
	Resets      Kind = "resets"       // not executed; the connection is reset
	SessionEnds Kind = "session ends" // the client's session is ended before the call
	Restarts    Kind = "restarts"     // the session ends, and this call's connection and the next one are reset
	Happens     Kind = "happens"      // Fault.Do is called, then the call is executed
)

// Fault says which calls misbehave, and how.
type Fault struct {
	Kind   Kind
	Method string // of the calls; "": all
	From   int    // the first call of the method that misbehaves, counted from 1 and from the injection
	Times  int    // the number of calls that misbehave; 0: all until the proxy heals
	Do     func() // for Happens
}

// Sizes and times of faults.
const (
	hugeBytes   = 100_000_000
	slowBy      = 100 * time.Millisecond // stands for 100 s: the limit of the client's call is not reached
	restartSees = 2                      // requests
)

// Inject begins a fault, and ends the one before.
func (p *Proxy) Inject(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.hits, p.restart = &f, 0, 0
}

// Heal ends the fault.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.restart = nil, 0
}

// Hits returns how many calls met the fault.
func (p *Proxy) Hits() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hits
}

// meets counts a call, and returns the fault that it meets.
func (p *Proxy) meets(method string, r *http.Request) *Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, err := r.Cookie(sessionCookie); err == nil {
		p.cookie = c.Value
	}
	if p.fault == nil {
		return nil
	}
	if p.restart > 0 {
		p.restart--
		return &Fault{Kind: Resets}
	}
	if p.fault.Method != "" && p.fault.Method != method {
		return nil
	}
	f := *p.fault
	if p.fault.From > 1 {
		p.fault.From--
		return nil
	}
	if f.Times > 0 && p.hits == f.Times {
		return nil
	}
	if p.hits++; f.Kind == Restarts {
		p.restart = restartSees - 1
	}
	return &f
}

// does answers a call as the fault has it.
func (p *Proxy) does(f *Fault, w http.ResponseWriter, r *http.Request) {
	switch f.Kind {
	case Hangs:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case Slow, TooLate:
		p.later(f.Kind == TooLate, w, r)
	case Faults:
		Refuse(w, "SystemError", "<reason>a fault of the server</reason>")
	case Cut:
		_, body := p.answer(w, r)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case Garbage:
		p.answer(w, r)
		w.Header().Del("Content-Length")
		_, _ = w.Write(bytes.Repeat([]byte{0x8f, '<', 0, 0xff, '&', 'x', 7}, 500))
	case Huge:
		p.huge(w, r)
	case Resets:
		reset(w)
	case SessionEnds:
		p.endSession()
		p.next.ServeHTTP(w, r)
	case Restarts:
		p.endSession()
		reset(w)
	case Happens:
		f.Do()
		p.next.ServeHTTP(w, r)
	}
}

// answer executes a call and returns its answer. It copies the answer's header to w.
func (p *Proxy) answer(w http.ResponseWriter, r *http.Request) (code int, body []byte) {
	got := httptest.NewRecorder()
	p.next.ServeHTTP(got, r)
	maps.Copy(w.Header(), got.Header())
	return got.Code, got.Body.Bytes()
}

// later executes a call, and sends the answer later: after a moment, or when the client has given up.
func (p *Proxy) later(tooLate bool, w http.ResponseWriter, r *http.Request) {
	code, body := p.answer(w, r)
	if tooLate {
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	wait := time.NewTimer(slowBy)
	defer wait.Stop()
	select {
	case <-r.Context().Done():
	case <-wait.C:
	}
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

// huge executes a call, and puts a string of 100 MB into the first value of the answer.
func (p *Proxy) huge(w http.ResponseWriter, r *http.Request) {
	_, body := p.answer(w, r)
	w.Header().Del("Content-Length")
	at := len(body)
	for _, tag := range []string{"<returnval", "Response", "<value"} {
		if i := bytes.Index(body, []byte(tag)); i >= 0 {
			at = i + bytes.IndexByte(body[i:], '>') + 1
			break
		}
	}
	_, _ = w.Write(body[:at])
	letters := bytes.Repeat([]byte("x"), 1<<20)
	for n := 0; n < hugeBytes; n += len(letters) {
		if _, err := w.Write(letters); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
	_, _ = w.Write(body[at:])
}

// reset ends the connection with RST.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if over, is := conn.(*tls.Conn); is {
		if tcp, is := over.NetConn().(*net.TCPConn); is {
			_ = tcp.SetLinger(0)
			_ = tcp.Close()
			return
		}
	}
	_ = conn.Close()
}

// sessionCookie is the cookie of a session of SOAP.
const sessionCookie = "vmware_soap_session"

func (p *Proxy) remember(cookies []*http.Cookie) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range cookies {
		if c.Name == sessionCookie {
			p.cookie = c.Value
		}
	}
}

// endSession ends the client's session at the server, as an administrator does.
func (p *Proxy) endSession() {
	p.mu.Lock()
	cookie := p.cookie
	p.mu.Unlock()
	const logout = `<?xml version="1.0"?><Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><Logout xmlns="urn:vim25">` +
		`<_this type="SessionManager">SessionManager</_this></Logout></Body></Envelope>`
	r, err := http.NewRequest(http.MethodPost, p.to.String(), bytes.NewReader([]byte(logout))) //nolint:noctx // it outlives the call
	if err != nil {
		return
	}
	r.URL.User = nil
	r.Header.Set("Content-Type", "text/xml")
	r.AddCookie(&http.Cookie{Name: sessionCookie, Value: cookie})
	if res, err := p.next.Transport.RoundTrip(r); err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
}

// Refuse answers a call with a fault of vim25.
func Refuse(w http.ResponseWriter, kind, inside string) {
	w.Header().Set("Content-Type", "text/xml")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = fmt.Fprintf(w, `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" `+
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode>`+
		`<faultstring>no</faultstring><detail><Fault xmlns="urn:vim25" xsi:type="%s">%s</Fault></detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`, kind, inside)
}

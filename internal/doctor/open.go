package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// open connects and logs in, and reports each part. It returns false if there is no session.
func (x *examination) open(ctx context.Context) bool {
	if x.NoPassword != nil {
		x.set(checkLogin, Fail, "there is no password", x.NoPassword.Error(), "vperf context add --help lists the sources of passwords")
		return false
	}
	limit := x.Limit * openPart / allParts
	opening, cancel := context.WithTimeoutCause(ctx, limit, &limitError{limit})
	defer cancel()
	opened, route, err := x.Target.Open(opening)
	x.name(route, err)
	if x.results[checkName].Status == OK {
		x.port(route, err)
	}
	through := x.results[checkPort].Status == OK
	if through && route.Proxy != "" {
		through = x.proxy(route, err)
	}
	if through {
		x.tls(route, err)
	}
	if err == nil || route.Secure {
		x.login(err)
	}
	if err != nil {
		return false
	}
	x.session = opened
	return true
}

// late reports an operation that took longer than it may.
func late(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// waitLonger is the line to type after a check without an answer.
func (x *examination) waitLonger() string {
	return x.Typed.Command("doctor", "--timeout", "30s") + " waits longer"
}

func (x *examination) name(r session.Route, err error) {
	through := ""
	if r.Proxy != "" {
		through = " (the proxy in HTTPS_PROXY)"
	}
	host := cmp.Or(hostOf(r.Proxy), x.Host)
	switch {
	case r.LookupErr != nil:
		x.set(checkName, Fail, host+through+" is not in DNS, or DNS does not answer", session.Cause(err), "check the name, or give the IP address; getent hosts "+host)
	case len(r.Addresses) > 0:
		x.set(checkName, OK, fmt.Sprintf("%s%s is %s", host, through, strings.Join(firstOf(r.Addresses, 3), ", ")), "")
	case r.Dialled:
		x.set(checkName, OK, host+through+" is an address", "")
	case late(err):
		x.set(checkName, Unknown, "DNS did not answer for "+host+through, session.Cause(err), x.waitLonger())
	default:
		x.set(checkName, Fail, host+through+" cannot be used", session.Cause(err))
	}
}

func firstOf(list []string, n int) []string {
	if len(list) > n {
		return append(list[:n:n], "…")
	}
	return list
}

func hostOf(address string) string {
	if i := strings.LastIndex(address, ":"); i > strings.LastIndex(address, "]") {
		return strings.Trim(address[:i], "[]")
	}
	return address
}

func (x *examination) port(r session.Route, err error) {
	switch {
	case r.Address != "":
		x.set(checkPort, OK, fmt.Sprintf("%s accepts connections (%s)", r.Address, brief(r.Connect)), "")
	case r.Proxy != "" && r.ConnectErr != nil && !late(err):
		x.set(checkPort, Fail, "no connection to the proxy "+r.Proxy, session.Cause(err), "check HTTPS_PROXY, and that the proxy runs", x.withoutProxy())
	case r.Proxy != "":
		x.set(checkPort, Fail, "the proxy "+r.Proxy+" does not answer", "a firewall on the way may drop the packets", x.withoutProxy(), x.waitLonger())
	case r.ConnectErr != nil && !late(err):
		x.set(checkPort, Fail, "no connection to "+x.Name, session.Cause(err), "check address and port (443 is the default), and that the server runs")
	default:
		x.set(checkPort, Fail, x.Name+" does not answer", "a firewall on the way may drop the packets", x.waitLonger())
	}
}

// proxy reports whether the proxy opened a tunnel to the server.
func (x *examination) proxy(r session.Route, err error) bool {
	switch {
	case r.TLSBegun:
		x.set(checkProxy, OK, r.Proxy+" (HTTPS_PROXY) connects to "+x.Host, "")
	case late(err):
		x.set(checkProxy, Fail, r.Proxy+" (HTTPS_PROXY) does not connect to "+x.Host+" in time", "the server does not answer the proxy, or the proxy hangs",
			x.withoutProxy(), x.waitLonger())
	default:
		x.set(checkProxy, Fail, r.Proxy+" (HTTPS_PROXY) does not connect to "+x.Host, session.Cause(err),
			"check what the proxy allows; it may need a user: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT", x.withoutProxy())
	}
	return r.TLSBegun
}

// withoutProxy is the line to type for a direct connection.
func (x *examination) withoutProxy() string {
	return "if the server can be reached directly: export NO_PROXY=" + x.Host
}

func (x *examination) tls(r session.Route, err error) {
	untrusted, bad := errors.AsType[*session.TLSError](err)
	switch {
	case bad && untrusted.Pinned():
		x.set(checkTLS, Fail, "the certificate is not the pinned one; its SHA-256 thumbprint is "+untrusted.Thumbprint, "it was replaced, or another server answers",
			"if it was replaced on purpose, pin this thumbprint instead")
	case bad:
		x.set(checkTLS, Fail, "the certificate is not trusted: "+session.Plain(untrusted.Err.Error()), "", trustLines(untrusted)...)
	case r.Secure:
		x.trusted(r)
	case late(err):
		x.set(checkTLS, Fail, "the port accepts connections but does not answer in TLS", "a hung service, a proxy, or a port of another service", x.waitLonger())
	default:
		x.set(checkTLS, Fail, "the port does not speak TLS: "+session.Cause(err), "", "check the port: the URL is https://HOST[:PORT]/sdk")
	}
}

// trustLines are the ways to trust a certificate, the safest first.
func trustLines(e *session.TLSError) []string {
	return []string{
		"compare the thumbprint with the one that the server shows, then use one of these:",
		"export GOVC_TLS_CA_CERTS=ca.pem    # the file of its authority",
		"--thumbprint " + e.Thumbprint,
		fmt.Sprintf("echo '%s %s' >> known_hosts; export GOVC_TLS_KNOWN_HOSTS=known_hosts", e.Host, e.Thumbprint),
	}
}

// soon is the time before the end of a certificate that is worth a warning.
const soon = 14 * 24 * time.Hour

func (x *examination) trusted(r session.Route) {
	why, verified := x.Target.Trusted(r)
	until := ""
	if r.Certificate != nil {
		until = "; until " + r.Certificate.NotAfter.UTC().Format(time.DateOnly)
	}
	switch {
	case !verified:
		x.set(checkTLS, Warning, "the certificate is not verified: "+why, "another server could read the password", "pin it with --thumbprint, and remove -k and GOVC_INSECURE")
	case r.Certificate != nil && time.Until(r.Certificate.NotAfter) < soon:
		x.set(checkTLS, Warning, "trusted: "+why+until, "the certificate ends soon, or has ended")
	default:
		x.set(checkTLS, OK, "trusted: "+why+until, "")
	}
}

func (x *examination) login(err error) {
	wrong, refused := errors.AsType[*session.LoginError](err)
	denied, locked := errors.AsType[*session.PermissionError](err)
	switch {
	case err == nil:
		x.set(checkLogin, OK, x.User, "")
	case refused && wrong.User == "":
		x.set(checkLogin, Fail, "there is no user name", "", "--username USER@DOMAIN, GOVC_USERNAME, or username of the context")
	case refused:
		x.set(checkLogin, Fail, "wrong user name or password for "+x.User+", or the account is locked", "",
			"write the user with its domain, as in audit@vsphere.local", "vperf context show shows where user name and password come from")
	case locked:
		x.set(checkLogin, Fail, x.User+" may not log in: privilege "+session.OrUnknown(denied.Privilege)+" is missing",
			"the account has no role on this server, or the host is in lockdown mode", "use vCenter, or give the account a role: Read-only is enough to audit")
	case late(err):
		x.set(checkLogin, Unknown, "the server did not answer the login in time", session.Cause(err), x.waitLonger())
	default:
		x.set(checkLogin, Fail, "the server does not answer as vSphere does: "+session.Cause(err), "", "is it a vCenter Server or an ESXi host? The URL is https://HOST[:PORT]/sdk")
	}
}

// brief formats a duration with two digits or so.
func brief(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

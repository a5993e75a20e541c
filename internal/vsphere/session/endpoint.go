package session

import (
	"errors"
	"net/url"
	"time"

	"github.com/vmware/govmomi/vim25"
)

// Endpoint says where a vCenter Server or an ESXi host is, who logs in, and how its certificate is trusted.
type Endpoint struct {
	// URL is https://host[:port]/sdk, without user info.
	URL      *url.URL
	User     string
	Password Secret
	// Insecure accepts any certificate that is not pinned otherwise.
	Insecure bool
	// CAFiles replace the system's certificate authorities.
	CAFiles []string
	// KnownHostsFile holds lines of "host:port thumbprint"; a host found there is trusted though no authority vouches
	// for it. A file that does not exist is empty.
	KnownHostsFile string
	// Thumbprint pins the certificate by its SHA-1 or SHA-256 digest, as AA:BB:…; no other is accepted.
	Thumbprint string
	// CertificatePEM pins the certificate itself.
	CertificatePEM []byte
	// Name is what output calls the endpoint; unless given, the name a vCenter has for itself, or the URL's host.
	Name string
	// SessionDir keeps the session for the next command, in the file that govc would keep it in; "" logs out at the end.
	SessionDir string
	// CallTimeout is the deadline of one call; 2 minutes unless given.
	CallTimeout time.Duration
	// RetryPause is before a call is made again whose connection broke; 200 ms unless given. The next one is four times as long.
	RetryPause time.Duration
	// PageLimit bounds how many objects one answer holds; 0: as many as suits what is read.
	PageLimit int32
}

// IdleConnections is how many connections are kept for the next requests: so many requests may be under way at once without
// opening more each time.
const IdleConnections = 16

const (
	defaultCallTimeout = 2 * time.Minute
	defaultRetryPause  = 200 * time.Millisecond
	dialTimeout        = 10 * time.Second
	lineBuffer         = 64 << 10 // of a connection, each way: questions and answers have megabytes
)

// normal is the endpoint with its defaults filled in, or why it cannot be used.
func (e Endpoint) normal() (Endpoint, error) {
	if e.URL == nil || e.URL.Host == "" {
		return e, errors.New("no vSphere URL: give https://HOST[:PORT]/sdk with --url or GOVC_URL")
	}
	u := *e.URL
	u.User = nil
	if u.Path == "" || u.Path == "/" {
		u.Path = vim25.Path
	}
	e.URL = &u
	if e.CallTimeout <= 0 {
		e.CallTimeout = defaultCallTimeout
	}
	return e, e.checkScheme()
}

// checkScheme refuses to send a password in the clear.
func (e Endpoint) checkScheme() error {
	switch e.URL.Scheme {
	case "https":
		return nil
	case "http":
		return errors.New("connecting to " + e.URL.Host + ": http would send the password in the clear; write https://" + e.URL.Host)
	}
	return errors.New("connecting to " + e.URL.Host + ": the scheme must be https, as in https://" + e.URL.Host + "/sdk")
}

package session

import (
	"errors"
	"net/url"
	"time"

	"github.com/vmware/govmomi/vim25"
)

// Endpoint describes a vCenter Server or an ESXi host: its address, the account, and how its certificate is trusted.
type Endpoint struct {
	// URL is https://host[:port]/sdk, without user info.
	URL      *url.URL
	User     string
	Password Secret
	// Insecure accepts any certificate that is not pinned otherwise.
	Insecure bool
	// CAFiles replace the system's certificate authorities.
	CAFiles []string
	// KnownHostsFile holds lines of "host:port thumbprint"; a host found there is trusted without a certificate authority. A
	// missing file is treated as empty.
	KnownHostsFile string
	// Thumbprint pins the certificate by its SHA-1 or SHA-256 digest, as AA:BB:…; no other is accepted.
	Thumbprint string
	// CertificatePEM pins the certificate itself.
	CertificatePEM []byte
	// Name is the endpoint's name in output; the default is a vCenter's own name, or the URL's host.
	Name string
	// SessionDir is the directory to save the session in for the next command, in the file that govc would use; "" logs out at
	// the end.
	SessionDir string
	// CallTimeout is the deadline of one call; the default is 2 minutes.
	CallTimeout time.Duration
	// RetryPause is the time before the first retry after a broken connection; the default is 200 ms. The next pause is four
	// times as long.
	RetryPause time.Duration
	// PageLimit is the maximum number of objects in one answer; 0: a suitable size for the type of object.
	PageLimit int32
}

// IdleConnections is the number of idle connections kept for further requests: that many requests can run in parallel without
// opening connections each time.
const IdleConnections = 16

const (
	defaultCallTimeout = 2 * time.Minute
	defaultRetryPause  = 200 * time.Millisecond
	dialTimeout        = 10 * time.Second
	lineBuffer         = 64 << 10 // of a connection, in each direction: requests and answers have megabytes
)

// normal returns the endpoint with its defaults, or why it cannot be used.
func (e Endpoint) normal() (Endpoint, error) {
	if e.URL == nil || e.URL.Host == "" {
		return e, errors.New("no vSphere URL: set https://HOST[:PORT]/sdk with --url or GOVC_URL")
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

// checkScheme refuses to send a password unencrypted.
func (e Endpoint) checkScheme() error {
	switch e.URL.Scheme {
	case "https":
		return nil
	case "http":
		return errors.New("connecting to " + e.URL.Host + ": http would send the password unencrypted; write https://" + e.URL.Host)
	}
	return errors.New("connecting to " + e.URL.Host + ": the scheme must be https, as in https://" + e.URL.Host + "/sdk")
}

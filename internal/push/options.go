package push

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Options configure a Pusher.
type Options struct {
	RemoteWrite, OTLP Receiver
	// Interval is the time between two samples of a series.
	Interval time.Duration
	// BufferMiB limits the memory in which encoded samples wait for a receiver, in MiB; each receiver has its own.
	BufferMiB int
	// Labels are added to all series, as NAME=VALUE.
	Labels []string
	// Version is vperf's own.
	Version string
	Log     *slog.Logger
}

// Receiver is where samples are pushed to.
type Receiver struct {
	URL string // empty: there is none
	// ConfigFile has credentials and TLS settings in the format that Prometheus calls http_config; empty: there are none.
	ConfigFile string
}

// Defaults and limits of options.
const (
	DefaultInterval  = 20 * time.Second
	LongestInterval  = 5 * time.Minute // Prometheus takes a series without samples for ended then
	DefaultBufferMiB = 64
	mostBufferMiB    = 64 << 10
)

// kind is a protocol with what belongs to it.
type kind struct {
	name, flag string
	path       string // of URLs that have none
}

// receiver is a receiver of a kind.
type receiver struct {
	kind
	Receiver
}

var (
	kindRemoteWrite = kind{"remote_write", "remote-write", "/api/v1/write"}
	kindOTLP        = kind{"otlp", "otlp", "/v1/metrics"}
)

func (o *Options) receivers() (list []receiver) {
	for _, r := range []receiver{{kindRemoteWrite, o.RemoteWrite}, {kindOTLP, o.OTLP}} {
		if r.URL != "" {
			list = append(list, r)
		}
	}
	return list
}

// Enabled reports whether there is a receiver.
func (o *Options) Enabled() bool { return len(o.receivers()) > 0 }

// Addresses returns the URLs to which samples are pushed, without what may be secret in them.
func (o *Options) Addresses() (list []string) {
	for _, r := range o.receivers() {
		if u, err := r.address(); err == nil {
			list = append(list, r.flag+" "+(&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String())
		}
	}
	return list
}

// Check returns errors in the options before anything is started. It reads the configuration files.
func (o *Options) Check() error {
	var wrong []error
	for _, r := range []receiver{{kindRemoteWrite, o.RemoteWrite}, {kindOTLP, o.OTLP}} {
		switch {
		case r.URL == "" && r.ConfigFile != "":
			wrong = append(wrong, fmt.Errorf("--%s.config.file: there is no receiver: add --%s URL", r.flag, r.flag))
		case r.URL != "":
			if _, err := r.address(); err != nil {
				wrong = append(wrong, fmt.Errorf("--%s: %w", r.flag, err))
			}
			if _, err := r.client(""); err != nil {
				wrong = append(wrong, fmt.Errorf("--%s.config.file %s: %w", r.flag, r.ConfigFile, err))
			}
		}
	}
	if o.Interval < DefaultInterval || o.Interval > LongestInterval {
		wrong = append(wrong, fmt.Errorf("--push.interval: %s is out of range: from 20s, the interval of the counters, to 5m", o.Interval))
	}
	if o.BufferMiB < 1 || o.BufferMiB > mostBufferMiB {
		wrong = append(wrong, fmt.Errorf("--push.buffer: %d is out of range: from 1 to %d MiB", o.BufferMiB, mostBufferMiB))
	}
	_, err := o.pairs()
	return errors.Join(append(wrong, err)...)
}

// address returns the URL, with the usual path if it has none.
func (r receiver) address() (*url.URL, error) {
	u, err := url.Parse(r.URL)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https": // not shown: it may contain a password
		return nil, fmt.Errorf("this is not a URL: write for example https://HOST%s", r.path)
	case u.User != nil:
		return nil, fmt.Errorf("the URL contains a user or a password: put them into --%s.config.file", r.flag)
	case u.Fragment != "":
		return nil, errors.New("the URL contains a fragment (#): remove it")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = r.path
	}
	return u, nil
}

// isLocal reports whether a URL leads to this machine.
func isLocal(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// pairs returns the labels of all series.
func (o *Options) pairs() (list []pair, _ error) {
	seen := map[string]bool{}
	for _, l := range o.Labels {
		name, value, ok := strings.Cut(l, "=")
		switch {
		case !ok, value == "", !labelName.MatchString(name), strings.HasPrefix(name, "__"):
			return nil, fmt.Errorf("--push.label: %q is not a label: write NAME=VALUE, such as site=berlin", l)
		case name == "job", name == "instance":
			return nil, fmt.Errorf("--push.label: %s is set by vperf: it identifies the target", name)
		case seen[name]:
			return nil, fmt.Errorf("--push.label: there are two labels %s: remove one", name)
		}
		seen[name] = true
		list = append(list, pair{name, strings.ToValidUTF8(value, "�")})
	}
	return list, nil
}

// destination returns a receiver with its queue.
func (o *Options) destination(r receiver) (*destination, error) {
	to, err := r.address()
	if err != nil {
		return nil, err
	}
	client, err := r.client(o.Version)
	if err != nil {
		return nil, err
	}
	if to.Scheme == "http" && client.secret && !isLocal(to) {
		o.Log.Warn("credentials are sent without encryption: use https", "destination", r.name)
	}
	if client.insecure {
		o.Log.Warn("the certificate of the receiver is not verified (insecure_skip_verify)", "destination", r.name)
	}
	labels, err := o.pairs()
	if err != nil {
		return nil, err
	}
	var p protocol
	if r.kind == kindOTLP {
		p = newOTLP(to, client.Client, labels, o.Version)
	} else if p, err = newRemoteWrite(to, client.Client, labels, o.Log.With("destination", r.name)); err != nil {
		return nil, err
	}
	return newDestination(r.name, p, int64(o.BufferMiB)<<20, o.Log), nil
}

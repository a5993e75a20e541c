package session

import (
	"bufio"
	"bytes"
	"crypto/sha1" //nolint:gosec // vSphere names certificates by SHA-1 too
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/vperf/vperf/internal/userfile"
)

// trust decides whether a certificate is trusted for a server.
type trust struct {
	host       string // the name used in errors
	name       string // the name that the certificate must contain
	roots      *x509.CertPool
	insecure   bool
	exact      []byte // DER of the only certificate accepted
	thumbprint string // the only certificate accepted
	known      string // thumbprint from the known hosts
}

// tlsConfig leaves verification to trust: tls.Config does not support the combination of pins and authorities.
func (e Endpoint) tlsConfig() (*tls.Config, error) {
	t := trust{host: withPort(e.URL.Host), name: e.URL.Hostname(), insecure: e.Insecure, thumbprint: cleanThumbprint(e.Thumbprint)}
	var err error
	if t.roots, err = readRoots(e.CAFiles); err != nil {
		return nil, err
	}
	if t.exact, err = certificateDER(e.CertificatePEM); err != nil {
		return nil, err
	}
	if t.known, err = knownThumbprint(e.KnownHostsFile, t.host); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         t.name,
		InsecureSkipVerify: true, //nolint:gosec // verified by trust
		VerifyConnection:   t.verify,
	}, nil
}

// verify accepts the certificate, or returns an error with its thumbprint. Pins apply even if verification is off.
func (t trust) verify(cs tls.ConnectionState) error {
	leaf := cs.PeerCertificates[0]
	switch {
	case t.exact != nil:
		return t.judge(leaf, bytes.Equal(t.exact, leaf.Raw))
	case t.thumbprint != "":
		return t.judge(leaf, matches(leaf, t.thumbprint))
	case t.insecure, t.known != "" && matches(leaf, t.known):
		return nil
	}
	return t.verifyChain(leaf, cs.PeerCertificates[1:])
}

func (t trust) judge(leaf *x509.Certificate, ok bool) error {
	if ok {
		return nil
	}
	return &TLSError{Host: t.host, Thumbprint: thumbprint256(leaf), Err: errors.New("this is not the pinned certificate"), pinned: true}
}

func (t trust) verifyChain(leaf *x509.Certificate, others []*x509.Certificate) error {
	between := x509.NewCertPool()
	for _, c := range others {
		between.AddCert(c)
	}
	_, err := leaf.Verify(x509.VerifyOptions{DNSName: t.name, Roots: t.roots, Intermediates: between})
	if err == nil {
		return nil
	}
	if t.known != "" {
		err = fmt.Errorf("%w, and the known hosts file has another thumbprint for it", err)
	}
	return &TLSError{Host: t.host, Thumbprint: thumbprint256(leaf), Err: err}
}

// readRoots returns the authorities of the files, or nil for the system's authorities if there is no file.
func readRoots(files []string) (*x509.CertPool, error) {
	if len(files) == 0 {
		return nil, nil //nolint:nilnil // nil is the system's pool
	}
	pool := x509.NewCertPool()
	for _, name := range files {
		text, err := userfile.Certificates.Read(name)
		if err != nil {
			return nil, fmt.Errorf("reading certificate authorities: %w", err)
		}
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("reading certificate authorities: %s holds no certificate in PEM form", name)
		}
	}
	return pool, nil
}

func certificateDER(text []byte) ([]byte, error) {
	if len(text) == 0 {
		return nil, nil
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, errors.New("reading the server's certificate: it is not in PEM form")
	}
	return block.Bytes, nil
}

// knownThumbprint reads govc's known hosts file.
func knownThumbprint(file, host string) (string, error) {
	var found string
	for _, name := range filepath.SplitList(file) {
		text, err := userfile.KnownHosts.Read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("reading known hosts: %w", err)
		}
		if t := findThumbprint(text, host); t != "" {
			found = t
		}
	}
	return found, nil
}

func findThumbprint(text []byte, host string) (found string) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) == 2 && strings.EqualFold(withPort(f[0]), host) {
			found = cleanThumbprint(f[1])
		}
	}
	return found
}

// withPort returns a host in the form of the known hosts file.
func withPort(host string) string {
	if strings.LastIndex(host, ":") <= strings.LastIndex(host, "]") {
		return host + ":443"
	}
	return host
}

func matches(c *x509.Certificate, thumbprint string) bool {
	return thumbprint == thumbprint256(c) || thumbprint == colons(sha1Of(c))
}

func thumbprint256(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return colons(sum[:])
}

func sha1Of(c *x509.Certificate) []byte {
	sum := sha1.Sum(c.Raw) //nolint:gosec // a name, not a signature
	return sum[:]
}

func colons(sum []byte) string { return strings.ReplaceAll(fmt.Sprintf("% X", sum), " ", ":") }

// cleanThumbprint normalizes a digest as tools print it: with or without colons, in either case.
func cleanThumbprint(s string) string {
	s = strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(s), ":", ""))
	var b strings.Builder
	for i, r := range s {
		if i > 0 && i%2 == 0 {
			b.WriteByte(':')
		}
		b.WriteRune(r)
	}
	return b.String()
}

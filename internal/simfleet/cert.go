package simfleet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"strings"
	"time"
)

type certificate struct {
	tls        tls.Certificate
	pem        []byte
	thumbprint string
}

// newCertificate creates a self-signed certificate for loopback. It is valid at both the fleet's time and the real time, because
// clients check it by their own clock.
func newCertificate(now time.Time) (*certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	from, to := now, time.Now()
	if to.Before(from) {
		from, to = to, from
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(from.UnixNano()),
		Subject:               pkix.Name{CommonName: "127.0.0.1"},
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:             from.Add(-time.Hour),
		NotAfter:              to.AddDate(1, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("signing a certificate: %w", err)
	}
	return &certificate{
		tls:        tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		pem:        pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		thumbprint: Thumbprint(der),
	}, nil
}

// Thumbprint returns the SHA-256 of a certificate in vSphere's form: AA:BB:….
func Thumbprint(der []byte) string {
	sum := sha256.Sum256(der)
	parts := make([]string, len(sum))
	for i, b := range sum {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(parts, ":")
}

// listen serves HTTP/1.1 only, as the SOAP service of a vCenter does.
func (c *certificate) listen(l net.Listener) net.Listener {
	return tls.NewListener(l, &tls.Config{
		Certificates: []tls.Certificate{c.tls},
		NextProtos:   []string{"http/1.1"},
		MinVersion:   tls.VersionTLS12,
	})
}

// randomPassword returns 26 characters of base32: over 120 bits.
func randomPassword() string { return rand.Text() }

package exporter

import (
	"net"
	"net/url"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/userfile"
)

// logLandingURL logs the URL to open in a browser. It logs nothing for a listener without a TCP address, such as a Unix socket, and if
// another page replaces the landing page.
func (s *server) logLandingURL(a net.Addr) {
	if u := landingURL(a, s.servesTLS(), s.RoutePrefix); u != "" && s.TelemetryPath != "/" {
		s.Log.Info("open the landing page in a browser", "url", u)
	}
}

// landingURL returns the URL of the landing page, with localhost for a listener on all addresses. It returns "" without a TCP address.
func landingURL(a net.Addr, tls bool, prefix string) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return ""
	}
	host, port, err := net.SplitHostPort(tcp.String())
	if err != nil {
		return ""
	}
	if tcp.IP.IsUnspecified() {
		host = "localhost"
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: prefix + "/"}
	if tls {
		u.Scheme = "https"
	}
	return u.String()
}

// servesTLS reports whether the web configuration enables TLS. The exporter toolkit has checked the file before.
func (s *server) servesTLS() bool {
	var web struct {
		TLS map[string]any `yaml:"tls_server_config"`
	}
	text, err := userfile.WebConfig.Read(s.ConfigFile)
	return err == nil && yaml.Unmarshal(text, &web) == nil && len(web.TLS) > 0
}

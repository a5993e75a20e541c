package exporter

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"html/template"
	"net/http"
)

var (
	//go:embed landing.html
	landingHTML string
	//go:embed landing.css
	landingCSS string

	landingTemplate = template.Must(template.New("landing").Parse(landingHTML))
)

// contentPolicy allows our own style and nothing else: no script, no pictures, nothing from elsewhere.
var contentPolicy = "default-src 'none'; style-src '" + styleHash(landingCSS) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func styleHash(css string) string {
	sum := sha256.Sum256([]byte(css))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// landing shows people how the targets are.
func (s *server) landing(w http.ResponseWriter, _ *http.Request) {
	var page bytes.Buffer
	if err := landingTemplate.Execute(&page, s.landingView()); err != nil {
		s.Log.Error("making the landing page", "err", err)
		sayText(w, http.StatusInternalServerError, "the landing page could not be made; the log has more")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store") // it shows this moment
	_ = http.NewResponseController(w).SetWriteDeadline(s.writeBefore())
	_, _ = w.Write(page.Bytes()) // who went away needs no answer
}

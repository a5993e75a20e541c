package exporter

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/ledger"
)

func landingOf(t *testing.T, targets ...*fakeTarget) string {
	t.Helper()
	s, _ := aServer(t, ServerOptions{Version: "1.2.3"}, targets...)
	s.history.add(visit{When: noon.Add(-time.Minute), Took: 12 * time.Millisecond, Target: "prod", Code: 200, Bytes: 3 << 20, Who: "192.0.2.7"})
	s.history.add(visit{When: noon.Add(-3 * time.Second), Took: 9750 * time.Millisecond, Target: "prod", Modules: []string{"basic", "net"}, Code: 504, Bytes: 64, Who: "2001:db8::1"})
	s.history.add(visit{When: noon, Target: evilName, Code: 404, Bytes: 99, Who: "192.0.2.9"})
	w := get(s, "/")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
	return w.Body.String()
}

func TestLandingPage(t *testing.T) {
	golden.Equal(t, "testdata/landing.html", []byte(landingOf(t, richTarget(), coldTarget(), evilTarget())))
}

func TestLandingPageOfNothing(t *testing.T) {
	s, _ := aServer(t, ServerOptions{})
	page := get(s, "/").Body.String()
	require.Contains(t, page, "No target is configured.")
	require.Contains(t, page, "No probes yet.")
}

// TestLandingPageRunsNothing looks for whatever a browser would run or fetch.
func TestLandingPageRunsNothing(t *testing.T) {
	page := landingOf(t, richTarget(), evilTarget())
	for _, never := range []string{"<script", "<img", "<b>", "<i>", "<[a-z][^>]* (src|style|on[a-z]*)=", "javascript:", "http://", "https://", "@import", `url\(`, "\x1b", "\u202e"} {
		for _, at := range regexp.MustCompile("(?i)"+never).FindAllStringIndex(page, -1) {
			t.Errorf("%q is on the page: %s", never, page[max(0, at[0]-60):min(len(page), at[1]+60)])
		}
	}
	for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		require.Regexp(t, `^(#target-\d+|metrics|sd/hosts(\?target=[^<>" ]*)?|-/ready|probe\?target=[^<>" ]*)$`, link[1])
	}
}

// TestStyleIsTheOneThatIsAllowed: a page whose style has another hash than the header says has none in a browser.
func TestStyleIsTheOneThatIsAllowed(t *testing.T) {
	s, _ := aServer(t, ServerOptions{})
	w := get(s, "/")
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(w.Body.String())
	require.Len(t, style, 2)
	require.Contains(t, w.Header().Get("Content-Security-Policy"), "style-src '"+styleHash(style[1])+"'")
	require.NotContains(t, landingCSS, "\r")
}

// TestLandingLinksWork follows every link but those of fakes.
func TestLandingLinksWork(t *testing.T) {
	evil := evilTarget()
	s, _ := aServer(t, ServerOptions{}, evil)
	page := get(s, "/").Body.String()
	links := regexp.MustCompile(`href="([^#"][^"]*)"`).FindAllStringSubmatch(page, -1)
	require.Greater(t, len(links), 5)
	for _, link := range links {
		path := "/" + strings.ReplaceAll(link[1], "&amp;", "&")
		require.Equal(t, http.StatusOK, get(s, path).Code, path)
	}
}

func TestWordsOfTheLandingPage(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 12 * time.Millisecond: "12 ms", 1240 * time.Millisecond: "1.2 s", 59 * time.Second: "59 s", 119 * time.Second: "119 s",
		2 * time.Minute: "2 min", 119 * time.Minute: "119 min", 2 * time.Hour: "2 h", 50 * time.Hour: "2 days",
	} {
		require.Equal(t, want, span(d))
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 150 << 10: "150 KiB", 3 << 19: "1.5 MiB", 5 << 40: "5.0 TiB", 5 << 50: "5120 TiB"} {
		require.Equal(t, want, bytesText(n))
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		require.Equal(t, want, grouped(n))
	}
	require.Equal(t, marked{"none yet", "faint"}, viewAge(time.Time{}, noon))
	require.Equal(t, marked{"just now", ""}, viewAge(noon.Add(3*time.Second), noon), "clocks differ a little")
	require.Equal(t, marked{"60 s ahead of the exporter's clock", "warn"}, viewAge(noon.Add(time.Minute), noon))
	require.Equal(t, marked{"60 s ago", ""}, viewAge(noon.Add(-time.Minute), noon))
	require.Equal(t, marked{"61 s ago", "warn"}, viewAge(noon.Add(-61*time.Second), noon))
	require.Equal(t, marked{"3 of 3", ""}, viewCoverage(ledger.Coverage{Expected: 3, Collected: 3}))
	require.Equal(t, marked{"2 of 3", "warn"}, viewCoverage(ledger.Coverage{Expected: 3, Collected: 2}))
}

// TestLandingPageIsWellFormed reads the page as strictly as XML, but for the tag that HTML never closes.
func TestLandingPageIsWellFormed(t *testing.T) {
	page := landingOf(t, richTarget(), coldTarget(), evilTarget())
	in := xml.NewDecoder(strings.NewReader(regexp.MustCompile("(<meta [^>]*)>").ReplaceAllString(page, "$1/>")))
	ids := map[string]bool{}
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		start, _ := token.(xml.StartElement)
		for _, a := range start.Attr {
			if a.Name.Local == "id" {
				require.False(t, ids[a.Value], "two elements are called %s", a.Value)
				ids[a.Value] = true
			}
		}
	}
	require.Len(t, ids, 3)
}

package svg_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/tools/terminalpicture/svg"
)

func TestDraw(t *testing.T) {
	picture := string(svg.Draw("vperf audit", "reading\r\x1b[Kone  <two>\r\n\x1b[31mHIGH\x1b[39m at 2026-01-02T03:04:05Z\n"))
	require.NoError(t, wellFormed(picture))
	require.NotContains(t, picture, "reading", "progress was erased")
	require.Contains(t, picture, `x="16" y="64" textLength="24" lengthAdjust="spacingAndGlyphs">one</text>`)
	require.Contains(t, picture, `x="56" y="64" textLength="40" lengthAdjust="spacingAndGlyphs">&lt;two&gt;</text>`, "columns keep their place")
	require.Contains(t, picture, `fill="#ff7b72">HIGH</text>`)
	require.Contains(t, picture, "spacingAndGlyphs\">at 2026-11-20T09:30:00Z</text>")
	require.NotContains(t, picture, "\x1b")
}

func TestDrawKeepsAStyleOverLines(t *testing.T) {
	picture := string(svg.Draw("c", "\x1b[1mone\ntwo\x1b[22m three"))
	require.Contains(t, picture, `font-weight="700">two</text>`)
	require.Contains(t, picture, `"spacingAndGlyphs">three</text>`)
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF { //nolint:errorlint // the decoder returns it as it is
			return nil
		} else if err != nil {
			return err
		}
	}
}

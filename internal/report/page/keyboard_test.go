package page

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// press presses a key and releases it. A key that writes has a text.
func (b *browser) press(key, code string, virtual int, text string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p := map[string]any{"type": kind, "key": key, "code": code, "windowsVirtualKeyCode": virtual}
		if kind == "keyDown" && text != "" {
			p["text"] = text
		}
		b.call("Input.dispatchKeyEvent", p, nil)
	}
}

// TestProveKeyboard: the skip link comes first, Tab reaches all links, buttons, fields and folds, each shows its focus inside the
// window, and Enter and the space bar unfold a part.
func TestProveKeyboard(t *testing.T) {
	b := chromium(t)
	path := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(path, []byte(written(t, sampleReport(4, 14))), 0o600))
	b.size(1280, 900)
	b.open(path)
	controls := b.eval(`(function () {
		window.controls = Array.from(document.querySelectorAll("a[href], button, input, summary")).filter(function (e) { return e.checkVisibility(); });
		window.reached = [];
		return window.controls.length;
	})()`)
	require.Greater(t, controls, 20.0)
	for i := range int(controls.(float64)) {
		b.press("Tab", "Tab", 9, "")
		require.Empty(t, b.eval(`(function () {
			var e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
			window.reached.push(e);
			var seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && box.height > 0 && box.bottom > 0 && box.top < innerHeight;
			return seen ? "" : e.outerHTML.slice(0, 200);
		})()`), "control %d has the focus and does not show it", i)
		if i == 0 {
			require.Equal(t, "#main", b.eval(`document.activeElement.getAttribute("href")`), "the first key skips the navigation")
		}
	}
	require.Empty(t, b.eval(`window.controls.filter(function (e) { return window.reached.indexOf(e) < 0; }).map(function (e) {
		return e.outerHTML.slice(0, 80);
	}).join("\n")`), "Tab does not reach")
	b.eval(`document.querySelector("#about summary").focus()`)
	b.press("Enter", "Enter", 13, "\r")
	require.Equal(t, true, b.eval(`document.querySelector("#about details").open`), "Enter unfolds")
	b.press(" ", "Space", 32, " ")
	require.Equal(t, false, b.eval(`document.querySelector("#about details").open`), "the space bar folds")
}

// TestProvePrintKeepsFolds: paper has what the screen shows. Unfolded by itself, the page of a large fleet would be a book.
func TestProvePrintKeepsFolds(t *testing.T) {
	b := chromium(t)
	path := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(path, []byte(written(t, sampleReport(4, 14))), 0o600))
	b.open(path)
	b.eval(`window.heard = 0;
		window.addEventListener("beforeprint", function () { window.heard++; window.folded = document.querySelectorAll("details:not([open])").length; });`)
	before := b.eval(`document.querySelectorAll("details:not([open])").length`)
	b.keep("folded.pdf", "Page.printToPDF", map[string]any{"printBackground": true, "preferCSSPageSize": true})
	require.Equal(t, true, b.eval("window.heard === 1"), "printing was seen")
	require.Equal(t, before, b.eval("window.folded"))
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
	require.Equal(t, false, b.eval(`document.querySelector("#about dl").checkVisibility()`), "a folded part is not printed")
	b.eval(`document.getElementById("unfold").click()`)
	require.Equal(t, true, b.eval(`document.querySelector("#about dl").checkVisibility()`), "an unfolded part is")
}

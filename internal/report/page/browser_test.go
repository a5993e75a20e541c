package page

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	prove "github.com/vperf/vperf/internal/proof"
)

// browser is a headless Chromium, driven over its own pipe: it opens no port and downloads no files.
type browser struct {
	t       *testing.T
	to      io.WriteCloser
	from    *bufio.Reader
	next    int
	session string
	// Console messages and requests of the pages, in the order of events.
	said, asked []string
}

// look names the variable of the environment with the folder that pictures are kept in.
const look = "VPERF_LOOK"

// message is a call, an answer or an event of the browser's protocol.
type message struct {
	ID        int             `json:"id,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    any             `json:"params,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// chromium starts a browser, or skips the test where there is none.
func chromium(t *testing.T) *browser {
	t.Helper()
	if !prove.Everything(t) {
		t.Skip("a browser takes seconds to start: make prove starts it")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Skip("no chromium, chromium-browser or google-chrome is installed")
	}
	hear, to, err := os.Pipe()
	require.NoError(t, err)
	from, say, err := os.Pipe()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	c := exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-extensions", "--remote-debugging-pipe",
		"--user-data-dir="+profile(t), "about:blank")
	c.ExtraFiles = []*os.File{hear, say} // the browser's 3 and 4
	require.NoError(t, c.Start())
	require.NoError(t, hear.Close())
	require.NoError(t, say.Close())
	t.Cleanup(func() {
		_ = to.Close() // the browser ends when its pipe does
		done := make(chan struct{})
		go func() { _ = c.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
		}
		cancel()
		<-done
		_ = from.Close()
	})
	b := &browser{t: t, to: to, from: bufio.NewReaderSize(from, 1<<20)}
	b.attach()
	return b
}

// profile returns a folder for the browser's files. The browser's helper processes outlive it and write for a moment more, so one
// removal may find new files: the cleanup repeats until the folder is gone.
func profile(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "vperf-browser-") //nolint:usetesting // which removes once, and fails
	require.NoError(t, err)
	t.Cleanup(func() {
		require.Eventually(t, func() bool { return os.RemoveAll(folder) == nil }, 20*time.Second, 50*time.Millisecond, "removing %s", folder)
	})
	return folder
}

func (b *browser) attach() {
	var target struct {
		TargetID string `json:"targetId"`
	}
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct {
		SessionID string `json:"sessionId"`
	}
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Log", "Runtime", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
}

// call sends a request, and handles events until the answer.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.next++
	raw, err := json.Marshal(message{ID: b.next, Method: method, Params: params, SessionID: b.session})
	require.NoError(b.t, err)
	_, err = b.to.Write(append(raw, 0))
	require.NoError(b.t, err)
	for {
		m := b.read()
		if m.ID != b.next {
			continue
		}
		require.Empty(b.t, string(m.Error), method)
		if result != nil {
			require.NoError(b.t, json.Unmarshal(m.Result, result))
		}
		return
	}
}

func (b *browser) read() message {
	b.t.Helper()
	raw, err := b.from.ReadBytes(0)
	require.NoError(b.t, err, "the browser ended")
	raw = bytes.TrimSuffix(raw, []byte{0})
	var m message
	require.NoError(b.t, json.Unmarshal(raw, &m))
	switch m.Method {
	case "Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown":
		b.said = append(b.said, string(raw))
	case "Network.requestWillBeSent":
		var p struct {
			Params struct {
				Request struct {
					URL string `json:"url"`
				} `json:"request"`
			} `json:"params"`
		}
		require.NoError(b.t, json.Unmarshal(raw, &p))
		b.asked = append(b.asked, p.Params.Request.URL)
	}
	return m
}

// open shows a file and waits until it is all there.
func (b *browser) open(path string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for b.read().Method != "Page.loadEventFired" { //nolint:revive // what is read is kept by read
	}
}

// eval returns the value of a script.
func (b *browser) eval(script string) any {
	b.t.Helper()
	var answer struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		ExceptionDetails json.RawMessage `json:"exceptionDetails"`
	}
	b.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &answer)
	require.Empty(b.t, string(answer.ExceptionDetails), script)
	return answer.Result.Value
}

// size sets the size of the window.
func (b *browser) size(width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

func (b *browser) dark(on bool) {
	b.t.Helper()
	scheme := map[bool]string{true: "dark", false: "light"}[on]
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// keep stores the data that a call returns in the folder that the environment names, for inspection.
func (b *browser) keep(name, method string, params map[string]any) {
	b.t.Helper()
	var answer struct {
		Data string `json:"data"`
	}
	b.call(method, params, &answer)
	raw, err := base64.StdEncoding.DecodeString(answer.Data)
	require.NoError(b.t, err)
	require.NotEmpty(b.t, raw, name)
	if to := os.Getenv(look); to != "" {
		require.NoError(b.t, os.WriteFile(filepath.Join(to, name), raw, 0o600))
	}
}

// TestProveInABrowser: nothing is said on the console, nothing is asked for but the file, no width scrolls sideways, what the script
// adds works, and all of it prints.
func TestProveInABrowser(t *testing.T) {
	b := chromium(t)
	files := t.TempDir()
	for _, name := range []string{"small", "hostile"} {
		a := sampleReport(4, 14)
		if name == "hostile" {
			poison(&a)
		}
		path := filepath.Join(files, name+".html")
		require.NoError(t, os.WriteFile(path, []byte(written(t, a)), 0o600))
		b.open(path)
		for _, width := range []int{360, 390, 768, 1280, 1600} {
			b.size(width, 900)
			if width < 390 {
				b.namesKeepTheirWidth(t)
			}
			require.LessOrEqual(t, b.eval("document.documentElement.scrollWidth"), float64(width), "%s scrolls sideways", name)
		}
		require.Equal(t, "none", b.eval(`window.hurt || "none"`), "a name ran as a script")
	}
	b.open(filepath.Join(files, "small.html"))
	b.opensFolded(t)
	b.worksWithScript(t)
	for _, width := range []int{390, 768, 1280, 1600} {
		if os.Getenv(look) == "" {
			break // no folder for pictures
		}
		for _, dark := range []bool{false, true} {
			b.size(width, 900)
			b.dark(dark)
			name := map[bool]string{true: "dark-", false: "light-"}[dark] + strconv.Itoa(width) + ".png"
			b.keep(name, "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "clip": map[string]any{
				"x": 0, "y": 0, "width": width, "height": b.eval("document.documentElement.scrollHeight"), "scale": 1,
			}})
		}
	}
	b.size(720, 1000)
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
	require.Equal(t, "none block none", b.eval(`["details.screen", "#about .paper", "nav"].map(function (s) {
		return getComputedStyle(document.querySelector(s)).display;
	}).join(" ")`), "paper has neither what stands twice nor the list of rules, and says so")
	if os.Getenv(look) != "" {
		b.keep("print.png", "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true})
	}
	b.keep("page.pdf", "Page.printToPDF", map[string]any{"printBackground": true, "preferCSSPageSize": true})
	require.Empty(t, b.said, "the console is to stay empty")
	for _, url := range b.asked {
		require.True(t, strings.HasPrefix(url, "file://"+files), "the page asked for %s", url)
	}
	require.NotEmpty(t, b.asked, "the test would not see what is asked for")
}

// namesKeepTheirWidth: a table that is wider than the page scrolls; its names are not broken into letters instead.
func (b *browser) namesKeepTheirWidth(t *testing.T) {
	t.Helper()
	require.Empty(t, b.eval(`Array.from(document.querySelectorAll(".wide table:not(.rows) tbody th")).filter(function (th) {
		return th.offsetParent && th.getBoundingClientRect().width < 80;
	}).map(function (th) { return th.textContent; }).join(", ")`), "names in a column too narrow to read")
}

// opensFolded: the page as it opens is short, a link into a folded part unfolds it, and Enter does.
func (b *browser) opensFolded(t *testing.T) {
	t.Helper()
	b.size(1280, 900)
	require.Less(t, b.eval("document.documentElement.scrollHeight"), 12000.0)
	require.Equal(t, true, b.eval(`(function () {
		var about = document.querySelector("#about details"), was = about.open;
		about.querySelector("summary").click();
		var now = about.open;
		about.querySelector("summary").click();
		return !was && now && !about.open;
	})()`), "a section folds")
	require.Equal(t, true, b.eval(`(function () {
		var host = document.getElementById("host-2"), fold = host.closest("details.fold");
		fold.open = false;
		document.querySelector(".tiles a[href='#host-2']").click();
		window.dispatchEvent(new HashChangeEvent("hashchange"));
		var open = fold.open;
		fold.open = true;
		return open;
	})()`), "the map leads to a host, folded or not")
	require.Equal(t, "0", b.eval(`(function () {
		var unfold = document.getElementById("unfold");
		unfold.click();
		var n = document.querySelectorAll("details:not([open])").length;
		unfold.click();
		return String(n);
	})()`), "one button unfolds everything")
	b.size(390, 900)
	require.Empty(t, b.eval(`Array.from(document.querySelectorAll(".tiles a, .map .of, .top a, summary")).filter(function (e) {
		return e.offsetParent && e.scrollWidth > e.clientWidth + 1;
	}).map(function (e) { return e.textContent; }).join("; ")`), "clipped on a phone")
}

// worksWithScript sorts a table, filters and zooms.
func (b *browser) worksWithScript(t *testing.T) {
	t.Helper()
	b.size(1280, 900)
	require.Equal(t, true, b.eval(`(function () {
		var table = document.querySelector("#efficiency table"), head = table.querySelectorAll("thead th")[1];
		head.querySelector("button").click();
		var n = Array.from(table.tBodies[0].rows).map(function (r) { return +r.cells[1].dataset.v; });
		return head.getAttribute("aria-sort") === "descending" && n.length > 2 && n.every(function (v, i) { return i === 0 || v <= n[i - 1]; });
	})()`), "a click on a column's head sorts by it")
	require.Equal(t, "1", b.eval(`(function () {
		var find = document.getElementById("find");
		find.value = "esx03"; find.dispatchEvent(new Event("input"));
		var n = Array.from(document.querySelectorAll(".hostbox")).filter(function (h) { return !h.hidden; }).length;
		find.value = ""; find.dispatchEvent(new Event("input"));
		return String(n);
	})()`), "the filter leaves what has the words")
	require.Equal(t, "0 0 1000 200", b.eval(`document.querySelector("svg.plot").getAttribute("viewBox")`))
	require.Equal(t, "250 0 500 200", b.eval(`(function () {
		var p = document.querySelector("svg.plot"), r = p.getBoundingClientRect();
		["pointerdown", "pointerup"].forEach(function (e, i) {
			p.dispatchEvent(new PointerEvent(e, { clientX: r.left + r.width * (i ? .75 : .25), bubbles: true }));
		});
		var now = p.getAttribute("viewBox");
		p.dispatchEvent(new MouseEvent("dblclick"));
		return now;
	})()`), "dragging over a stretch of time shows it larger")
}

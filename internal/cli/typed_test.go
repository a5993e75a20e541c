package cli

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
)

// Pages show commands in blocks that begin with ```sh. The test types these blocks into one shell for each page, in order and as
// they are. A word behind sh says why a block is not typed.
var notTyped = map[string]string{
	"server":    "needs a vCenter or ESXi host, or a program that asks one",
	"terminal":  "needs a person at a terminal",
	"build":     "downloads or compiles for minutes",
	"root":      "needs root or containers",
	"elsewhere": "runs until Ctrl-C; another test types it",
}

// shellBlock is a block of commands: the word behind sh, and its lines.
var shellBlock = regexp.MustCompile("(?ms)^( *)```sh *([a-z]*)\n(.*?)^ *```$")

// exitComment matches the comment with the exit code of a line's command, if that is not 0.
var exitComment = regexp.MustCompile(`# exits (\d+)\b`)

// pagesWithCommands are all pages, from the repository's root.
func pagesWithCommands(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", pattern))
		require.NoError(t, err)
		pages = append(pages, found...)
	}
	require.NotEmpty(t, pages)
	return pages
}

// TestWhatPagesTypeWorks types the commands of README and of all pages where the user has a current context, and those of README
// also where there is none.
func TestWhatPagesTypeWorks(t *testing.T) {
	proof.NotRaced(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	hello := startSharedDemo(t)
	for _, page := range pagesWithCommands(t) {
		script, skipped := pageScript(t, page)
		if script == "" {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			for _, why := range slices.Sorted(maps.Keys(skipped)) {
				t.Logf("not typed: %d blocks (%s: %s)", skipped[why], why, notTyped[why])
			}
			if strings.Contains(script, "localhost:10048") {
				requireCurl(t)
				if !isFree(t, "localhost:10048") {
					t.Skip("another program listens on the exporter's port, localhost:10048")
				}
			}
			typeInto(t, bash, hasContext+script, hello)
			if strings.HasSuffix(page, "README.md") {
				typeInto(t, bash, script, hello)
			}
		})
	}
}

// hasContext makes an unreachable context the current one. The commands of a page must work with it.
const hasContext = "vperf context add mine --url https://127.0.0.1:1 --username me --use || exit\n"

// typeInto runs the script of a page in one shell, with a home and a working directory of its own.
func typeInto(t *testing.T, bash, script, hello string) {
	dir, home := t.TempDir(), t.TempDir()
	ctx, done := context.WithTimeout(t.Context(), 10*time.Minute)
	defer done()
	cmd := exec.CommandContext(ctx, bash, "-c", script)
	cmd.Dir = dir
	cmd.WaitDelay = 10 * time.Second // for processes that a page leaves running if a command fails
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GOVC_") && !strings.HasPrefix(v, "VPERF_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_STATE_HOME="+home,
		sharedDemo+"="+hello, "GORACE=atexit_sleep_ms=0")
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
}

// pageScript makes one script of the blocks of a page. After each command it compares the exit code with the documented one.
func pageScript(t *testing.T, page string) (script string, skipped map[string]int) {
	t.Helper()
	skipped = map[string]int{}
	var b strings.Builder
	b.WriteString("trap 'kill $(jobs -p) 2>/dev/null' EXIT\n" + `ended() { [ "$1" = "$2" ] || { echo "exit code $1, not $2: $3"; exit 1; }; }` + "\n")
	none := b.Len()
	for _, m := range shellBlock.FindAllStringSubmatch(readText(t, page), -1) {
		if why := m[2]; why != "" {
			require.Contains(t, notTyped, why, "%s: ```sh %[2]s", page)
			skipped[why]++
			continue
		}
		for _, command := range commandsOf(m[1], m[3]) {
			want := "0"
			if code := exitComment.FindStringSubmatch(command); code != nil {
				want = code[1]
			}
			fmt.Fprintf(&b, "%s\nended $? %s %s\n", command, want, iostreams.Quoted(command))
		}
	}
	if b.Len() == none {
		return "", skipped
	}
	return b.String(), skipped
}

// commandsOf cuts a block into commands: a line, and those that continue it after a backslash.
func commandsOf(indent, block string) []string {
	var all []string
	open := false
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(strings.TrimPrefix(line, indent), "\n")
		switch {
		case open:
			all[len(all)-1] += "\n" + line
		case strings.TrimSpace(line) != "":
			all = append(all, line)
		}
		open = strings.HasSuffix(line, `\`)
	}
	return all
}

func isFree(t *testing.T, address string) bool {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		return false
	}
	require.NoError(t, l.Close())
	return true
}

// requireCurl skips where there is no curl; in CI that is a failure.
func requireCurl(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "curl is missing")
		t.Skip("no curl here")
	}
}

// commandOutside matches a command in an indented block, which the test does not run.
var commandOutside = regexp.MustCompile(`(?m)^    +(vperf|sudo|docker|eval|export|govc|curl|make|go) .*`)

func TestPagesShowCommandsInShellBlocks(t *testing.T) {
	for _, page := range pagesWithCommands(t) {
		text := regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(readText(t, page), "")
		require.Empty(t, commandOutside.FindString(text), "%s: write it in a block that begins with ```sh", page)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(path))
	require.NoError(t, err)
	return string(text)
}

// between returns page with text between the comments <!-- name --> and <!-- end -->.
func between(t *testing.T, page, name, text string) string {
	t.Helper()
	before, rest, found := strings.Cut(page, "<!-- "+name+" -->\n")
	require.True(t, found, name)
	_, after, found := strings.Cut(rest, "<!-- end -->\n")
	require.True(t, found, name)
	return before + "<!-- " + name + " -->\n" + text + "<!-- end -->\n" + after
}

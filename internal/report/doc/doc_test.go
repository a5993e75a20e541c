package doc

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
)

// evil is a name that a user of the server chose.
const evil = "\x1b[31m|`*a*`\n# <b>\u202e @all"

func terminalOf(t *testing.T, width int, blocks ...Block) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Of(blocks...).Terminal(&b, width, iostreams.Style{}))
	return b.String()
}

func markdownOf(t *testing.T, blocks ...Block) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Of(blocks...).Markdown(&b))
	return b.String()
}

// everywhere has a text in every place of a document.
func everywhere(s string) []Block {
	table := Table{Head: []string{"A", "B"}}
	table.Add(s, Bold(s))
	table.Under(Item(T(s)))
	return []Block{
		Title(s), P(s), Part(T(Bold(s)), Item(Apart(s, S(Bad, s)), P(s)), Fields(F(s, s), Lines("x", s, s))).Numbered(1),
		Group(Line(s)), Source(s), table.Block(), Screenful(40, []Block{Item(T(Short(s)))}, P(Linked(s, "https://x"))),
	}
}

// TestForeignTextIsText: wherever a text stands, a terminal does not obey it, and Markdown makes no markup of it.
func TestForeignTextIsText(t *testing.T) {
	text := terminalOf(t, 40, everywhere(evil)...)
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, text, "\u202e")
	require.NotContains(t, text, unbroken)
	require.GreaterOrEqual(t, strings.Count(text, `\x1b[31m|`), 14)
	for line := range strings.Lines(markdownOf(t, everywhere(evil)...)) {
		require.NotContains(t, line, "\x1b")
		if !strings.HasPrefix(line, "    ") && !strings.Contains(line, "`` ") { // code
			require.NotContains(t, line, "<b>", line)
			require.NotContains(t, line, "@all", line)
			require.NotContains(t, line, " *a*", line)
		}
	}
	page := string(Of(everywhere(evil)...).HTML(3))
	require.NotRegexp(t, `<(b|all)>|\x1b|\x{202e}`, page)
	require.GreaterOrEqual(t, strings.Count(page, `\x1b[31m|`), 14)
	require.Equal(t, strings.Count(text, "\n")-1, strings.Count(terminalOf(t, 40, everywhere(strings.ReplaceAll(evil, "\n", "n"))...), "\n"), "only code has line breaks")
}

func TestTerminal(t *testing.T) {
	all := []Block{
		P("one two three four"),
		Section("title", Item(T("item one two three"), Fields(F("a", "long enough to wrap"), Lines("bb", "x", "y"), F("none"))), Line("a command that is long")),
		Section("empty"),
		P("the end"),
	}
	require.Equal(t, `one two three
four

title
  item one two
    three
    a:       long
               enough
               to
               wrap
    bb:      x
             y
  a command that is long

the end
`, terminalOf(t, 16, all...))
	require.Equal(t, "1   first\n    under\n", terminalOf(t, 0, Item(T("first"), P("under")).Numbered(1)))
	require.Equal(t, "one …e  z\n", terminalOf(t, 9, P(Apart(T("one ", Short("two three"), "e"), "z"))))
}

func TestTableOnNarrowTerminals(t *testing.T) {
	table := Table{Head: []string{"NAME", "N", "MORE"}, Right: []int{1}}
	table.Add("a", "1", "word word")
	table.Add("bbbb", "20", "")
	table.Under(P("under"))
	require.Equal(t, "NAME   N  MORE\na      1  word word\nbbbb  20\n  under\n", terminalOf(t, 0, table.Block()))
	require.Equal(t, "a: N 1; MORE word\n  word\nbbbb: N 20\n", terminalOf(t, 18, table.Block()))
	spare := table
	spare.Spare = []string{"MORE"}
	require.Equal(t, "NAME   N\na      1\nbbbb  20\n  under\n", terminalOf(t, 18, spare.Block()))
	below := table
	below.Below = 2
	require.Equal(t, "NAME   N\n    MORE\na      1\n    word word\nbbbb  20\n\n    under\n", terminalOf(t, 18, below.Block()))
	prose := Table{Prose: true}
	prose.Add("a", "word word word")
	require.Equal(t, "a  word word\n   word\n", terminalOf(t, 14, prose.Block()))
	require.Empty(t, terminalOf(t, 0, Table{Head: []string{"A"}}.Block()))
}

func TestScreenful(t *testing.T) {
	block := Screenful(6, Items("1", "2", "3", "4"), Group(Line("next")))
	require.Equal(t, "head\n1\n2\n… and 2 more\n\nnext\n", terminalOf(t, 80, P("head"), block))
	require.Equal(t, "1\n2\n3\n4\n\nnext\n", terminalOf(t, 80, block))
}

func TestHTML(t *testing.T) {
	table := Table{Head: []string{"A", "B"}, Right: []int{1}}
	table.Add("x", "1")
	table.Under(Item(T("under")))
	require.Equal(t, `<p>a: <strong><span class="bad">b</span></strong></p>
<h3>part</h3>
<ul>
<li data-find>one <code>cmd</code><dl class="terms sums">
<dt>l</dt><dd>x</dd>
</dl>
</li>
<li data-find>two</li>
</ul>
<ol>
<li data-find><a href="https://r">r</a></li>
</ol>
<pre class="cmd">code
more</pre>
<div class="wide" tabindex="0" role="region" aria-label="A, B"><table class="figs">
<thead><tr><th scope="col">A</th><th scope="col" class="num">B</th></tr></thead>
<tbody>
<tr><th scope="row">x</th><td class="num">1<ul>
<li data-find>under</li>
</ul>
</td></tr>
</tbody>
</table></div>
`, string(Of(Title("t"), P(Apart("a", S(Strong|Bad, "b"))), Part(T(Bold("part")), Item(T("one ", Typed("cmd")), Fields(F("l", "x"))), Item(T("two")),
		Item(T(Linked("r", "https://r"))).Numbered(1), Source("code\nmore")), table.Block()).HTML(3)))
}

func TestMarkdown(t *testing.T) {
	table := Table{Head: []string{"A", "B"}, Right: []int{1}}
	table.Add("x", "1")
	table.Under(P("note"))
	require.Equal(t, `# title

1\. is no list

- a: **b**
  - **x:** one
  - **y:**
    - two
    - `+"`three`"+`

## Part [r](https://r)

| A | B |
| --- | --: |
| x | 1; note |

1. step

### 2\. sub

    code
    more
`, markdownOf(t, Title("title"), P("1. is no list"), Item(Apart("a", Bold("b")), Fields(F("x", "one"), Field{"y", []Text{T("two"), T(Typed("three"))}})),
		Part(T("part ", Linked("r", "https://r")), table.Block(), Item(T("step")).Numbered(1), Part(T(Bold("sub")), Source("code\nmore")).Numbered(2))))
}

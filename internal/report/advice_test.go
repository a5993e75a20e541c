package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// advices returns the cases that formats must handle. Each has a golden file in every format.
func advices(t *testing.T) map[string]view.Advice {
	t.Helper()
	return map[string]view.Advice{
		"full":    fullAdvice(t),
		"clear":   replayedAdvice(clearAdvice(t)),
		"partly":  partlyAdvice(t),
		"capture": captureAdvice(t),
		"config":  configAdvice(t),
		"hostile": hostileAdvice(t),
	}
}

func adviceTable(t *testing.T, a view.Advice, width int) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.Terminal{Width: width}.Show(&b, report.Advice(view.New(a), report.Terminal{Width: width})))
	return b.String()
}

// storyTable returns the text of a ticket without its markup.
func storyTable(t *testing.T, a view.Advice, width int) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.StoryTable(&b, view.New(a), report.Terminal{Width: width}))
	return b.String()
}

func TestAdviceTable(t *testing.T) {
	for name, a := range advices(t) {
		t.Run(name, func(t *testing.T) {
			golden.Equal(t, "testdata/advice/"+name+".txt", []byte(adviceTable(t, a, 80)))
		})
	}
}

// TestAdviceTableOfAll checks that --all shows the parts that the screen omits.
func TestAdviceTableOfAll(t *testing.T) {
	a := fullAdvice(t)
	a.Whole = true
	golden.Equal(t, "testdata/advice/full-all.txt", []byte(adviceTable(t, a, 100)))
}

func TestAdviceTableOfAnyWidth(t *testing.T) {
	for name, width := range map[string]int{"60": 60, "120": 120, "unlimited": 0} {
		t.Run(name, func(t *testing.T) {
			text := adviceTable(t, fullAdvice(t), width)
			golden.Equal(t, "testdata/advice/full-"+name+".txt", []byte(text))
			for line := range strings.Lines(text) {
				if width > 0 && !strings.Contains(line, " vperf ") {
					require.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), width, "%s", line)
				}
			}
		})
	}
}

func TestAdviceTableInColour(t *testing.T) {
	streams, _, _ := iostreams.Test()
	require.NoError(t, streams.SetColor("always"))
	var b bytes.Buffer
	require.NoError(t, report.Terminal{Style: streams.StyleOut()}.Show(&b, report.Advice(view.New(fullAdvice(t)), report.Terminal{Style: streams.StyleOut()})))
	require.Contains(t, b.String(), "\x1b[31mHIGH\x1b[39m")
	require.Contains(t, b.String(), "\x1b[33mMEDIUM\x1b[39m")
	require.NotContains(t, adviceTable(t, fullAdvice(t), 0), "\x1b")
}

func TestAdviceMarkdown(t *testing.T) {
	for name, a := range advices(t) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, report.AdviceTicket(view.New(a)).Markdown(&b))
			golden.Equal(t, "testdata/advice/"+name+".md", b.Bytes())
		})
	}
}

func TestAdviceJSON(t *testing.T) {
	schema := adviceSchema(t)
	for name, a := range advices(t) {
		t.Run(name, func(t *testing.T) {
			b := adviceJSON(t, a)
			golden.Equal(t, "testdata/advice/"+name+".json", b)
			var v any
			require.NoError(t, json.Unmarshal(b, &v))
			require.NoError(t, schema.Validate(v))
		})
	}
}

func adviceJSON(t *testing.T, a view.Advice) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.AdviceJSON(&b, view.New(a)))
	return b.Bytes()
}

const adviceSchemaFile = "../../docs/schema/vperf.advice-v2.schema.json"

func adviceSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(adviceSchemaFile)
	require.NoError(t, err)
	return schema
}

var (
	adviceFrom = time.Date(2026, 6, 10, 11, 58, 0, 0, time.UTC)
	adviceTo   = adviceFrom.Add(2 * time.Minute)
)

// TestAdviceOfHostileNames checks that no format interprets names, because other people choose them.
func TestAdviceOfHostileNames(t *testing.T) {
	a := hostileAdvice(t)
	for _, width := range []int{0, 40, 80} {
		text := adviceTable(t, a, width)
		for _, raw := range []string{"\x1b", "\u202e", "a\u202egnp", "\r"} {
			require.NotContains(t, text, raw)
		}
		for line := range strings.Lines(text) {
			require.False(t, strings.HasPrefix(line, "\x1b"), "%q", line)
		}
	}
	var b bytes.Buffer
	require.NoError(t, report.AdviceTicket(view.New(a)).Markdown(&b))
	ours := strings.NewReplacer(`\\`, "", "\\`", "", `\*`, "", `\_`, "", `\[`, "", `\]`, "", `\$`, "").Replace(b.String())
	ours = withoutBars(t, ours)
	for _, raw := range []string{"<script", "\x1b", "\u202e", "`id`", "[x](y)", "**b**", "$(id)", "|", " #1", "@all"} {
		require.NotContains(t, ours, raw)
	}
	for line := range strings.Lines(b.String()) {
		if code := strings.Count(strings.NewReplacer(`\\`, "", "\\`", "").Replace(line), "`"); code > 0 {
			require.Equal(t, 2, code, "%s", line)
			require.Regexp(t, "`vperf (plan|apply) [^`<>|$\"']*`\n$", line)
		}
	}
	var v struct {
		Source          string
		Recommendations []struct {
			Object   struct{ Name string }
			Commands []string
		}
	}
	require.NoError(t, json.Unmarshal(adviceJSON(t, a), &v))
	require.Equal(t, hostile, v.Source)
	require.Equal(t, hostile, v.Recommendations[0].Object.Name, "machines get names as they are")
	require.Equal(t, []string{"vperf plan host-1 --rule numa-io", "vperf apply host-1 --rule numa-io"}, v.Recommendations[0].Commands)
}

// withoutBars removes the column bars of tables; every row must have as many as the first row of its table.
func withoutBars(t *testing.T, markdown string) string {
	t.Helper()
	var b strings.Builder
	bars := 0
	for line := range strings.Lines(markdown) {
		if !strings.HasPrefix(line, "|") {
			bars = 0
			b.WriteString(line)
			continue
		}
		if bars == 0 {
			bars = strings.Count(line, "|")
		}
		require.Equal(t, bars, strings.Count(line, "|"), "%s", line)
		b.WriteString(strings.ReplaceAll(line, "|", ""))
	}
	return b.String()
}

func TestAdviceMarkdownItemsStayItems(t *testing.T) {
	for name, want := range map[string]string{
		"- [ ] done": `- \- \[ \] done: dropped`,
		"---":        `- \---: dropped`,
		"+ more":     `- \+ more: dropped`,
		"===":        `- \===: dropped`,
		"1. first":   `- 1\. first: dropped`,
		"10) tenth":  `- 10\) tenth: dropped`,
		"    code":   `- code: dropped`,
		"# head":     `- #&#8203; head: dropped`,
		"> quote":    `- &gt; quote: dropped`,
	} {
		t.Run(name, func(t *testing.T) {
			u := drops(t, db01, true)
			u.Symptom.Object.Name = name
			u.Symptom.Object.ID = "nobody measured it"
			var b bytes.Buffer
			require.NoError(t, report.AdviceTicket(view.New(adviceOf(&advice.Advice{Unexplained: []*advice.Unexplained{u}}, held(1)))).Markdown(&b))
			require.Contains(t, b.String(), "\n  "+want+" 2.25 %")
		})
	}
}

// manyAdvice has more of everything than fits on a terminal.
func manyAdvice(t *testing.T) view.Advice {
	a := adviceOf(&advice.Advice{}, held(3))
	vm := func(i int) inventory.Ref {
		return inventory.Ref{Kind: inventory.ScopeVM, Name: fmt.Sprintf("vm%02d", i), ID: fmt.Sprintf("vm-%d", 100+i), VCenter: esx01.VCenter}
	}
	for i := range 27 {
		r := crowded(t)
		r.Object.Name = fmt.Sprintf("esx%02d", i)
		for j := range 3 {
			symptom := finding(t, "cpu-ready", vm(j), measured("ready", 6.0))
			cause := finding(t, "ready-by-crowding", vm(j), measured("ready", 6.0))
			r.Diagnoses = append(r.Diagnoses, &advice.Diagnosis{Finding: cause, Symptoms: []*advice.Finding{symptom}, Cause: esx01})
		}
		a.Advice.Recommendations = append(a.Advice.Recommendations, r)
	}
	for range 12 {
		a.Advice.Recommendations = append(a.Advice.Recommendations, wrongSwitch(t))
	}
	return a
}

func TestAdviceIsCutShortAndSaysSo(t *testing.T) {
	a := manyAdvice(t)
	text := adviceTable(t, a, 0)
	require.Contains(t, text, "\n5   HIGH  ready-by-crowding  The host runs more vCPUs than its cores can serve\n    host esx04\n    because:")
	require.Contains(t, text, "\n\n6   HIGH  ready-by-crowding  The host runs more vCPUs than its cores can serve: host esx05\n7   HIGH", "the rest in a line each")
	require.Contains(t, text, "\n25  HIGH")
	require.NotContains(t, text, "\n26  HIGH")
	require.Contains(t, text, "\n… and 2 more; --all shows them, and -o json has all\n")
	require.Contains(t, text, "\n  33  LOW")
	require.NotContains(t, text, "\n  34  LOW")
	require.NotContains(t, text, "vm01")
	text = storyTable(t, a, 0)
	require.Contains(t, text, "db-02: ready median 5.4, p95 6, worst 6.3 % of a vCPU at 2026-06-09 11:58:00Z\n             … and 3 more\n")
	require.NotContains(t, text, "vm01")

	a.Whole = true
	text = adviceTable(t, a, 0)
	for _, all := range []string{"\n27  HIGH", "\n  39  LOW", "vm02: ready"} {
		require.Contains(t, text, all)
	}
	require.NotContains(t, text, "more;")

	full := fullAdvice(t)
	full.Whole = true
	require.Contains(t, adviceTable(t, full, 0), "    throughput by core 3.22 Gb/s (from 9.4 Gb/s received; 2.9 cores used)\n")

	a.Whole = false
	var v struct {
		Recommendations []struct {
			Rank     int
			Symptoms []struct{ Count int }
		}
	}
	require.NoError(t, json.Unmarshal(adviceJSON(t, a), &v))
	require.Len(t, v.Recommendations, 39)
	require.Equal(t, 39, v.Recommendations[38].Rank)
	require.Equal(t, 5, v.Recommendations[0].Symptoms[0].Count, "machines get all of it")
}

func TestAdviceVerdict(t *testing.T) {
	full := fullAdvice(t).Advice
	unread := held(1)
	unread.Unread = []advice.Gap{{Object: db01, Fact: "VM.vmx", Reason: "no permission"}}
	for name, tc := range map[string]struct {
		advice advice.Advice
		result *advice.Result
		want   string
		wrong  bool
	}{
		"something shows":        {advice.Advice{Recommendations: full.Recommendations[:1]}, held(1), "1 thing to do; first: The host runs more vCPUs than its cores can serve (host esx01)", true},
		"shows and latent":       {advice.Advice{Recommendations: full.Recommendations[1:3]}, held(1), "1 thing to do; first: A limit holds the vCPUs back (VM db-02); 1 thing is misconfigured, with no visible effect during this measurement", true},
		"unexplained":            {advice.Advice{Unexplained: full.Unexplained[:1]}, held(1), "1 symptom is found, without a proven cause", true},
		"unexplained and latent": {advice.Advice{Unexplained: full.Unexplained, Recommendations: full.Recommendations[2:3]}, unread, "3 symptoms are found, without a proven cause; 1 thing is misconfigured, with no visible effect during this measurement; 1 fact could not be read", true},
		"latent":                 {advice.Advice{Recommendations: full.Recommendations[3:]}, held(1), "1 thing is misconfigured, with no visible effect during this measurement; first: Large receive offload is off", true},
		"nothing":                {advice.Advice{}, held(2), "no problems found: 1 host, 2 VMs, 2 rules evaluated against counters of 2 min", false},
		"nothing that was seen":  {advice.Advice{}, unread, "no problems found in the data that could be read: 1 host, 2 VMs, 1 rule evaluated against counters of 2 min; 1 fact could not be read", false},
		"nothing judged":         {advice.Advice{}, held(0), "no rule applies to the data that could be read", true},
	} {
		t.Run(name, func(t *testing.T) {
			var v struct {
				Verdict string
				Summary struct{ NothingWrong bool }
			}
			require.NoError(t, json.Unmarshal(adviceJSON(t, adviceOf(&tc.advice, tc.result)), &v))
			require.Equal(t, tc.want, v.Verdict)
			require.Equal(t, !tc.wrong, v.Summary.NothingWrong)
		})
	}
}

// TestAdviceJSONOfWhatIsNoNumber checks NaN and infinities: JSON cannot express them, and one would make the whole document
// fail.
func TestAdviceJSONOfWhatIsNoNumber(t *testing.T) {
	a := fullAdvice(t)
	nan := math.NaN()
	a.Spots[0].Mean, a.Efficiency[0].Value = nan, inventory.Known(math.Inf(1))
	a.Advice.Recommendations[0].Impact.Lost = inventory.Known(nan)
	a.Advice.Unexplained[0].Symptom.Evidence = []advice.Measured{measured("part", nan), measured("parts", []any{1.5, nan})}
	require.NotContains(t, string(adviceJSON(t, fullAdvice(t))), `"mean":{`)
	b := adviceJSON(t, a)
	var v any
	require.NoError(t, json.Unmarshal(b, &v))
	require.NoError(t, adviceSchema(t).Validate(v))
	require.Contains(t, string(b), `"mean":{"absent":true}`)
}

func TestAdviceSaysHowLong(t *testing.T) {
	for name, tc := range map[string]struct {
		share   inventory.Fact[float64]
		samples int64
		want    string
	}{
		"samples":           {inventory.Known(0.75), 12, "; in 9 of 12 samples over 2 min\n"},
		"all of them":       {inventory.Known(1.0), 12, "; in all 12 samples over 2 min\n"},
		"never":             {inventory.Known(0.0), 12, "; in 0 of 12 samples over 2 min\n"},
		"no whole sample":   {inventory.Known(0.05), 12, "; in 5 % of the samples over 2 min\n"},
		"not alike":         {inventory.Known(0.75), 13, "; in 75 % of the samples over 2 min\n"},
		"nobody knows":      {inventory.Absent[float64](), 12, "every second\n"},
		"nobody says why":   {inventory.Fact[float64]{}, 12, "every second\n"},
		"could not be told": {inventory.Unread[float64]("no samples"), 12, "; duration unknown (no samples)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			a := fullAdvice(t)
			a.Advice.Recommendations[0].Impact.Share = tc.share
			vm := a.Snapshot.VCenters[0].VMs[1]
			s := vm.Live.Of("cpu.ready")
			s.Samples = tc.samples
			vm.Live.Set("cpu.ready", s)
			require.Contains(t, storyTable(t, a, 0), "    host esx01; affects VMs db-01, db-02; VMs lose 1.38 vCPU-seconds per second"+strings.TrimPrefix(tc.want, "every second"))
		})
	}
}

package advice_test

import (
	"io/fs"
	"math"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

const quotedArticle = `name: Links
publisher: A publisher
title: Faster Links
date: 2015-04
figures:
  - id: receive
    values: [20, 35]
    unit: Gb/s
    metric: receive-throughput
    change: 0.75
    says: reception rose from 20 to 35 Gb/s
    when: two hosts with 40GbE
`

const quotingRule = `id: my-rule
title: Something is off
category: cpu
scope: host
severity: low
want: host.cores > 3
why: It matters.
benefit:
  - figure: links/receive
  - text: No published measurement here
    figure: links/receive
    holds: host.cores > 9
  - text: a plain one
    when: somewhere
    source: my own measurement
`

func loadQuoting(article, rule string) (*advice.Library, error) {
	return advice.Load(
		advice.Source{FS: fstest.MapFS{"sources/links.yaml": {Data: []byte(article)}}},
		advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(rule)}}, User: true},
	)
}

// TestBenefitsQuoteFigures: a benefit takes text, conditions, source, and change from its figure. If it has its own
// text, the figure is context.
func TestBenefitsQuoteFigures(t *testing.T) {
	l, err := loadQuoting(quotedArticle, quotingRule)
	require.NoError(t, err)
	b := l.Rules()[0].Benefit
	change := 0.75
	require.Equal(t, advice.Benefit{
		Figure: "links/receive", Metric: "receive-throughput", Change: &change, Text: "reception rose from 20 to 35 Gb/s",
		When: "two hosts with 40GbE", Source: "A publisher, Faster Links",
	}, b[0])
	require.Equal(t, "No published measurement here; reception rose from 20 to 35 Gb/s", b[1].Text)
	require.Equal(t, "No published measurement here", b[1].Own())
	require.Empty(t, b[0].Own())
	require.Equal(t, "A publisher, Faster Links", b[1].Source)
	require.Nil(t, b[1].Change, "a figure next to the rule's own text is not expected")
	require.Empty(t, b[1].Metric)
	require.Equal(t, advice.Benefit{Text: "a plain one", When: "somewhere", Source: "my own measurement"}, b[2])
	require.Len(t, l.Articles(), 1)
	require.Equal(t, "links", l.Articles()[0].ID)
}

func TestWrongQuotesAreErrors(t *testing.T) {
	for name, c := range map[string]struct{ old, with, want string }{
		"unknown figure":  {"  - figure: links/receive\n", "  - figure: links/receivd\n", `my-rule.yaml:9:13: no figure "links/receivd" (did you mean "links/receive"?); rules/sources has them as ARTICLE/FIGURE`},
		"unknown article": {"  - figure: links/receive\n", "  - figure: receive\n", `my-rule.yaml:9:13: no figure "receive"`},
		"own source":      {"  - figure: links/receive\n", "  - figure: links/receive\n    source: another\n", "my-rule.yaml:10:13: the figure links/receive has its own source"},
		"own change":      {"  - figure: links/receive\n", "  - figure: links/receive\n    change: 2.0\n", "my-rule.yaml:10:13: the figure links/receive has its own change"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadQuoting(quotedArticle, strings.Replace(quotingRule, c.old, c.with, 1))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestWrongArticlesAreErrors(t *testing.T) {
	for name, c := range map[string]struct{ old, with, want string }{
		"no name":             {"name: Links\n", "", "field name is missing"},
		"no publisher":        {"publisher: A publisher\n", "", "field publisher is missing"},
		"neither title":       {"title: Faster Links\n", "", "either a title, or a subject"},
		"both":                {"title:", "subject: links\ntitle:", "either a title, or a subject"},
		"an invalid month":    {"2015-04", "2015-13", "write YYYY or YYYY-MM"},
		"misspelt field":      {"says:", "sais:", `no field "sais" here`},
		"bad id":              {"id: receive", "id: Receive It", "write an id in kebab case"},
		"no conditions":       {"    when: two hosts with 40GbE\n", "", "figure receive needs says and when"},
		"no unit":             {"    unit: Gb/s\n", "", "figure receive needs the unit of its values"},
		"number not said":     {"[20, 35]", "[20, 35, 40]", "figure receive says [20 35] but the values are [20 35 40]"},
		"number not in table": {"to 35 Gb/s", "to 36 Gb/s", "figure receive says [20 36] but the values are [20 35]"},
		"twice":               {"    when:", "    when: x\n  - id: receive\n    says: more\n    when:", "figure receive is defined twice"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, quotedArticle, c.old)
			_, err := loadQuoting(strings.Replace(quotedArticle, c.old, c.with, 1), quotingRule)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestUsersHaveNoArticles: a folder named sources in a user's tree contains rules.
func TestUsersHaveNoArticles(t *testing.T) {
	_, err := advice.Load(advice.Source{FS: fstest.MapFS{"sources/links.yaml": {Data: []byte(quotedArticle)}}, User: true})
	require.ErrorContains(t, err, `no field "name" here`)
}

// figureOf returns a figure of the library.
func figureOf(t *testing.T, id string) advice.Figure {
	t.Helper()
	article, name, _ := strings.Cut(id, "/")
	for _, a := range library(t).Articles() {
		for _, f := range a.Figures {
			if a.ID == article && f.ID == name {
				return f
			}
		}
	}
	require.Fail(t, "no figure "+id)
	return advice.Figure{}
}

// TestBenefitsHaveNoFiguresOfTheirOwn: built-in rules do not repeat figures of articles: a benefit from an article
// refers to its figure, and its own text has no number.
func TestBenefitsHaveNoFiguresOfTheirOwn(t *testing.T) {
	publishers := map[string]bool{}
	for _, a := range library(t).Articles() {
		publishers[a.Publisher] = true
	}
	quoted := 0
	for _, r := range library(t).Rules() {
		for _, b := range r.Benefit {
			publisher, _, _ := strings.Cut(b.Source, ",")
			require.Equal(t, b.Figure != "", publishers[publisher], "%s: %s", r.ID, b.Text)
			if b.Figure == "" {
				continue
			}
			quoted++
			f := figureOf(t, b.Figure)
			own, found := strings.CutSuffix(b.Text, f.Says)
			require.True(t, found, "%s: %s", r.ID, b.Text)
			require.NotRegexp(t, `\d`, own, r.ID)
			require.Equal(t, f.When, b.When, r.ID)
		}
	}
	require.Greater(t, quoted, 100)
}

// TestSourcesCiteKnownArticles: the sources of a rule cite an article by its title, or by its subject if the title is
// unknown.
func TestSourcesCiteKnownArticles(t *testing.T) {
	for _, r := range library(t).Rules() {
		for _, s := range r.Sources {
			if !strings.Contains(s, "VROOM") {
				continue
			}
			cited := slices.ContainsFunc(library(t).Articles(), func(a *advice.Article) bool {
				remark, found := strings.CutPrefix(s, a.Cite())
				return found && (remark == "" || strings.HasPrefix(remark, " ("))
			})
			require.True(t, cited, "%s: %s", r.ID, s)
			require.NotRegexp(t, `\(.*\d.*(%|percent|Gb/s).*\)$`, strings.ReplaceAll(s, "(LRO)", ""), "%s: a figure belongs in rules/sources", r.ID)
		}
	}
}

// TestChangesFollowFromValues: the change that ranks advice follows from the values of its figure.
func TestChangesFollowFromValues(t *testing.T) {
	for _, a := range library(t).Articles() {
		for _, f := range a.Figures {
			if f.Change != nil {
				require.NotEmpty(t, f.Metric, "%s/%s", a.ID, f.ID)
				require.True(t, follows(f), "%s/%s: %v from %v %s", a.ID, f.ID, *f.Change, f.Values, f.Unit)
			}
		}
	}
}

// follows reports whether a change is one of the values, the change from the first to the second, or the time saved
// without something that takes longer by a value.
func follows(f advice.Figure) bool {
	near := func(v float64) bool { return math.Abs(math.Abs(*f.Change)-math.Abs(v)) < 0.005 }
	for _, v := range f.Values {
		switch {
		case f.Unit == "%" && (near(v/100) || near(1/(1+v/100)-1)), f.Unit == "times" && near(v-1):
			return true
		}
	}
	return f.Unit != "%" && len(f.Values) == 2 && near(f.Values[1]/f.Values[0]-1)
}

// known maps figures to their values and the words of the notes on the founding articles that they come from.
var known = map[string]struct {
	values []float64
	note   string
}{
	"40g-nics/numa-io":                  {[]float64{20, 20}, "about 20 % less CPU and about 20 % higher throughput"},
	"40g-nics/numa-io-line-rate":        {[]float64{7}, "about 7 % better CPU efficiency"},
	"40g-nics/numa-io-conclusion":       {[]float64{15}, `Conclusion paragraph says "up to 15 %"`},
	"40g-nics/receive-throughput":       {[]float64{20, 35}, "one vNIC receives > 35 Gb/s (6.0) vs 20 Gb/s (5.5)"},
	"40g-nics/receive-cpu":              {[]float64{50}, "CPU per received Gb −50 %"},
	"40g-nics/native-driver":            {[]float64{22}, "up to 22 % better CPU efficiency"},
	"40g-nics/native-driver-conclusion": {[]float64{25}, "conclusion says up to 25 %"},

	"lro-windows/efficiency":          {[]float64{86, 25, 33}, "CPU efficiency +86 / +25 / +33 % at 256 B / 16 KB / 64 KB messages"},
	"lro-windows/throughput":          {[]float64{54, 5}, "throughput +54 % (0.6→0.9 Gb/s), +5 % (9.0→9.4), none"},
	"lro-windows/packets":             {[]float64{815000, 113000}, "815 Kpps → 113 Kpps"},
	"lro-windows/packet-size":         {[]float64{1.5, 10.5}, "packet 1.5 KB → 10.5 KB"},
	"lro-windows/vm-to-vm-efficiency": {[]float64{15, 92, 90}, "CPU efficiency +15 / +92 / +90 %"},
	"lro-windows/vm-to-vm-throughput": {[]float64{20, 103, 142}, "throughput +20 % (0.8→1.0), +103 % (9.0→18.4 Gb/s), +142 % (11.7→28.4 Gb/s)"},
	"lro-windows/vm-to-vm-packets":    {[]float64{1009000, 240000}, "1009 → 240 Kpps"},

	"80gbe/send-packets":    {[]float64{120000, 400000}, "send 120 Kpps/NIC out + 400 Kpps acks in"},
	"80gbe/segment-size":    {[]float64{10}, "average TSO packet near 10 KB"},
	"80gbe/receive-packets": {[]float64{800000, 6400000}, "receive 800 Kpps/NIC (6.4 Mpps)"},
	"80gbe/software-lro":    {[]float64{240000}, "240 Kpps into guest after software LRO"},
	"80gbe/all-packets":     {[]float64{7.5}, "total near 7.5 Mpps"},
	"80gbe/payload":         {[]float64{9.4}, "9.4 Gb/s payload at standard MTU"},

	"power-management/balanced-score":           {[]float64{1}, "ESXi Balanced vs Performance: < 1 % score difference"},
	"power-management/balanced-efficiency":      {[]float64{3}, "ESXi Balanced +3 %"},
	"power-management/idle-power":               {[]float64{128, 85}, "idle 128 W (Performance) vs 85 W (both Balanced)"},
	"power-management/bios-balanced-score":      {[]float64{15}, "BIOS Balanced: −15 % average score"},
	"power-management/bios-balanced-runs":       {[]float64{31}, "31 % of runs failed QoS (half of the four-tile runs)"},
	"power-management/bios-balanced-efficiency": {[]float64{20}, "BIOS Balanced +20 %"},

	"docker/round-trip":    {[]float64{15}, "15 µs above native"},
	"docker/bridge":        {[]float64{9, 10}, "docker bridge adds 9–10 µs"},
	"docker/single-stream": {[]float64{9.4}, "9.40 Gb/s in all cases"},
	"docker/redis":         {[]float64{98, 96}, "docker host-net: 98 % (native), 96 % (VM) of max"},
	"docker/redis-cost":    {[]float64{2, 4}, "virtualization cost 2–4 %"},
	"docker/linpack":       {[]float64{5}, "LINPACK −5 % at 65K size (nested paging), none at 45K"},
	"docker/stream":        {[]float64{2, 3}, "STREAM −2…3 %"},
	"docker/fio":           {[]float64{2}, "FIO random read −2 %, others equal"},

	"docker-web-20/headroom":          {[]float64{70, 75}, "average core utilisation near 70–75 %"},
	"docker-web-20/thresholds":        {[]float64{250, 500}, "250 ms frequent operations, 500 ms infrequent"},
	"docker-transactional/containers": {[]float64{2, 4}, "container overhead 2–4 %"},
	"docker-transactional/native":     {[]float64{126000}, "native ≈ 126 k orders/min"},

	"redis/unpinned":      {[]float64{4}, "unpinned VM only 4 % slower"},
	"redis/pinned-native": {[]float64{3.408}, "pinned native 3.408 M ops/s"},
	"redis/scale-out":     {[]float64{4, 5.6}, "speed-up ≥ 4x, up to 5.6x"},
	"redis/host-cpu":      {[]float64{75, 85}, "host CPU 75–85 %"},

	"oracle-12c/first-threads":    {[]float64{60}, "near-linear to 60 vCPU without HT"},
	"oracle-12c/second-threads":   {[]float64{60, 120}, "60 (2 sockets, HT) → 120 vCPU about linear"},
	"oracle-rac/against-physical": {[]float64{11, 13}, "within 11–13 % of physical"},
	"oracle-rac/cpu":              {[]float64{95}, "CPU > 95 %"},
	"capstone/scaling":            {[]float64{90}, "reach about 90 % of linear"},
	"capstone/storage-latency":    {[]float64{0.3}, "storage 0.3 ms"},
	"capstone/storage-rate":       {[]float64{20000, 50000}, "20 k IOPS average, 50 k peak"},
	"capstone/vm-limits":          {[]float64{128, 4}, "vSphere 6: 128 vCPU, 4 TB RAM per VM"},
	"hadoop/terasort":             {[]float64{12}, "best virtual config 12 % faster than native TeraSort (6.0; 5.1: 2 %)"},
	"hadoop/terasort-before":      {[]float64{2}, "best virtual config 12 % faster than native TeraSort (6.0; 5.1: 2 %)"},

	"hpc/large-pages":            {[]float64{2}, "large pages more than double the rate"},
	"hpc/random-access":          {[]float64{0.848, 0.962}, "EPT small pages 0.848 of native; EPT large pages 0.962"},
	"hpc/random-access-software": {[]float64{0.983, 0.986}, "EPT off 0.983/0.986"},
	"hpc/small-pages":            {[]float64{15}, "virtualization cost up to 15 %"},
	"hpc/hpl":                    {[]float64{0.973, 1.013}, "0.973 (small, EPT), 1.013 (large, EPT)"},
	"hpc/hpl-software":           {[]float64{0.978, 1.018}, "0.978/1.018 (EPT off)"},
	"hpc/hpl-large-pages":        {[]float64{4, 2}, "large pages +4 % in VM, < 2 % native"},

	"vmotion-60/line-rate":        {[]float64{10, 20, 40}, "line rate at 10/20/40 Gb/s"},
	"vmotion-60/throughput":       {[]float64{64, 80}, "> 64 Gb/s of 80"},
	"vmotion-60/speed-up":         {[]float64{3.5}, "> 3.5x"},
	"vmotion-60/helpers":          {[]float64{18, 32}, "5.5 stops at 18 Gb/s (2 helpers), 32 Gb/s with 4 helpers"},
	"vmotion-60/first-pass":       {[]float64{28}, "first pre-copy pass throttled to 28 Gb/s by destination memory allocation"},
	"vmotion-60/destination-cpu":  {[]float64{40}, "destination PCPU util about 40 %"},
	"vmotion-60/round-trip-limit": {[]float64{10, 150}, "round-trip limit 10 ms → 150 ms"},
	"vmotion-60/long-distance":    {[]float64{5}, "duration differences < 5 % from 5 to 100 ms RTT"},
	"vmotion-60/switch-over":      {[]float64{0.5, 0.78}, "switch-over 0.5 s (5 ms) → 0.78 s (100 ms)"},
	"vmotion-60/recovery":         {[]float64{5}, "SQL back to normal in < 5 s"},
	"vplex-metro/dip":             {[]float64{350, 310}, "SQL 350 → 310 → 350 orders/s"},
	"vplex-metro/switch-over":     {[]float64{1.1, 0.6}, "switch-over 1.1 s (5.1) → 0.6 s (5.5)"},

	"content-library/two-arrays":         {[]float64{20}, "≈ 20 % slower than exp.1 (one VAAI array)"},
	"content-library/over-1gbe":          {[]float64{3}, "exp.3 (1GbE between hosts) ≈ 3x slower, with 10GbE ≈ exp.2"},
	"content-library/1gbe-against-10gbe": {[]float64{2.5}, "exp.3 (1GbE between hosts) ≈ 3x slower, with 10GbE ≈ exp.2"},
	"content-library/nfs":                {[]float64{7}, "exp.4 (NFS on vCenter) ≈ 7x"},
	"content-library/nfs-10gbe":          {[]float64{1380, 1260}, "10GbE only 1380 s → 1260 s"},

	"vsan-vmmark/score":      {[]float64{24, 33}, "score +24 %, 33 % more VMs"},
	"vsan-vmmark/tiles":      {[]float64{40, 30}, "40 tiles pass vs 30 (5.5)"},
	"vsan-vmmark/read-cache": {[]float64{98, 99}, "read-cache hits 98–99 %"},
	"vsan-vmmark/cpu":        {[]float64{84}, "CPU 84 % at 36 tiles"},
	"vsan-vmmark/response":   {[]float64{300, 500}, "response > 500 ms unacceptable, ~300 ms at 40 tiles"},
	"vsan-vmmark/write-rate": {[]float64{5000, 10000}, "5–10 k write IOPS per node"},
	"vsan-vmmark/media":      {[]float64{100, 3000, 6000}, "HDD ~100, SSD 3–6 k IOPS"},
	"vdi-vsan/density":       {[]float64{95}, "about 95 VMs per host"},
	"vdi-vsan/vdimark":       {[]float64{286, 473, 677, 767}, "VDImark 286 (3 nodes), 473 (5), 677 (7), 767 (8)"},

	"view-planner/profiles":      {[]float64{53, 67, 91}, "53 heavy / 67 medium / 91 light users"},
	"view-planner/profile-steps": {[]float64{25, 35}, "(+25 %, +35 %)"},
	"view-planner/limits":        {[]float64{95, 1, 6}, "95th percentile limits 1.0 s A and 6.0 s B"},
	"view-planner-35/desktops":   {[]float64{3000}, "3000 desktops on Pure FA-420"},

	"raid-pools/tiles":       {[]float64{1, 7, 13}, "no difference in score, app latency or I/O latency at 1/7/13 tiles"},
	"raid-pools/unallocated": {[]float64{50}, "leaving 50 % SSD unallocated gave nothing"},
	"raid-pools/lun-limit":   {[]float64{64}, "LUN size up to 64 TB in vSphere 6"},
	"fast-cache/load":        {[]float64{2, 4}, "supported load 2 → 4 tiles"},
	"fast-cache/score":       {[]float64{26, 31}, "+26 % (1 tile), +31 % (2 tiles)"},
	"fast-cache/hits":        {[]float64{8, 92}, "92 GB cache held ≥ 92 % of I/O with 8 % of 1.09 TB data"},
	"fast-cache/cpu":         {[]float64{84}, "CPU 84 % at 4 tiles"},
	"fast-cache/mix":         {[]float64{24, 76}, "mix 24 % read / 76 % write"},

	"vpostgres/scaling":    {[]float64{300, 100}, "+300 % select-only scaling, +100 % read/write"},
	"vpostgres/overcommit": {[]float64{200}, "under 55 % memory over-commit VM consolidation 200 % better"},
	"vpostgres/buffers":    {[]float64{75, 12, 70}, "75 % buffers +12 % and 70 % less variation"},
	"vpostgres/balloon":    {[]float64{60, 140}, "ballooning lifts advantage 60 → 140 %"},

	"vcenter-60/limits":         {[]float64{64, 8000}, "cluster 64 hosts / 8000 VMs"},
	"entry-level-cluster/array": {[]float64{15, 14, 12}, "CX3-20 15/14/12 % above CX500"},
	"entry-level-cluster/cpu":   {[]float64{10}, "CPU +10 %"},
}

// TestFiguresAreKnown: every number of the articles is in the notes on them.
func TestFiguresAreKnown(t *testing.T) {
	left := len(known)
	for _, a := range library(t).Articles() {
		for _, f := range a.Figures {
			if len(f.Values) == 0 {
				continue
			}
			left--
			require.Equal(t, known[a.ID+"/"+f.ID].values, f.Values, "%s/%s", a.ID, f.ID)
		}
	}
	require.Zero(t, left, "figures that no article has")
}

func TestFiguresAreInTheNotes(t *testing.T) {
	b, err := os.ReadFile("../../../shared/facts/seeds.md")
	if err != nil {
		t.Skip("the notes on the founding articles are not here, so the figures are compared with the table of this test alone")
	}
	notes := strings.NewReplacer("*", "", "`", "").Replace(string(b))
	for id, k := range known {
		require.Contains(t, notes, k.note, id)
		for _, v := range k.values {
			require.True(t, inWords[id] || inNote(k.note, v), "%s: %v is not in %q", id, v, k.note)
		}
	}
}

// inWords are figures that a note expresses in other words, or that follow from two of its figures.
var inWords = map[string]bool{"hpc/large-pages": true, "content-library/1gbe-against-10gbe": true}

// inNote reports whether a note contains a value, in units, thousands or millions.
func inNote(note string, v float64) bool {
	return slices.ContainsFunc(noteNumber.FindAllString(note, -1), func(word string) bool {
		n, err := strconv.ParseFloat(word, 64)
		return err == nil && slices.Contains([]float64{n, n * 1e3, n * 1e6}, v)
	})
}

var noteNumber = regexp.MustCompile(`\d+(\.\d+)?`)

// TestArticleFiles: each article is one file, and its dates are decoded as text.
func TestArticleFiles(t *testing.T) {
	names, err := fs.Glob(rules.FS, "sources/*.yaml")
	require.NoError(t, err)
	require.Len(t, library(t).Articles(), len(names))
	for _, name := range names {
		text, err := fs.ReadFile(rules.FS, name)
		require.NoError(t, err)
		var a advice.Article
		require.NoError(t, yaml.Unmarshal(text, &a))
		if a.Address != "" && a.Date != "" {
			require.Contains(t, a.Address, strings.ReplaceAll(a.Date, "-", "/"), path.Base(name))
		}
	}
}

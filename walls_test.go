package vperf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

const module = "github.com/vperf/vperf"

// wall is one rule about imports of non-test files. Rooms are packages of this
// module, named from its root, with everything below them. Banned packages are
// import paths in the notation of the go command: /... includes everything below.
//
// Under pkg/ a wall covers indirect imports too (a library's users get its
// dependencies); elsewhere it covers only direct imports, unless it is deep.
type wall struct {
	rule   string
	rooms  []string // packages that the wall applies to; empty means all
	except []string // rooms that it does not apply to
	banned []string
	doors  []string // banned packages that may still be imported
	direct bool     // only direct imports count, even under pkg/
	deep   bool     // indirect imports count, even outside pkg/
	why    string
}

const govmomi = "github.com/vmware/govmomi/..."

// terminals are the libraries that draw on a terminal or query it.
var terminals = []string{"charm.land/...", "github.com/charmbracelet/...", "golang.org/x/term/..."}

// factRooms hold the tables that define how facts are read.
var factRooms = []string{"internal/vsphere/hostfacts", "internal/vsphere/vmfacts", "internal/vsphere/estatefacts"}

var factTables = []string{module + "/internal/vsphere/hostfacts", module + "/internal/vsphere/vmfacts", module + "/internal/vsphere/estatefacts"}

var walls = []wall{
	{
		rule:   "only internal/vsphere and internal/simfleet import govmomi",
		except: []string{"internal/vsphere", "internal/simfleet"},
		banned: []string{govmomi},
		why:    "there is one door to vSphere: deadlines, retries, counting and fault words live there",
	},
	{
		rule:   "only internal/cli imports cobra",
		except: []string{"internal/cli"},
		banned: []string{"github.com/spf13/cobra/..."},
		why:    "whatever knows of commands and flags cannot be used without them",
	},
	{
		rule:   "only internal/config imports viper and pflag",
		except: []string{"internal/config"},
		banned: []string{"github.com/spf13/viper/...", "github.com/spf13/pflag/..."},
		why:    "where a value came from has one answer only if one place decides it; commands reach flags through cobra",
	},
	{
		rule:   "only internal/exporter imports client_golang and exporter-toolkit",
		except: []string{"internal/exporter", "internal/exposition/expositiontest", "internal/push"}, // expositiontest uses its linter, push its client of remote write
		banned: []string{"github.com/prometheus/client_golang/...", "github.com/prometheus/exporter-toolkit/..."},
		why:    "a measurement is a value, how Prometheus is told is the exporter's business",
	},
	{
		rule:   "only internal/push imports clients of remote write and OpenTelemetry's protocol",
		except: []string{"internal/push"},
		banned: []string{"github.com/prometheus/client_golang/exp/...", "go.opentelemetry.io/..."},
		why:    "how samples reach a receiver is one room's business",
	},
	{
		rule:   "internal/push imports of ours only internal/exposition and internal/userfile, and neither client_golang's registry nor exporter-toolkit",
		rooms:  []string{"internal/push"},
		banned: []string{module + "/...", "github.com/prometheus/client_golang/prometheus/...", "github.com/prometheus/exporter-toolkit/..."},
		doors:  []string{module + "/internal/exposition", module + "/internal/userfile"},
		why:    "it sends series that it is handed, whatever they measure and whoever has measured them",
	},
	{
		rule:   "internal/exporter/shard imports nothing of ours",
		rooms:  []string{"internal/exporter/shard"},
		banned: []string{module + "/..."},
		why:    "which exporter has a host follows from its id alone, today and in ten years",
	},
	{
		rule:   "internal/exporter/module imports neither the rest of the exporter nor servers, ledgers and HTTP",
		rooms:  []string{"internal/exporter/module"},
		banned: []string{module + "/internal/exporter", module + "/internal/vsphere/...", module + "/internal/ledger/...", module + "/internal/audit/...", "net/http/...", "github.com/prometheus/..."},
		why:    "what a module exports follows from the facts that it is handed, whoever has read them and whoever scrapes them",
	},
	{
		rule:   "only internal/tui imports bubbletea",
		except: []string{"internal/tui"},
		banned: []string{"charm.land/bubbletea/...", "github.com/charmbracelet/bubbletea/..."},
		why:    "what the screen shows must be computable without a screen",
	},
	{
		rule:   "only pkg/advice imports cel-go",
		except: []string{"pkg/advice"},
		banned: []string{"cel.dev/cel-go/...", "github.com/google/cel-go/..."},
		why:    "the expression language is a detail of rules, behind Load and Evaluate",
	},
	{
		rule:   "pkg/advice/strictyaml and pkg/advice/vendor import no cel-go",
		rooms:  []string{"pkg/advice/strictyaml", "pkg/advice/vendor"},
		banned: []string{"cel.dev/cel-go/...", "github.com/google/cel-go/..."},
		why:    "what is read from files can be used without the language of rules",
	},
	{
		rule:   "pkg/inventory imports nothing of ours and nothing of vSphere's",
		rooms:  []string{"pkg/inventory"},
		banned: []string{module + "/...", "github.com/vmware/..."},
		why:    "facts are what all others share: they must load from a file anywhere, without vSphere and without us",
	},
	{
		rule:   "pkg/advice imports neither govmomi nor pkg/tuning nor reaches the network",
		rooms:  []string{"pkg/advice"},
		banned: []string{govmomi, module + "/pkg/tuning/...", "net", "net/http/..."},
		why:    "a judgement follows from facts and rules alone, and whoever judges does not change",
	},
	{
		rule:   "pkg/advice imports neither os nor net/...",
		rooms:  []string{"pkg/advice"},
		banned: []string{"os/...", "net/..."},
		direct: true, // cel-go's own dependencies know os
		why:    "it reads no file that it was not handed and asks nobody: the same facts give the same findings everywhere",
	},
	{
		rule:   "pkg/tuning imports neither govmomi nor pkg/advice",
		rooms:  []string{"pkg/tuning"},
		banned: []string{govmomi, module + "/pkg/advice/..."},
		why:    "changing is done over three small interfaces, for remedies from anywhere: that is how its recovery can be proven",
	},
	{
		rule:  "pkg/trial imports of ours only pkg/inventory, pkg/esxtop and pkg/advice/strictyaml",
		rooms: []string{"pkg/trial"},
		banned: []string{
			govmomi, module + "/pkg/tuning/...", module + "/pkg/advice/...", module + "/internal/...", "net", "net/http/...",
		},
		doors: []string{module + "/pkg/advice/strictyaml"},
		why:   "what a trial says follows from its registration and its samples: who switches and who samples is another's business",
	},
	{
		rule:   "pkg/esxtop imports no govmomi, no terminal and no Prometheus packages",
		rooms:  []string{"pkg/esxtop"},
		banned: append([]string{govmomi, "github.com/prometheus/..."}, terminals...),
		why:    "one catalogue of counters drives screen, CSV and metrics because it knows none of them",
	},
	{
		rule:   "pkg/... never imports internal/... or cmd/...",
		rooms:  []string{"pkg"},
		banned: []string{module + "/internal/...", module + "/cmd/..."},
		why:    "everything flows down: a library that needs our faces is no library",
	},
	{
		rule:   "only internal/cli imports internal/simfleet",
		except: []string{"internal/cli", "internal/simfleet", "internal/vsphere/vspheretest"}, // vspheretest is for tests
		banned: []string{module + "/internal/simfleet/..."},
		why:    "code that knows the demo fleet would be tested against its own assumptions",
	},
	{
		rule:   "the load model of the demo fleet knows nothing of vSphere",
		rooms:  []string{"internal/simfleet/load"},
		banned: []string{govmomi},
		why:    "load is a function of plain settings and a slot",
	},
	{
		rule:   "internal/simfleet/fleetdata imports neither govmomi nor the rest of internal/simfleet",
		rooms:  []string{"internal/simfleet/fleetdata"},
		banned: []string{govmomi, module + "/internal/simfleet/..."},
		why:    "what the demo fleet has is data: what vSphere makes of it is for those who dress the simulator",
	},
	{
		rule:   "cmd/vperf imports only internal/cli of ours",
		rooms:  []string{"cmd/vperf"},
		banned: []string{module + "/..."},
		doors:  []string{module + "/internal/cli"},
		why:    "main cannot be tested, so it does nothing but hand over streams and arguments",
	},
	{
		rule:   "internal/audit never imports internal/report",
		rooms:  []string{"internal/audit"},
		banned: []string{module + "/internal/report/..."},
		why:    "the one path of an audit serves every format by knowing none",
	},
	{
		rule:   "internal/vsphere imports neither pkg/advice nor internal/report nor internal/cli",
		rooms:  []string{"internal/vsphere"},
		banned: []string{module + "/pkg/advice/...", module + "/internal/report/...", module + "/internal/cli/..."},
		why:    "it reads and writes what it is told: deciding and printing are for those above",
	},
	{
		rule:   "internal/vsphere/read imports neither measure nor change",
		rooms:  []string{"internal/vsphere/read"},
		banned: []string{module + "/internal/vsphere/measure/...", module + "/internal/vsphere/change/..."},
		why:    "facts are read without counters and without the means to change anything; what two of the rooms need is in one below them",
	},
	{
		rule:   "internal/vsphere/measure imports neither read nor change nor facts",
		rooms:  []string{"internal/vsphere/measure"},
		banned: append([]string{module + "/internal/vsphere/read/...", module + "/internal/vsphere/change/..."}, factTables...),
		why:    "counters are measured of objects by name: what is known of them besides is for others to join",
	},
	{
		rule:   "only internal/source imports internal/vsphere/measure",
		except: []string{"internal/source", "internal/vsphere/measure"},
		banned: []string{module + "/internal/vsphere/measure/..."},
		why:    "which counters are sampled, from where and since when is decided in one place, for commands and the exporter",
	},
	{
		rule:   "internal/vsphere/change imports neither read nor measure",
		rooms:  []string{"internal/vsphere/change"},
		banned: []string{module + "/internal/vsphere/read/...", module + "/internal/vsphere/measure/..."},
		why:    "a change looks at its target as it is now, by the same tables as reading, and not at what was read before",
	},
	{
		rule:   "internal/probe imports of ours only pkg/inventory and internal/plural, and no network",
		rooms:  []string{"internal/probe"},
		banned: []string{module + "/...", govmomi, "net", "net/http/..."},
		doors:  []string{module + "/pkg/inventory", module + "/internal/plural"},
		why:    "what is written to a probe and what follows from it depends on nothing but what it was handed",
	},
	{
		rule:   "internal/vsphere/probing imports neither read nor measure nor change",
		rooms:  []string{"internal/vsphere/probing"},
		banned: []string{module + "/internal/vsphere/read/...", module + "/internal/vsphere/measure/...", module + "/internal/vsphere/change/..."},
		why:    "a probe asks what a release offers, without facts and without the means to change anything",
	},
	{
		rule:   "internal/vsphere/session imports no room of internal/vsphere but wire",
		rooms:  []string{"internal/vsphere/session"},
		banned: []string{module + "/internal/vsphere/..."},
		doors:  []string{module + "/internal/vsphere/wire"},
		why:    "the one call that carries every request knows of no use that is made of it",
	},
	{
		rule:   "internal/vsphere/wire imports nothing of ours",
		rooms:  []string{"internal/vsphere/wire"},
		banned: []string{module + "/..."},
		why:    "it decodes as govmomi does, faster, and means nothing else",
	},
	{
		rule: "the rooms below internal/vsphere's read, measure and change import none of them",
		rooms: append([]string{"internal/vsphere/property", "internal/vsphere/tree", "internal/vsphere/tagging", "internal/vsphere/perhost"},
			factRooms...),
		banned: []string{module + "/internal/vsphere/read/...", module + "/internal/vsphere/measure/...", module + "/internal/vsphere/change/..."},
		why:    "everything flows down",
	},
	{
		rule:   "only tests import internal/vsphere/vspheretest",
		except: []string{"internal/vsphere/vspheretest"},
		banned: []string{module + "/internal/vsphere/vspheretest/..."},
		why:    "it brings govmomi's simulator and the demo fleet along",
	},
	{
		rule:   "only tests import internal/faulty",
		except: []string{"internal/faulty", "internal/vsphere/vspheretest"},
		banned: []string{module + "/internal/faulty/..."},
		why:    "it misbehaves on purpose",
	},
	{
		rule:   "internal/doctor imports of internal/vsphere only session and privilege, and neither internal/source nor internal/report nor internal/cli",
		rooms:  []string{"internal/doctor"},
		banned: []string{module + "/internal/vsphere/...", module + "/internal/source/...", module + "/internal/report/...", module + "/internal/cli/..."},
		doors:  []string{module + "/internal/vsphere/session", module + "/internal/vsphere/privilege"},
		why:    "its checks judge measurements that others make: they can be tested without a server",
	},
	{
		rule:   "internal/vsphere/privilege imports no room of internal/vsphere",
		rooms:  []string{"internal/vsphere/privilege"},
		banned: []string{module + "/internal/vsphere/..."},
		why:    "it is a table that all of them, and the docs, agree on",
	},
	{
		rule:   "internal/remedy imports neither internal/vsphere nor internal/report nor internal/iostreams",
		rooms:  []string{"internal/remedy"},
		banned: []string{module + "/internal/vsphere/...", module + "/internal/report/...", module + "/internal/iostreams/..."},
		why:    "what is proposed follows from findings and consent alone: no server is asked and nothing is printed",
	},
	{
		rule:   "internal/report never imports internal/vsphere",
		rooms:  []string{"internal/report"},
		banned: []string{module + "/internal/vsphere/..."},
		why:    "a renderer is a pure function of data: a report made offline from a file is the same report",
	},
	{
		rule:   "internal/live imports neither internal/vsphere nor pkg/advice nor internal/report",
		rooms:  []string{"internal/live"},
		banned: []string{module + "/internal/vsphere/...", module + "/pkg/advice/...", module + "/internal/report/..."},
		why:    "it says what was measured, whatever the source, and not whether that is much: thresholds are the rules'",
	},
	{
		rule:   "internal/capture, internal/hotspot and internal/efficiency import neither internal/vsphere nor pkg/advice nor internal/report",
		rooms:  []string{"internal/capture", "internal/hotspot", "internal/efficiency"},
		banned: []string{module + "/internal/vsphere/...", module + "/pkg/advice/...", module + "/internal/report/..."},
		why:    "a capture is read where there is no server, and what is worked out of counters is neither judged nor printed there",
	},
	{
		rule:   "internal/report/view and internal/report/wording know no format",
		rooms:  []string{"internal/report/view", "internal/report/wording"},
		banned: []string{"encoding/...", "html/...", "text/template/..."},
		direct: true,
		why:    "advice is worked out once; table, Markdown, HTML and JSON render the same view",
	},
	{
		rule:   "internal/diff imports neither internal/vsphere nor internal/report nor internal/cli",
		rooms:  []string{"internal/diff"},
		banned: []string{module + "/internal/vsphere/...", module + "/internal/report/...", module + "/internal/cli/...", "net", "net/http/..."},
		why:    "a difference follows from two states alone, and is printed elsewhere",
	},
	{
		rule:   "internal/kept imports of ours only pkg/inventory and internal/userfile",
		rooms:  []string{"internal/kept"},
		banned: []string{module + "/..."},
		doors:  []string{module + "/pkg/inventory", module + "/internal/userfile"},
		why:    "it stores files and decides which ones stay: whose they are and when they are taken is said by its callers",
	},
	{
		rule:   "internal/comparison imports neither internal/config nor internal/report nor internal/cli",
		rooms:  []string{"internal/comparison"},
		banned: []string{module + "/internal/config/...", module + "/internal/report/...", module + "/internal/cli/..."},
		why:    "advise, report and diff compare in the same way: which sides, and in which format, is said by each",
	},
	{
		rule:   "internal/rulefiles, internal/tables and internal/waiting import neither internal/vsphere nor internal/report nor internal/cli",
		rooms:  []string{"internal/rulefiles", "internal/tables", "internal/waiting"},
		banned: []string{module + "/internal/vsphere/...", module + "/internal/report/...", module + "/internal/cli/..."},
		why:    "they read files of this machine: whatever they find is shown elsewhere, and without a server",
	},
	{
		rule:   "internal/userfile imports nothing of ours",
		rooms:  []string{"internal/userfile"},
		banned: []string{module + "/..."},
		why:    "all who read files of the user stand on it",
	},
	{
		rule:   "internal/source imports neither internal/config nor internal/exporter nor internal/report nor internal/cli",
		rooms:  []string{"internal/source"},
		banned: []string{module + "/internal/config/...", module + "/internal/exporter/...", module + "/internal/report/...", module + "/internal/cli/..."},
		why:    "commands and the exporter read through it, so it knows neither their flags nor what becomes of the facts",
	},
	{
		rule:   "internal/rvtools imports of ours only pkg/inventory, internal/userfile and what names show of hosts and VMs",
		rooms:  []string{"internal/rvtools"},
		banned: []string{module + "/...", "net", "net/http/..."},
		doors:  []string{module + "/pkg/inventory", module + "/internal/rvtools/sheet", module + "/internal/userfile", module + "/internal/vsphere/hostfacts", module + "/internal/vsphere/vmfacts"},
		why:    "an export is read where there is no server, and the one place that knows appliances, clouds and kinds of hosts decides for it too",
	},
	{
		rule:   "only tests import internal/rvtools/rvtoolstest",
		except: []string{"internal/rvtools/rvtoolstest"},
		banned: []string{module + "/internal/rvtools/rvtoolstest/..."},
		why:    "vperf writes no exports",
	},
	{
		rule:   "only internal/mcp imports the SDK of the Model Context Protocol",
		except: []string{"internal/mcp"},
		banned: []string{"github.com/modelcontextprotocol/..."},
		why:    "what an assistant may do is decided in one place",
	},
	{
		rule:  "internal/mcp reaches nothing that opens a server or writes to one, not even through others",
		rooms: []string{"internal/mcp"},
		banned: []string{
			module + "/internal/vsphere/change/...", module + "/internal/vsphere/read/...", module + "/internal/vsphere/measure/...",
			module + "/internal/source/...", module + "/internal/trials/...", module + "/internal/remedy/...", module + "/internal/script/...",
			module + "/internal/config/...", module + "/internal/cli/...",
		},
		deep: true,
		why:  "an assistant can do only what the functions that it was handed do: they read",
	},
	{
		rule:   "internal/mcp imports neither pkg/tuning nor internal/vsphere, and opens neither files nor connections",
		rooms:  []string{"internal/mcp"},
		banned: []string{module + "/pkg/tuning/...", module + "/internal/vsphere/...", govmomi, "os/...", "net/..."},
		why:    "no argument of a tool can become a path, an address or a change",
	},
	{
		rule:   "internal/report imports neither net nor net/http",
		rooms:  []string{"internal/report"},
		banned: []string{"net", "net/http/..."},
		why:    "a report is one file that asks nobody, neither when it is read nor when it is written",
	},
}

// goPackage is the part of the output of `go list` that walls need.
type goPackage struct {
	ImportPath string
	Name       string
	Imports    []string
}

type packages map[string]goPackage

func TestWalls(t *testing.T) {
	all := listPackages(t)
	for _, w := range walls {
		t.Run(w.rule, func(t *testing.T) { report(t, w.breaches(all)) })
	}
	t.Run("a package is named for what it owns", func(t *testing.T) { report(t, all.misnamed()) })
	t.Run("a package can be kept in mind", func(t *testing.T) { report(t, crowded(t, os.DirFS("."))) })
	t.Run("no file or answer is read without a limit", func(t *testing.T) { report(t, unboundedReads(t, os.DirFS("."))) })
	t.Run("deploy holds files and no program that makes them", func(t *testing.T) { report(t, programs(t, os.DirFS("deploy"))) })
	t.Run("pkg/advice never asks the clock", func(t *testing.T) { report(t, clockCalls(t, os.DirFS("pkg/advice"))) })
	t.Run("pkg/trial never asks the clock", func(t *testing.T) { report(t, clockCalls(t, os.DirFS("pkg/trial"))) })
}

// mostLines is the number of lines of Go, without tests, that a package holds at most.
const mostLines = 10500

// fewLines is the number of lines below which a package has to say why it is one.
const fewLines = 150

// small are packages with fewer lines, and why they are packages.
var small = map[string]string{
	".":                          "its documentation",
	"cmd/vperf":                  "main is what go install takes",
	"docs":                       "only a package beside the pages can embed them",
	"docs/schema":                "only a package beside the schemas can embed them",
	"rules":                      "only a package beside the rules can embed them",
	"internal/cli/flaghint":      "it knows any command tree and none of vperf's commands",
	"internal/cli/manual":        "it knows any command tree and none of vperf's commands",
	"internal/plural":            "rooms that know no report count things in their words, too",
	"internal/proof":             "tests of all rooms ask it",
	"internal/release":           "nothing but the command that was typed may ask the release page",
	"internal/report/collect":    "renderers and views below them group in the same way",
	"internal/report/page/sheet": "several pages have this style",
	"internal/typed":             "every room that names a command writes it in this way",
	"internal/vsphere/privilege": "doctor and the docs read it without the rooms that call servers",
	"tools/terminalpicture":      "main is what go run takes",
	"tools/terminalpicture/svg":  "a test draws the same picture without the program",
}

// crowded returns the folders of a tree with more lines, and those with few and no reason.
func crowded(t *testing.T, tree fs.FS) (found []string) {
	t.Helper()
	lines := map[string]int{}
	require.NoError(t, fs.WalkDir(tree, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(tree, file)
		lines[path.Dir(file)] += bytes.Count(text, []byte("\n"))
		return err
	}))
	for _, folder := range slices.Sorted(maps.Keys(lines)) {
		switch n := lines[folder]; {
		case n > mostLines:
			found = append(found, fmt.Sprintf("%s holds %d lines: split off a part that is a room of its own (at most %d)", folder, n, mostLines))
		case n < fewLines && small[folder] == "":
			found = append(found, fmt.Sprintf("%s holds %d lines: put them where they are used, or say in small why they are a package", folder, n))
		}
	}
	return found
}

// wholeReads are calls that read, or make of little, as much as there is.
var wholeReads = regexp.MustCompile(`\b(?:io\.ReadAll|os\.ReadFile|fs\.ReadFile|gzip\.NewReader|zlib\.NewReader|flate\.NewReader|bzip2\.NewReader|json\.NewDecoder|yaml\.NewDecoder|xml\.NewDecoder|csv\.NewReader|bufio\.NewScanner)\(.*`)

// limited are arguments of such calls that have a limit, or are in memory already.
var limited = regexp.MustCompile(`\((?:\w+\.)*(?:LimitReader|Bound|bytes\.NewReader|strings\.NewReader)\(`)

// limitedReads are the files of rooms whose calls have a limit that this test does not see, and what it is.
var limitedReads = map[string]string{
	"internal/rvtools/sheet/":          "a bounded reader of its own",
	"internal/push/pack.go":            "batches of vperf's own queue, whose size is limited when they are made",
	"internal/push/otlp.go":            "the transport limits answers",
	"internal/comparison/":             "text in memory",
	"internal/diff/findings.go":        "text in memory",
	"internal/kept/kept.go":            "what is unpacked goes through Bound",
	"internal/source/saved.go":         "what is unpacked goes through Bound",
	"internal/cli/diff.go":             "source.Unzipped",
	"internal/userfile/":               "it is the limit",
	"internal/vsphere/wire/page.go":    "below boundedTransport, and streamed",
	"internal/vsphere/session/cost.go": "below boundedTransport, and streamed",
	"pkg/advice/baseline.go":           "the caller bounds it: internal/cli/selection.go",
	"pkg/inventory/load.go":            "the caller bounds it: internal/source, internal/kept and internal/cli/source.go",
	"pkg/inventory/fact.go":            "text in memory",
	"pkg/advice/load.go":               "userfile.Kind.FS in internal/rulefiles",
	"pkg/trial/outcomeload.go":         "userfile.Kind.FS in internal/rulefiles",
	"pkg/advice/ruletool/starter.go":   "files in the program",
	"pkg/esxtop/batch/plaintext.go":    "streamed, in lines and fields with limits",
	"internal/golden/":                 "for tests",
	"internal/faulty/":                 "for tests",
	"internal/vsphere/vspheretest/":    "for tests",
	"internal/simfleet/":               "a simulator, which reads its own files and requests",
	"tools/":                           "no part of the program",
}

// unboundedReads returns the reads of a tree that have no limit.
func unboundedReads(t *testing.T, tree fs.FS) (found []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(tree, ".", func(file string, _ fs.DirEntry, err error) error {
		for known := range limitedReads {
			if strings.HasPrefix(file, known) {
				return err
			}
		}
		if err != nil || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(tree, file)
		for _, call := range wholeReads.FindAll(source, -1) {
			if !limited.Match(call) {
				found = append(found, fmt.Sprintf("%s says %s: a small file can unpack to all memory, and a wrong one be of any size; internal/userfile has a reader with a limit", file, call))
			}
		}
		return err
	}))
	return found
}

// programs returns the Go files of a tree except tests: rules and dashboards are written, not generated.
func programs(t *testing.T, tree fs.FS) (found []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(tree, ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			found = append(found, path+" is a program: what is deployed is the file itself")
		}
		return err
	}))
	return found
}

// TestWallsCanFail checks each wall with an artificial module that breaks it.
func TestWallsCanFail(t *testing.T) {
	for _, w := range walls {
		t.Run(w.rule, func(t *testing.T) {
			room := "internal/stranger"
			if len(w.rooms) > 0 {
				room = w.rooms[0]
			}
			for _, pattern := range w.banned {
				banned := strings.Replace(pattern, "...", "below", 1)
				require.Equal(t, []string{room + " imports " + short(banned) + "; the wall is that " + w.rule + ", because " + w.why},
					w.breaches(listed(made(room, banned))))
				for _, owner := range w.except {
					require.Empty(t, w.breaches(listed(made(owner, banned))))
				}
			}
		})
	}
}

func TestWallsSeeThroughOthers(t *testing.T) {
	all := listed(
		made("pkg/a", "example.com/b"), made("internal/a", "example.com/b"),
		goPackage{ImportPath: "example.com/b", Imports: []string{"example.com/c", "net"}},
		goPackage{ImportPath: "example.com/c", Imports: []string{"example.com/b"}},
	)
	w := wall{rule: "nobody dials", banned: []string{"net"}, why: "x"}
	require.Equal(t, []string{"pkg/a imports net (through example.com/b); the wall is that nobody dials, because x"}, w.breaches(all))
	w.direct = true
	require.Empty(t, w.breaches(all))
	w = wall{rule: "nobody dials", rooms: []string{"internal/a"}, banned: []string{"net"}, deep: true, why: "x"}
	require.Equal(t, []string{"internal/a imports net (through example.com/b); the wall is that nobody dials, because x"}, w.breaches(all))
}

func TestWallsLeaveOthersAlone(t *testing.T) {
	all := listed(
		made("cmd/vperf", module+"/internal/cli"),
		made("pkg/inventory", module+"/pkg/inventory/wire", "fmt"),
		made("internal/report", module+"/internal/vspherelike"),
		goPackage{ImportPath: "example.com/x", Imports: []string{"github.com/vmware/govmomi"}},
	)
	for _, w := range walls {
		require.Empty(t, w.breaches(all))
	}
}

func TestNamesAndClockCanFail(t *testing.T) {
	require.Equal(t, []string{"internal/util is package util: a name that says nothing collects everything"},
		listed(made("internal/util"), made("internal/golden"), goPackage{ImportPath: "example.com/util", Name: "util"}).misnamed())
	require.Len(t, clockCalls(t, fstest.MapFS{
		"a.go":      {Data: []byte("var t = time.Now()")},
		"ok.go":     {Data: []byte("const d = time.Second")},
		"a_test.go": {Data: []byte("time.Sleep(1)")},
	}), 1)
	full := fstest.MapFS{
		"full/a.go":      {Data: bytes.Repeat([]byte("\n"), mostLines)},
		"full/a_test.go": {Data: []byte("\n")},
	}
	require.Empty(t, crowded(t, full))
	full["full/one.go"] = &fstest.MapFile{Data: []byte("\n")}
	require.Len(t, crowded(t, full), 1)
	full["few/a.go"] = &fstest.MapFile{Data: []byte("\n")}
	require.Len(t, crowded(t, full), 2)
	require.Len(t, unboundedReads(t, fstest.MapFS{
		"pkg/a/a.go":            {Data: []byte("x, err := io.ReadAll(r)")},
		"pkg/a/b.go":            {Data: []byte("x, err := io.ReadAll(io.LimitReader(r, 5))")},
		"pkg/a/c.go":            {Data: []byte("d := json.NewDecoder(bytes.NewReader(b))")},
		"pkg/a/d.go":            {Data: []byte("z, err := gzip.NewReader(f)")},
		"pkg/a/d_test.go":       {Data: []byte("z, err := gzip.NewReader(f)")},
		"pkg/inventory/load.go": {Data: []byte("x, err := io.ReadAll(r)")},
	}), 2)
	require.Len(t, programs(t, fstest.MapFS{"grafana/made.go": {}, "vm.json": {}, "vm_test.go": {}}), 1)
}

// breaches describes the forbidden imports, one sentence each.
func (w wall) breaches(all packages) []string {
	var out []string
	for _, importer := range slices.Sorted(maps.Keys(all)) {
		if !w.binds(importer) {
			continue
		}
		for _, way := range w.wrongWays(all, importer) {
			through := ""
			if between := way[1 : len(way)-1]; len(between) > 0 {
				through = fmt.Sprintf(" (through %s)", strings.Join(between, ", "))
			}
			out = append(out, fmt.Sprintf("%s imports %s%s; the wall is that %s, because %s", way[0], way[len(way)-1], through, w.rule, w.why))
		}
	}
	return out
}

func (w wall) binds(importer string) bool {
	return isOurs(importer) && (len(w.rooms) == 0 || inRooms(w.rooms, importer)) && !inRooms(w.except, importer)
}

func (w wall) bans(imported string) bool {
	matches := func(pattern string) bool { return matches(pattern, imported) }
	return slices.ContainsFunc(w.banned, matches) && !slices.ContainsFunc(w.doors, matches) &&
		!inRooms(w.rooms, imported) // packages in one room may import each other
}

// wrongWays finds, breadth first, the shortest import path from importer to each banned package; it does not search beyond a
// banned package.
func (w wall) wrongWays(all packages, importer string) [][]string {
	transitive := w.deep || !w.direct && inRooms([]string{"pkg"}, importer)
	var wrong [][]string
	seen := map[string]bool{importer: true}
	for queue := [][]string{{importer}}; len(queue) > 0; queue = queue[1:] {
		way := queue[0]
		for _, next := range all[way[len(way)-1]].Imports {
			if seen[next] {
				continue
			}
			seen[next] = true
			switch on := append(slices.Clone(way), next); {
			case w.bans(next):
				wrong = append(wrong, shortened(on))
			case transitive:
				queue = append(queue, on)
			}
		}
	}
	return wrong
}

func (all packages) misnamed() []string {
	var out []string
	for importPath, p := range all {
		if isOurs(importPath) && slices.Contains([]string{"util", "utils", "common", "helpers", "types"}, p.Name) {
			out = append(out, fmt.Sprintf("%s is package %s: a name that says nothing collects everything", short(importPath), p.Name))
		}
	}
	return out
}

var clock = regexp.MustCompile(`\btime\.(Now|Since|Until|Sleep|After|AfterFunc|Tick|NewTimer|NewTicker)\b`)

// clockCalls searches the source for calls of the clock, because packages import time for durations too.
func clockCalls(t *testing.T, dir fs.FS) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(dir, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(dir, file)
		for _, call := range clock.FindAll(source, -1) {
			out = append(out, fmt.Sprintf("%s says %s, but a judgement is a function of facts: the time is one of them", file, call))
		}
		return err
	})
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	return out
}

// listPackages asks Go for the module's packages and all their dependencies. -e: a package that does not build is another
// test's failure.
func listPackages(t *testing.T) packages {
	t.Helper()
	walkTree(t)
	list := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "-json=ImportPath,Name,Imports", "./...")
	list.Dir = "." // tests run in their package's directory, which here is the module's root
	list.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	var problems bytes.Buffer
	list.Stderr = &problems
	out, err := list.Output()
	require.NoError(t, err, problems.String())

	all := packages{}
	for in := json.NewDecoder(bytes.NewReader(out)); in.More(); {
		var p goPackage
		require.NoError(t, in.Decode(&p))
		all[p.ImportPath] = p
	}
	require.Contains(t, all, module+"/internal/golden", "go list did not look at this module")
	return all
}

// walkTree reads every directory. Go caches a test's result until files change that the test itself read, and go list reads
// from another process. Without this walk a new import would get the cached result ("ok (cached)").
func walkTree(t *testing.T) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(dir string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && dir != "." && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		return err
	}))
}

func report(t *testing.T, sentences []string) {
	t.Helper()
	for _, sentence := range sentences {
		t.Error(sentence)
	}
}

func isOurs(importPath string) bool { return matches(module+"/...", importPath) }

func inRooms(rooms []string, importPath string) bool {
	return slices.ContainsFunc(rooms, func(room string) bool { return matches(module+"/"+room+"/...", importPath) })
}

func matches(pattern, importPath string) bool {
	tree, ok := strings.CutSuffix(pattern, "/...")
	return importPath == tree || ok && strings.HasPrefix(importPath, tree+"/")
}

// short returns an import path without the module prefix.
func short(importPath string) string { return strings.TrimPrefix(importPath, module+"/") }

func shortened(way []string) []string {
	out := slices.Clone(way)
	for i := range out {
		out[i] = short(out[i])
	}
	return out
}

func made(room string, imports ...string) goPackage {
	return goPackage{ImportPath: module + "/" + room, Name: path.Base(room), Imports: imports}
}

func listed(all ...goPackage) packages {
	out := packages{}
	for _, p := range all {
		out[p.ImportPath] = p
	}
	return out
}

// kindFiles are the only files that name kinds of settings: the vocabulary with all that follows from it, the writers, and the commands
// of scripts.
var kindFiles = []string{"pkg/inventory/settingkinds.go", "internal/vsphere/change/kinds.go", "internal/script/kinds.go"}

func TestAKindOfSettingIsNamedWhereItIsDefined(t *testing.T) {
	named := regexp.MustCompile(`"([a-z]+(?:-[a-z]+)*)["/]`)
	kinds := map[string]bool{} // whether vperf writes it
	for _, k := range inventory.SettingKinds() {
		kinds[k.Name] = k.Applicable()
	}
	found := map[string]map[string]bool{} // by file
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = map[string]bool{}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			if _, is := kinds[m[1]]; is {
				found[path][m[1]] = true
			}
		}
		return err
	}))
	for path, names := range found {
		if !slices.Contains(kindFiles, path) {
			require.Empty(t, names, "%s names kinds of settings: only %s do", path, strings.Join(kindFiles, ", "))
		}
	}
	for name, written := range kinds {
		for _, path := range kindFiles {
			if written && name != "vnic-vmx" || path == kindFiles[0] { // a key of an adapter is written as one of its VM
				require.True(t, found[path][name], "%s does not have %s", path, name)
			}
		}
	}
}

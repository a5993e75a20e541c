package probing

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/mo"

	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
)

// TestNoTextOfTheServerIsInTheFile plants a secret in every text of every answer: names, addresses, ids, values of options and
// parameters, cells of tables, rows of the Esxtop service, faults, and whatever else a server sends. The texts that a file may have
// (vocabulary) stay, and get secrets beside them where they are free texts. The probe finds as much as without secrets, and its file
// has none of them.
func TestNoTextOfTheServerIsInTheFile(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"vcenter", "esxi-a", "esxi-c"} {
		t.Run(endpoint, func(t *testing.T) {
			t.Parallel()
			p := &planter{known: map[string]string{}}
			s := vspheretest.FleetThrough(t, endpoint, p)
			_, plain := probed(t, s, Options{AllRows: endpoint != "vcenter"})
			p.names = namesOf(t, s)
			p.active = true
			text, file := probed(t, s, Options{AllRows: endpoint != "vcenter"})
			lower := strings.ToLower(text)
			require.Greater(t, len(p.known), 300, "planted")
			for original, planted := range p.known {
				if at := strings.Index(lower, strings.ToLower(planted)); at >= 0 {
					t.Errorf("the file contains %q, which was planted for %q: …%s…", planted, original, text[max(0, at-80):min(len(text), at+80)])
				}
			}
			sameShape(t, plain, file)
		})
	}
}

// namesOf returns names of hosts and VMs that a probe of all hosts knows.
func namesOf(t *testing.T, s *session.Session) (names []string) {
	t.Helper()
	for _, kind := range []string{"HostSystem", "VirtualMachine"} {
		var all []mo.ManagedEntity
		retrieve(t, s, kind, []string{"name"}, &all)
		at := slices.IndexFunc(all, func(e mo.ManagedEntity) bool { return words.MatchString(e.Name) })
		require.NotEqual(t, -1, at, kind)
		names = append(names, all[at].Name)
	}
	return names
}

// sameShape requires that planting has not kept the probe from reading anything.
func sameShape(t *testing.T, plain, planted *probe.File) {
	t.Helper()
	require.Len(t, planted.Counters, len(plain.Counters))
	for i, want := range plain.Hosts {
		got := planted.Hosts[i]
		require.Equal(t, want.Name, got.Name, "names are replaced in the same way")
		require.Equal(t, outcomes(want.Calls), outcomes(got.Calls))
		require.Len(t, got.Options, len(want.Options))
		require.Equal(t, want.Drivers[0].Driver, got.Drivers[0].Driver)
		require.Len(t, got.Modules, len(want.Modules))
		require.Len(t, got.Tables, len(want.Tables))
		require.Equal(t, want.Namespaces, got.Namespaces)
		require.Equal(t, want.Esxtop != nil, got.Esxtop != nil)
		if want.Esxtop != nil {
			require.Equal(t, want.Esxtop.Rows, got.Esxtop.Rows)
			before, after := replacements.FindAllString(strings.Join(want.Esxtop.Sample, "\n"), -1), replacements.FindAllString(strings.Join(got.Esxtop.Sample, "\n"), -1)
			forth, back := map[string]string{}, map[string]string{}
			for i := range min(len(before), len(after)) {
				forth[before[i]], back[after[i]] = cmp.Or(forth[before[i]], after[i]), cmp.Or(back[after[i]], before[i])
				require.Equal(t, []string{before[i], after[i]}, []string{back[after[i]], forth[before[i]]}, "equal names are replaced equally: %d %v %v",
					i, before[max(0, i-6):i+2], after[max(0, i-6):i+2])
			}
			require.Len(t, after, len(before))
		}
	}
}

// replacements are what the file has instead of the names of VMs.
var replacements = regexp.MustCompile(`\bvm-[0-9]+\b|\(hidden\)`)

func outcomes(calls []probe.Call) []string {
	var all []string
	for _, c := range calls {
		all = append(all, c.Name+" "+c.Outcome+" "+c.Fault)
	}
	return all
}

// planter replaces texts of answers by secrets, equal texts by equal ones.
type planter struct {
	mu     sync.Mutex
	active bool
	known  map[string]string // by original
	names  []string          // that the probe knows, for free texts
}

var (
	tagForm = regexp.MustCompile(`<(/?)([A-Za-z0-9_:.-]+)([^<>]*?)(/?)>`)
	// formed are texts whose form says what they are; they get secrets of the same form.
	formed = regexp.MustCompile(`(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?:[0-9a-f]{2}[ :-]){4,}[0-9a-f]{2}|(?:\d{1,3}\.){3}\d{1,3}|` +
		`[0-9A-Z]{5}(?:-[0-9A-Z]{5}){4}|\b[0-9a-f]{12,}\b`)
	words = regexp.MustCompile(`[A-Za-z]{4,}`)
	// plainForm are texts that are no names: figures, times, truth values.
	plainForm = regexp.MustCompile(`^(-?[0-9.eE+]{1,20}|[0-9-]{10}T[0-9:.]+(Z|[+-][0-9:]+)|true|false|\s*)$`)
)

var plantedWord = regexp.MustCompile(`hem[0-9]+lock`)

// Request is a request with the originals, because clients name objects to the server.
func (p *planter) Request(body []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return plantedWord.ReplaceAllFunc(body, func(planted []byte) []byte {
		for original, w := range p.known {
			if w == string(planted) {
				return []byte(original)
			}
		}
		return planted
	})
}

// Answer is an answer with secrets. XML in a text, such as that of esxcli, is treated in the same way.
func (p *planter) Answer(request, answer []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.active {
		return answer
	}
	return []byte(p.plantXML(string(request), string(answer)))
}

func (p *planter) plantXML(request, text string) string {
	var out strings.Builder
	var path []string
	property, start, attributes := "", 0, ""
	for _, m := range tagForm.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[4]:m[5]]
		between := text[start:m[0]]
		if text[m[2]:m[3]] == "/" {
			if leaf := len(path) > 0 && path[len(path)-1] == name; leaf && attributes != "\x00" {
				if field := strings.Join(path[max(0, len(path)-2):], "/"); field == "propSet/name" {
					property = between
				}
				between = p.leaf(request, path, property, attributes, between)
			}
			path, attributes = path[:len(path)-1], "\x00"
		} else if text[m[8]:m[9]] == "" && !strings.HasPrefix(name, "?") {
			path, attributes = append(path, name), text[m[6]:m[7]]
		}
		out.WriteString(between + text[m[0]:m[1]])
		start = m[1]
	}
	return out.String() + text[start:]
}

// leaf plants in the text of an element without children.
func (p *planter) leaf(request string, path []string, property, attributes, text string) string {
	text = html.UnescapeString(text)
	field := path[len(path)-1]
	if field == "val" {
		field = property[strings.LastIndex(property, ".")+1:]
	}
	switch within := strings.Join(path, "/"); {
	case strings.HasPrefix(strings.TrimSpace(text), "<"):
		text = p.plantXML(request, text)
	case strings.Contains(text, "==COUNTER-VALUE=="):
		text = p.plantRows(text)
	case plainForm.MatchString(text), protocol(within, attributes), vocabulary(request, field):
	case slices.Contains(freeTexts, field):
		text += " of " + p.text(strings.Join(p.names, " and ")) + ", " + p.text("10.77.1.2 naa.6005076801810123 user@corp.demo 564d0000-1111-2222-3333-444455556666")
	default:
		text = p.text(text)
	}
	return html.EscapeString(text)
}

// reference is the attribute of a reference to a managed object.
var reference = regexp.MustCompile(`\stype="`)

// protocol reports texts that tell the client what it reads.
func protocol(within, attributes string) bool {
	return strings.Contains(attributes, "ManagedObjectReference") || reference.MatchString(attributes) ||
		strings.HasSuffix(within, "propSet/name") || strings.HasSuffix(within, "missingSet/path") || strings.HasSuffix(within, "/token") ||
		strings.HasSuffix(within, "/serviceName") || strings.HasSuffix(within, "faultcode")
}

// freeTexts are fields with a vendor's text, which the file keeps without names.
var freeTexts = []string{"vendor", "model", "cpuModel", "hardwareSupport", "Description"}

// vocabularyFields are fields with words of products, which the file keeps.
var vocabularyFields = []string{"version", "build", "apiVersion", "driver", "driverVersion", "firmwareVersion", "shortName", "key", "rollupType", "statsType"}

func vocabulary(request, field string) bool {
	if slices.Contains(vocabularyFields, field) {
		return true
	}
	for _, call := range []string{"QueryModules", "VimCLIManagerFetchCLIInfo", "FetchCLIInfo"} {
		if strings.Contains(request, call) && (field == "name" || field == "Name") {
			return true
		}
	}
	switch {
	case strings.Contains(request, "parameters") && (field == "Name" || field == "Type"):
		return true // of a parameter
	case strings.Contains(request, "CounterInfo"):
		return true // the schema of the Esxtop service
	}
	return false
}

// plantRows plants in the cells of FetchStats that are names. The words of VMs' worlds stay, with the names behind them planted.
func (p *planter) plantRows(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		cells := strings.Split(line, "|")
		for k := 2; k < len(cells); k++ {
			key, value, tree := strings.Cut(cells[k], ",")
			if tree && !strings.Contains(key, " ") && !plainForm.MatchString(value) {
				cells[k] = key + "," + p.text(value)
			} else if !tree && !plainForm.MatchString(cells[k]) {
				cells[k] = p.text(cells[k])
			}
		}
		lines[i] = strings.Join(cells, "|")
	}
	return strings.Join(lines, "\n")
}

// kept are words in the names that every host gives.
var kept = []string{"vcpu", "vmnic", "vmhba", "resgroup", "vthread", "svga", "NetWorld"}

// text replaces the parts of a text in a known form, and all other words.
func (p *planter) text(s string) string {
	var out strings.Builder
	at := 0
	for _, m := range formed.FindAllStringIndex(s, -1) {
		out.WriteString(p.words(s[at:m[0]]) + p.formed(s[m[0]:m[1]]))
		at = m[1]
	}
	return out.String() + p.words(s[at:])
}

func (p *planter) words(s string) string {
	return words.ReplaceAllStringFunc(s, func(w string) string {
		if slices.Contains(kept, w) {
			return w
		}
		return p.secret(w)
	})
}

// secret returns the planted word for a text.
func (p *planter) secret(original string) string {
	key := strings.ToLower(original)
	if _, known := p.known[key]; !known {
		p.known[key] = fmt.Sprintf("hem%dlock", len(p.known))
	}
	return p.known[key]
}

// formed returns a text in the form of the original.
func (p *planter) formed(original string) string {
	if planted, known := p.known[original]; known {
		return planted
	}
	n := len(p.known) + 1
	planted := ""
	if strings.Count(original, ".") == 3 {
		planted = fmt.Sprintf("203.%d.%d.113", n/250, n%250)
	} else {
		digits := strconv.Itoa(7_000_000_000_000_000_000 + n*31) // its last digits differ
		b := []byte(original)
		for i, k := len(b)-1, len(digits)-1; i >= 0; i-- {
			if b[i] != '-' && b[i] != ':' && b[i] != ' ' {
				if b[i] = 'e'; k >= 0 {
					b[i], k = digits[k], k-1
				}
			}
		}
		planted = string(b)
	}
	p.known[original] = planted
	return planted
}

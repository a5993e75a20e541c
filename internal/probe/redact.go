package probe

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/vperf/vperf/pkg/inventory"
)

// Redactor replaces everything that identifies a server, a VM or a person. Equal originals get equal replacements.
type Redactor struct {
	known map[string]string // lower-case original → replacement
	count map[string]int    // replacements by kind
	names []string          // the known originals, the longest first; nil: to be sorted
	words map[string]bool   // texts that may be default values
}

// NewRedactor returns a Redactor that knows no names.
func NewRedactor() *Redactor {
	r := &Redactor{known: map[string]string{}, count: map[string]int{}, words: map[string]bool{"": true}}
	for _, key := range inventory.OptionKeys() {
		d, _ := inventory.LookupOption(key)
		for _, e := range d.Eras {
			if e.Default.Type == inventory.TypeString {
				r.words[e.Default.Text] = true
			}
		}
	}
	return r
}

// Alias returns the replacement of a name: KIND-NUMBER. An empty name stays empty.
func (r *Redactor) Alias(kind, name string) string {
	if name == "" {
		return ""
	}
	key := strings.ToLower(name)
	if alias, ok := r.known[key]; ok {
		return alias
	}
	r.count[kind]++
	alias := fmt.Sprintf("%s-%d", kind, r.count[kind])
	r.known[key] = alias
	r.names = nil
	return alias
}

// Same gives more names of one thing the replacement that it has.
func (r *Redactor) Same(alias string, names ...string) {
	for _, name := range names {
		key := strings.ToLower(name)
		if _, known := r.known[key]; !known && name != "" {
			r.known[key] = alias
			r.names = nil
		}
	}
}

// ID returns the replacement of an id: a small number. Ids of a kind have numbers of their own; 0 stays 0.
func (r *Redactor) ID(kind, id string) string {
	if id == "" || id == "0" {
		return id
	}
	key := kind + "\x00" + id
	if n, ok := r.known[key]; ok {
		return n
	}
	r.count[key[:len(kind)+1]]++
	n := strconv.Itoa(r.count[key[:len(kind)+1]])
	r.known[key] = n
	return n
}

// hiddenText replaces texts in a form that identifies something.
const hiddenText = "(hidden)"

// identifying are forms of texts that name machines, devices, people and places.
var identifying = regexp.MustCompile(strings.Join([]string{
	`(?i)\b[a-z][a-z0-9+.-]*://\S+`, // URL
	`[^\s"'(),;=]+@[^\s"'(),;]+`,    // user@domain, mail
	`\S+\\\S+`,                      // DOMAIN\user
	`(?i)\b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b`,        // UUID
	`(?i)\b[0-9a-f]{2}(?:[ :-][0-9a-f]{2}){4,}\b`,                  // MAC, WWN, serial number as VMware-56 4d …
	`(?i)\b(?:naa|eui|t10|iqn|mpx|nqn|uuid)\.\S+`,                  // device
	`(?i)\b[0-9A-Z]{5}(?:-[0-9A-Z]{5}){4}\b`,                       // licence key
	`\b\d{1,3}(?:\.\d{1,3}){3}\b`,                                  // IPv4
	`(?i)\b[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){2,}`,                    // IPv6
	`(?i)\b(?:[a-z0-9_-]+\.){2,}[a-z]{2,}\b`,                       // DNS name
	`(?i)\b[a-z0-9_-]+\.(?:local|lan|corp|com|net|org|internal)\b`, // short DNS name
	`/[^\s"',;]*/[^\s"',;]*`,                                       // path
	`(?i)\b0x[0-9a-f]{9,}\b`, `(?i)\b[0-9a-f]{12,}\b`,              // long ids
	`\[[^\]]*\]\s*\S+`, // [datastore] path
}, "|"))

// Lengths of texts.
const (
	longestText = 200
	longestWord = 64
	shortestOf  = 3 // known names to replace in texts: shorter ones are parts of many words
)

// Text returns a vendor's text, such as the model of a server, without names that the Redactor knows and without texts in an
// identifying form. It is one line of at most 200 characters.
func (r *Redactor) Text(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) }), " ")
	s = identifying.ReplaceAllString(r.replaceNames(s), hiddenText)
	if runes := []rune(s); len(runes) > longestText {
		s = string(runes[:longestText]) + "…"
	}
	return s
}

// versionForm is the form of versions of drivers, firmware and releases.
var versionForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.,_+() -]*$`)

// Version returns a version. A version with four parts looks like an address, so only known addresses are replaced.
func (r *Redactor) Version(s string) string {
	if len(s) > longestWord || s != "" && !versionForm.MatchString(s) {
		return hiddenText
	}
	return r.replaceNames(s)
}

// Word forms.
var (
	wordForm   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)
	optionForm = regexp.MustCompile(`^[A-Za-z0-9]+(\.[A-Za-z0-9_-]+)+$`)
)

// Word returns a name that a product gives, such as that of a kernel module or of a column; false if it has another form or is a
// name that the Redactor knows.
func (r *Redactor) Word(s string) (string, bool) {
	_, name := r.known[strings.ToLower(s)]
	return s, !name && len(s) <= longestWord && wordForm.MatchString(s)
}

// OptionKey reports whether the key of an option may be written: only tuning options and those of the shipped table, because others
// identify the host.
func (r *Redactor) OptionKey(key string) bool {
	if _, known := inventory.LookupOption(key); known {
		return true
	}
	return len(key) <= 2*longestWord && optionForm.MatchString(key) && inventory.TuningOption(key)
}

// Default returns the default of an option if it is a number, a truth value or a text of the shipped option table.
func (r *Redactor) Default(v *inventory.Value) (text *string, hidden bool) {
	if v == nil {
		return nil, false
	}
	if v.Type == inventory.TypeString && !r.words[v.Text] {
		return nil, true
	}
	return &v.Text, false
}

// replaceNames replaces the known names that stand by themselves in a text, the longest first.
func (r *Redactor) replaceNames(s string) string {
	if s == "" {
		return s
	}
	lower := strings.ToLower(s)
	for _, name := range r.originals() {
		if len(name) < shortestOf || !strings.Contains(lower, name) {
			continue
		}
		s = replaceWord(s, name, r.known[name])
		lower = strings.ToLower(s)
	}
	return s
}

// originals lists the known names, the longest first.
func (r *Redactor) originals() []string {
	if r.names != nil {
		return r.names
	}
	for name := range r.known {
		if !strings.Contains(name, "\x00") {
			r.names = append(r.names, name)
		}
	}
	slices.SortFunc(r.names, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	return r.names
}

// replaceWord replaces a lower-case name where no letter or digit is beside it. Case does not matter.
func replaceWord(s, name, by string) string {
	var b strings.Builder
	for {
		lower := strings.ToLower(s)
		at := -1
		if len(lower) == len(s) { // otherwise positions differ
			at = strings.Index(lower, name)
		}
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		end := at + len(name)
		if partOfWord(s[:at], true) || partOfWord(s[end:], false) {
			b.WriteString(s[:end])
		} else {
			b.WriteString(s[:at] + by)
		}
		s = s[end:]
	}
}

// partOfWord reports whether a text ends or begins with a letter or digit.
func partOfWord(s string, end bool) bool {
	if s == "" {
		return false
	}
	runes := []rune(s)
	c := runes[0]
	if end {
		c = runes[len(runes)-1]
	}
	return unicode.IsLetter(c) || unicode.IsDigit(c)
}

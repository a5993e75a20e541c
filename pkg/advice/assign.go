package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// profileMark is the custom attribute, and the category or prefix of tags, that give an object its profile.
const profileMark = "vperf.profile"

// Assignment gives objects a profile by name or tag.
type Assignment struct {
	Match   string          // pattern of names or inventory paths, * and ? as in a shell; empty: all
	Scope   inventory.Scope // only objects of this kind; empty: all
	Tag     string          // pattern of tags as CATEGORY/NAME; empty: all
	Profile Profile
	From    string // where it is written, for the finding
}

// ParseAssignableScope reads the kind of an object that can be given a profile; devices have that of their owner.
func ParseAssignableScope(s string) (inventory.Scope, error) {
	return parseWord("scope", s, slices.DeleteFunc(Scopes(), isDevice))
}

// isDevice reports a kind of object that nobody can mark: its owner's type stands for it.
func isDevice(s inventory.Scope) bool { return !strings.EqualFold(bearerTypes[s], string(s)) }

// chooser decides which profile objects have: the one asked for; else what the object's own custom attribute or tag
// says, or, for a host, its cluster's; else the first assignment that fits; else what its configuration speaks for. A VM
// moves between hosts and has nothing of theirs.
type chooser struct {
	forced   Profile
	patterns []pattern
	wrong    complaints
}

type pattern struct {
	pick
	Assignment
}

func newChooser(o Options) *chooser {
	c := &chooser{forced: o.Profile}
	for _, a := range o.Assignments {
		c.patterns = append(c.patterns, pattern{pick{name: newGlob(a.Match), scope: a.Scope, tag: newGlob(a.Tag)}, a})
	}
	return c
}

// of is the profile of an object, and why.
func (c *chooser) of(o inventory.Object) (Profile, string) {
	if c.forced != "" {
		return c.forced, "asked for"
	}
	var a assigned
	if b := bearerOf(o); b != nil {
		a = c.ask(b)
	}
	if a.profile == "" {
		p, why := ProfileOf(o)
		if a.why != "" {
			why = a.why + "; " + why
		}
		a.decide(p, why)
	}
	if a.blind {
		a.why += "; not all tags and attributes were read"
	}
	return a.profile, a.why
}

// assigned is what people say of an object's profile.
type assigned struct {
	profile Profile // empty: nothing that counts
	why     string
	decided bool
	blind   bool // something that could have decided was not read
}

func (c *chooser) ask(b bearer) assigned {
	var a assigned
	c.askMarks(&a, b, "")
	if h, ok := b.(*inventory.Host); ok && !a.decided {
		c.askCluster(&a, h)
	}
	for _, p := range c.patterns {
		if a.decided {
			break
		}
		fits, unread := p.fits(b)
		a.blind = a.blind || unread
		if fits {
			a.decide(p.Profile, fmt.Sprintf("%s (%s)", p.pick, p.From))
		}
	}
	return a
}

func (c *chooser) askCluster(a *assigned, h *inventory.Host) {
	if h.Cluster() != nil {
		c.askMarks(a, h.Cluster(), " of cluster "+h.Cluster().Name)
		return
	}
	_, state, _ := h.ClusterID.Get()
	a.blind = a.blind || state != inventory.StateAbsent
}

// askMarks lets an object's own marks decide. One that cannot be understood decides too, for the automatic profile: what
// comes after it is not what was meant.
func (c *chooser) askMarks(a *assigned, b bearer, whose string) {
	word, read := attribute(b, profileMark)
	a.blind = a.blind || !read
	if word != "" {
		c.take(a, b, []string{word}, "custom attribute "+profileMark, whose)
		return
	}
	tags, read := tagsOf(b)
	a.blind = a.blind || !read
	if words := profileTags(tags); len(words) > 0 {
		c.take(a, b, words, "tag "+profileMark, whose)
	}
}

func (c *chooser) take(a *assigned, b bearer, words []string, mark, whose string) {
	if len(words) > 1 {
		several := " names several profiles, " + strings.Join(words, " and ")
		c.refuse(a, b, mark+whose+several, mark+several)
		return
	}
	p, err := ParseProfile(strings.ToLower(words[0]))
	if err != nil {
		c.refuse(a, b, fmt.Sprintf("%s%s says %q, which is no profile", mark, whose, words[0]), mark+": "+err.Error())
		return
	}
	a.decide(p, mark+whose)
}

func (a *assigned) decide(p Profile, why string) {
	a.profile, a.why, a.decided = p, why, true
}

// refuse leaves the object its automatic profile, and says why there and in a warning.
func (c *chooser) refuse(a *assigned, b bearer, why, warning string) {
	a.decide("", why)
	c.wrong.add(warning+"; the automatic profile counts", b)
}

// profileTags are the words of tags of the category vperf.profile, and of tags named vperf.profile:WORD or
// vperf.profile=WORD in any other, each once.
func profileTags(tags []string) []string {
	var words []string
	for _, t := range tags {
		category, word := splitTag(t)
		if !strings.EqualFold(category, profileMark) {
			var named bool
			if word, named = afterMark(word); !named {
				continue
			}
		}
		words = append(words, strings.TrimSpace(word))
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func afterMark(name string) (word string, named bool) {
	if len(name) <= len(profileMark) || !strings.EqualFold(name[:len(profileMark)], profileMark) {
		return "", false
	}
	rest := name[len(profileMark):]
	return rest[1:], rest[0] == ':' || rest[0] == '='
}

package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// fastUplinkMbps is the link speed from which a host counts as built for network throughput.
const fastUplinkMbps = 40_000

// profileOf is the automatic profile: the one that an object's own configuration speaks for, and why, in words for the
// finding. It counts where nobody says otherwise.
//
// A VM is latency when its latency sensitivity is high, monster when it is wider than a NUMA node of its host. A host is
// network when an uplink of 40 Gb/s or more is up, vsan when vSAN is on. A device has the profile of its owner.
// Everything else is general. Where a fact was not read the profile is general too, and why says so.
func profileOf(o inventory.Object) (p Profile, why string) {
	switch x := o.(type) {
	case *inventory.Host:
		return hostProfile(x)
	case *inventory.PNIC, *inventory.VMKNIC, *inventory.HBA, *inventory.LUN, *inventory.Switch:
		if h := x.(interface{ Host() *inventory.Host }).Host(); h != nil {
			return hostProfile(h)
		}
	case *inventory.VM:
		return vmProfile(x)
	case *inventory.VDisk:
		if x.VM() != nil {
			return vmProfile(x.VM())
		}
	case *inventory.VNIC:
		if x.VM() != nil {
			return vmProfile(x.VM())
		}
	}
	return ProfileGeneral, "nothing speaks for another profile"
}

func hostProfile(h *inventory.Host) (Profile, string) {
	nics, read := h.PNICs.Value()
	for _, n := range nics {
		up, _ := n.Uplink.Value()
		speed, known := n.LinkMbps.Value()
		read = read && known
		if up && speed >= fastUplinkMbps {
			return ProfileNetwork, fmt.Sprintf("uplink %s is up at %d Gb/s", n.Device, speed/1000)
		}
	}
	if on, known := h.VSAN.Value(); on {
		return ProfileVSAN, "vSAN is on"
	} else if !known || !read {
		return ProfileGeneral, "uplinks or vSAN state were not read"
	}
	return ProfileGeneral, "no uplink of 40 Gb/s or more, vSAN off"
}

func vmProfile(v *inventory.VM) (Profile, string) {
	level, known := v.LatencySensitivity.Value()
	if level == "high" {
		return ProfileLatency, "latency sensitivity is high"
	}
	vcpus, haveVCPUs := v.VCPUs.Value()
	node, haveNode := coresPerNode(v.Host())
	if !known || !haveVCPUs || !haveNode {
		return ProfileGeneral, "latency sensitivity, vCPUs or the host's NUMA nodes were not read"
	}
	if vcpus > node {
		return ProfileMonster, fmt.Sprintf("%d vCPUs are wider than a NUMA node of %d cores", vcpus, node)
	}
	return ProfileGeneral, "latency sensitivity is not high, fits a NUMA node"
}

func coresPerNode(h *inventory.Host) (int64, bool) {
	if h == nil {
		return 0, false
	}
	cores, ok1 := h.Cores.Value()
	nodes, ok2 := h.NUMANodes.Value()
	if !ok1 || !ok2 || len(nodes) == 0 {
		return 0, false
	}
	return cores / int64(len(nodes)), true
}

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
func isDevice(s inventory.Scope) bool { return !strings.EqualFold(mark.BearerTypes[s], string(s)) }

// chooser decides which profile objects have: the one asked for; else what the object's own custom attribute or tag
// says, or, for a host, its cluster's; else the first assignment that fits; else what its configuration speaks for. A VM
// moves between hosts and has nothing of theirs.
type chooser struct {
	forced   Profile
	patterns []pattern
	wrong    mark.Complaints
}

type pattern struct {
	mark.Pick
	Assignment
}

func newChooser(forced Profile, assignments []Assignment) *chooser {
	c := &chooser{forced: forced}
	for _, a := range assignments {
		c.patterns = append(c.patterns, pattern{mark.Pick{Name: mark.NewGlob(a.Match), Scope: a.Scope, Tag: mark.NewGlob(a.Tag)}, a})
	}
	return c
}

// of is the profile of an object, and why.
func (c *chooser) of(o inventory.Object) (Profile, string) {
	if c.forced != "" {
		return c.forced, "asked for"
	}
	var a assigned
	if b := mark.BearerOf(o); b != nil {
		a = c.ask(b)
	}
	if a.profile == "" {
		p, why := profileOf(o)
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

func (c *chooser) ask(b mark.Bearer) assigned {
	var a assigned
	c.askMarks(&a, b, "")
	if h, ok := b.(*inventory.Host); ok && !a.decided {
		c.askCluster(&a, h)
	}
	for _, p := range c.patterns {
		if a.decided {
			break
		}
		fits, unread := p.Fits(b)
		a.blind = a.blind || unread
		if fits {
			a.decide(p.Profile, fmt.Sprintf("%s (%s)", p.Pick, p.From))
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
func (c *chooser) askMarks(a *assigned, b mark.Bearer, whose string) {
	word, read := mark.Attribute(b, profileMark)
	a.blind = a.blind || !read
	if word != "" {
		c.take(a, b, []string{word}, "custom attribute "+profileMark, whose)
		return
	}
	tags, read := mark.TagsOf(b)
	a.blind = a.blind || !read
	if words := profileTags(tags); len(words) > 0 {
		c.take(a, b, words, "tag "+profileMark, whose)
	}
}

func (c *chooser) take(a *assigned, b mark.Bearer, words []string, mark, whose string) {
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
func (c *chooser) refuse(a *assigned, b mark.Bearer, why, warning string) {
	a.decide("", why)
	c.wrong.Add(warning+"; the automatic profile counts", b)
}

// profileTags are the words of tags of the category vperf.profile, and of tags named vperf.profile:WORD or
// vperf.profile=WORD in any other, each once.
func profileTags(tags []string) []string {
	var words []string
	for _, t := range tags {
		category, word := mark.SplitTag(t)
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

// prepare works out the profile of a subject and its variables.
func (c *chooser) prepare(s *subject) {
	s.profile, s.profileWhy = c.of(s.object)
	s.place()
}

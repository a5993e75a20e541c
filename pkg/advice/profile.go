package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/inventory"
)

// fastUplinkMbps is the minimum link speed, in Mb/s, for profile network.
const fastUplinkMbps = 40_000

// choice is the profile of an object, and the reason for it.
type choice struct {
	profile Profile
	why     string
	// possible lists the profiles that an object of unknown profile may have, and unread the facts that decide it. The last one is that
	// of an object without anything special in these facts.
	possible []Profile
	unread   []inventory.Gap
}

// undecided collects the profiles that an object may have because facts are unread.
type undecided struct {
	why      string
	possible []Profile
	unread   []inventory.Gap
	noMarks  bool // the source of the facts has no tags or attributes
}

// unless adds profiles that the object may have if facts are unread.
func (u *undecided) unless(all []Profile, unread ...inventory.Gap) {
	if len(unread) > 0 {
		u.possible, u.unread = append(u.possible, all...), append(u.unread, unread...)
	}
}

// orElse returns the profile that the object has if it has none of those before.
func (u *undecided) orElse(p Profile, why string) choice {
	if len(u.possible) == 0 {
		return choice{profile: p, why: why}
	}
	return choice{profile: ProfileUnknown, why: u.why, possible: append(u.possible, p), unread: u.unread}
}

// unreadFact returns the gap of an unread fact. An absent fact is no gap.
func unreadFact[T any](o inventory.Object, name string, f inventory.Fact[T]) []inventory.Gap {
	if _, state, reason := f.Get(); state == inventory.StateUnread {
		return []inventory.Gap{inventory.GapOf(o, name, reason)}
	}
	return nil
}

// severityProfile returns the profile whose severities an object's findings have.
func (c *choice) severityProfile() Profile {
	if n := len(c.possible); n > 0 {
		return c.possible[n-1]
	}
	return c.profile
}

// profileOf returns the automatic profile, which follows from an object's own configuration, and the reason for it. It
// applies if no user has set another profile.
//
// A VM is latency when its latency sensitivity is high, monster when it is wider than a NUMA node of its host. A host
// is network when an uplink of 40 Gb/s or more is up, vsan when vSAN is on. A device has the profile of its owner. All
// other objects are general. The profile is unknown if unread facts leave more than one.
func profileOf(o inventory.Object) choice {
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
	return choice{profile: ProfileGeneral, why: "no other profile matches"}
}

func hostProfile(h *inventory.Host) choice {
	fast, unread := fastUplink(h)
	if fast != nil {
		speed, _ := fast.LinkMbps.Value()
		return choice{profile: ProfileNetwork, why: fmt.Sprintf("uplink %s is up at %d Gb/s", fast.Device, speed/1000)}
	}
	u := undecided{why: "uplinks or vSAN state were not read"}
	u.unless([]Profile{ProfileNetwork}, unread...)
	if on, _ := h.VSAN.Value(); on {
		return u.orElse(ProfileVSAN, "vSAN is on")
	}
	u.unless([]Profile{ProfileVSAN}, unreadFact(h, "Host.vsan", h.VSAN)...)
	return u.orElse(ProfileGeneral, "no uplink of 40 Gb/s or more, vSAN off")
}

// fastUplink returns an uplink of 40 Gb/s or more; if there is none, the unread facts without which there may be one.
func fastUplink(h *inventory.Host) (*inventory.PNIC, []inventory.Gap) {
	unread := unreadFact(h, "Host.pnics", h.PNICs)
	nics, _ := h.PNICs.Value()
	for _, n := range nics {
		up, upKnown := n.Uplink.Value()
		speed, speedKnown := n.LinkMbps.Value()
		switch {
		case up && speed >= fastUplinkMbps:
			return n, nil
		case upKnown && !up, speedKnown && speed < fastUplinkMbps:
		default:
			unread = slices.Concat(unread, unreadFact(n, "PNIC.uplink", n.Uplink), unreadFact(n, "PNIC.linkMbps", n.LinkMbps))
		}
	}
	return nil, unread
}

func vmProfile(v *inventory.VM) choice {
	if level, _ := v.LatencySensitivity.Value(); level == "high" {
		return choice{profile: ProfileLatency, why: "latency sensitivity is high"}
	}
	u := undecided{why: "latency sensitivity, vCPUs or the host's NUMA nodes were not read"}
	u.unless([]Profile{ProfileLatency}, unreadFact(v, "VM.latencySensitivity", v.LatencySensitivity)...)
	node, unread := coresPerNode(v)
	vcpus, known := v.VCPUs.Value()
	if known && node > 0 && vcpus > node {
		return u.orElse(ProfileMonster, fmt.Sprintf("%d vCPUs are wider than a NUMA node of %d cores", vcpus, node))
	}
	u.unless([]Profile{ProfileMonster}, append(unread, unreadFact(v, "VM.vcpus", v.VCPUs)...)...)
	return u.orElse(ProfileGeneral, "latency sensitivity is not high, fits a NUMA node")
}

// coresPerNode returns the cores of a NUMA node of a VM's host. 0 means that there are no nodes, or that facts are unread.
func coresPerNode(v *inventory.VM) (int64, []inventory.Gap) {
	h := v.Host()
	if h == nil {
		if _, state, _ := v.HostID.Get(); state == inventory.StateAbsent {
			return 0, nil
		}
		return 0, []inventory.Gap{missingHost(v)}
	}
	cores, _ := h.Cores.Value()
	nodes, _ := h.NUMANodes.Value()
	if unread := append(unreadFact(h, "Host.cores", h.Cores), unreadFact(h, "Host.numaNodes", h.NUMANodes)...); len(unread) > 0 || len(nodes) == 0 {
		return 0, unread
	}
	return cores / int64(len(nodes)), nil
}

// profileMark is the custom attribute, and the category or prefix of tags, that set an object's profile.
const profileMark = "vperf.profile"

// isMark reports whether a gap is of tags or custom attributes.
func isMark(g Gap) bool {
	_, fact, _ := strings.Cut(g.Fact, ".")
	return fact == mark.FactTags || fact == mark.FactAttributes
}

// Assignment gives a profile to objects by name or tag.
type Assignment struct {
	Match   string          // pattern of names or inventory paths, with the wildcards * and ?; empty: all
	Scope   inventory.Scope // only objects of this kind; empty: all
	Tag     string          // pattern of tags as CATEGORY/NAME; empty: all
	Profile Profile
	From    string // its source, for the finding
}

// ParseAssignableScope parses a kind of object that can have a profile; devices have that of their owner.
func ParseAssignableScope(s string) (inventory.Scope, error) {
	return parseWord("scope", s, slices.DeleteFunc(Scopes(), isDevice))
}

// isDevice reports whether objects of the scope are devices, which cannot have tags or attributes of their own.
func isDevice(s inventory.Scope) bool { return !strings.EqualFold(mark.TaggedTypes[s], string(s)) }

// chooser determines the profiles of objects. The order of precedence is: the profile of the options; the object's
// custom attribute or tag, or, for a host, that of its cluster; the first matching assignment; the object's
// configuration. A VM does not inherit from its host, because it moves between hosts.
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

// of returns the profile of an object.
func (c *chooser) of(o inventory.Object) choice {
	if c.forced != "" {
		return choice{profile: c.forced, why: "asked for"}
	}
	var a assigned
	if b := mark.TaggedOf(o); b != nil {
		a = c.ask(b)
	}
	found := choice{profile: a.profile, why: a.why}
	if a.profile == "" {
		found = profileOf(o)
		if a.why != "" {
			found.why = a.why + "; " + found.why
		}
	}
	return found.unless(&a.undecided)
}

// unless returns the choice of an object that may have other profiles, because marks that come first are unread.
func (c choice) unless(u *undecided) choice {
	if u.noMarks {
		c.why += "; not all tags and attributes were read"
	}
	rest := c.possible
	if len(rest) == 0 {
		rest = []Profile{c.profile}
	}
	others := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(u.possible))), func(p Profile) bool { return slices.Contains(rest, p) })
	if len(others) == 0 {
		return c
	}
	first := u.unread[0]
	why := fmt.Sprintf("%s was not read (%s), and may set the profile; without it: %s", first.Fact, first.Reason, c.why)
	return choice{profile: ProfileUnknown, why: why, possible: append(others, rest...), unread: append(u.unread, c.unread...)}
}

// ofFinding returns the profile of an object that has a finding.
func (c *chooser) ofFinding(f *Finding) choice {
	if f.Profile == ProfileUnknown {
		return c.of(f.object)
	}
	return choice{profile: f.Profile, why: f.ProfileWhy}
}

// assigned is the profile that users have set for an object, and those that they may have set by marks that were not read.
type assigned struct {
	undecided

	profile Profile // empty: none
	why     string
	decided bool
}

// blind adds the profiles that an unread mark may set; nil adds all. A mark that the source can never have adds none.
func (a *assigned) blind(gap inventory.Gap, possible ...Profile) {
	switch {
	case inventory.NotInSource(gap.Reason):
		a.noMarks = true
	case possible == nil:
		a.unless(Profiles(), gap)
	default:
		a.unless(possible, gap)
	}
}

func (c *chooser) ask(b mark.Tagged) assigned {
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
		if unread {
			a.blind(mark.Unread(b, mark.FactTags), p.Profile)
		}
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
	switch _, state, reason := h.ClusterID.Get(); state {
	case inventory.StateKnown:
		a.blind(inventory.GapOf(h, "Host.clusterId", "its cluster was not read"))
	case inventory.StateUnread:
		a.blind(inventory.GapOf(h, "Host.clusterId", reason))
	}
}

// askMarks uses an object's own marks. An invalid mark selects the automatic profile, because marks and assignments of
// lower precedence are not what the user meant.
func (c *chooser) askMarks(a *assigned, b mark.Tagged, whose string) {
	word, read := mark.Attribute(b, profileMark)
	if !read {
		a.blind(mark.Unread(b, mark.FactAttributes))
	}
	if word != "" {
		c.take(a, b, []string{word}, "custom attribute "+profileMark, whose)
		return
	}
	tags, read := mark.TagsOf(b)
	if !read {
		a.blind(mark.Unread(b, mark.FactTags))
	}
	if words := profileTags(tags); len(words) > 0 {
		c.take(a, b, words, "tag "+profileMark, whose)
	}
	for _, t := range tags {
		if category, word := mark.SplitTag(t); category == "" && !a.decided {
			if p, err := ParseProfile(strings.ToLower(word)); err == nil {
				a.blind(mark.Unread(b, mark.FactTags), p)
			}
		}
	}
}

func (c *chooser) take(a *assigned, b mark.Tagged, words []string, mark, whose string) {
	if len(words) > 1 {
		several := " names several profiles, " + strings.Join(words, " and ")
		c.refuse(a, b, mark+whose+several, mark+several)
		return
	}
	p, err := ParseProfile(strings.ToLower(words[0]))
	if err != nil {
		c.refuse(a, b, fmt.Sprintf("%s%s is %q, which is not a profile", mark, whose, words[0]), mark+": "+err.Error())
		return
	}
	a.decide(p, mark+whose)
}

func (a *assigned) decide(p Profile, why string) {
	a.profile, a.why, a.decided = p, why, true
}

// refuse gives the object its automatic profile, with the reason, and adds a warning.
func (c *chooser) refuse(a *assigned, b mark.Tagged, why, warning string) {
	a.decide("", why)
	c.wrong.Add(warning+"; the automatic profile is used", b)
}

// profileTags returns the profiles in tags of the category vperf.profile, and in tags named vperf.profile:PROFILE or
// vperf.profile=PROFILE of any category, each once.
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

// prepare determines the profile of a subject and its variables.
func (c *chooser) prepare(s *subject) {
	s.choice = c.of(s.object)
	s.place()
}

package mark

import (
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// Tagged is an object that can have tags and custom attributes: every managed object, but no device.
type Tagged interface {
	inventory.Object
	TagsAndAttributes() (tags inventory.Fact[[]string], attributes inventory.Fact[map[string]string])
}

// TaggedOf returns the object itself, or the owner of a device; nil if the owner was not read.
func TaggedOf(o inventory.Object) Tagged {
	if s, ok := o.(*inventory.Switch); ok && s.Host() != nil {
		return s.Host() // a standard switch is a part of its host
	}
	switch x := o.(type) {
	case Tagged:
		return x
	case interface{ VM() *inventory.VM }:
		if x.VM() != nil {
			return x.VM()
		}
	case interface{ Host() *inventory.Host }:
		if x.Host() != nil {
			return x.Host()
		}
	}
	return nil
}

// TaggedTypes maps the scope of a rule to the Go type of the objects whose marks apply.
var TaggedTypes = map[inventory.Scope]string{
	inventory.ScopeVCenter: "VCenter", inventory.ScopeCluster: "Cluster", inventory.ScopePool: "Pool", inventory.ScopeSwitch: "Switch",
	inventory.ScopeDatastore: "Datastore",
	inventory.ScopeHost:      "Host", inventory.ScopePNIC: "Host", inventory.ScopeVMKNIC: "Host", inventory.ScopeHBA: "Host",
	inventory.ScopeLUN: "Host",
	inventory.ScopeVM:  "VM", inventory.ScopeVNIC: "VM", inventory.ScopeVDisk: "VM",
}

// The facts that contain marks, without their object.
const (
	FactTags       = "tags"
	FactAttributes = "attributes"
)

// Attribute returns a custom attribute of an object; read is false if the attributes could not be read.
func Attribute(b Tagged, name string) (value string, read bool) {
	_, attributes := b.TagsAndAttributes()
	all, state, _ := attributes.Get()
	return strings.TrimSpace(all[name]), state != inventory.StateUnread
}

// TagsOf returns the tags of an object; read is false if they could not be read. An ESXi host that was read directly
// has none.
func TagsOf(b Tagged) (tags []string, read bool) {
	fact, _ := b.TagsAndAttributes()
	tags, state, _ := fact.Get()
	return tags, state != inventory.StateUnread
}

// Unread returns the gap of the tags or attributes of an object that were not read, or not completely.
func Unread(b Tagged, fact string) inventory.Gap {
	tags, attributes := b.TagsAndAttributes()
	_, state, reason := tags.Get()
	if fact == FactAttributes {
		_, state, reason = attributes.Get()
	}
	if state != inventory.StateUnread {
		reason = "the category of a tag was not read"
	}
	return inventory.GapOf(b, TaggedTypes[b.Ref().Kind]+"."+fact, reason)
}

// SplitTag splits CATEGORY/NAME; the category is "" if it was not read.
func SplitTag(tag string) (category, name string) {
	category, name, found := strings.Cut(tag, "/")
	if !found {
		return "", tag
	}
	return category, name
}

// Pick selects objects; all conditions that are set must match.
type Pick struct {
	Name  Glob            // matches the name or inventory path of the object or its owner
	Scope inventory.Scope // the kind of the object
	Tag   Glob            // matches CATEGORY/NAME, or NAME alone if the pattern has no slash; a device has its owner's tags
	On    Tagged          // this object, and its devices
}

// Fits reports whether Pick selects the object. If that depends on unread tags, fits is false and unread is true.
func (p Pick) Fits(o inventory.Object) (fits, unread bool) {
	b := TaggedOf(o)
	if p.On != nil && p.On != b || p.Scope != "" && p.Scope != o.Ref().Kind || p.Name.given() && !p.Name.Matches(namesOf(o, b)...) {
		return false, false
	}
	if !p.Tag.given() {
		return true, false
	}
	if b == nil {
		return false, true
	}
	return p.tagged(b)
}

func namesOf(o inventory.Object, b Tagged) []string {
	r := o.Ref()
	names := []string{r.Name, r.Path}
	if b != nil && b != o {
		names = append(names, b.Ref().Name, b.Ref().Path)
	}
	return names
}

func (p Pick) tagged(b Tagged) (fits, unread bool) {
	tags, read := TagsOf(b)
	wantCategory := strings.Contains(p.Tag.text, "/")
	for _, t := range tags {
		category, name := SplitTag(t)
		switch {
		case p.Tag.Matches(t), !wantCategory && p.Tag.Matches(name):
			return true, false
		case wantCategory && category == "":
			_, want := SplitTag(p.Tag.text)
			unread = unread || NewGlob(want).Matches(name)
		}
	}
	return false, unread || !read
}

// String formats the conditions for messages.
func (p Pick) String() string {
	var parts []string
	if p.Scope != "" {
		parts = append(parts, string(p.Scope))
	}
	if p.Name.given() {
		parts = append(parts, p.Name.text)
	}
	if p.Tag.given() {
		parts = append(parts, "tag "+p.Tag.text)
	}
	if p.On != nil {
		parts = append(parts, string(p.On.Ref().Kind)+" "+p.On.Ref().Name)
	}
	return strings.Join(parts, ", ")
}

// OwnerOf returns the host or VM that has a device; any other object is its own owner.
func OwnerOf(o inventory.Object) inventory.Object {
	if b := TaggedOf(o); b != nil {
		return b
	}
	return o
}

package advice

import (
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// bearer is an object that people can attach tags and custom attributes to: every managed object, and no device.
type bearer interface {
	inventory.Object
	Marks() (tags inventory.Fact[[]string], attributes inventory.Fact[map[string]string])
}

// bearerOf is the object itself, or the owner of a device; nil where the owner was not read.
func bearerOf(o inventory.Object) bearer {
	if s, ok := o.(*inventory.Switch); ok && s.Host() != nil {
		return s.Host() // a standard switch is a part of its host
	}
	switch x := o.(type) {
	case bearer:
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

// bearerTypes name, by the scope of a rule, the Go type of the objects whose marks count for it.
var bearerTypes = map[inventory.Scope]string{
	inventory.ScopeVCenter: "VCenter", inventory.ScopeCluster: "Cluster", inventory.ScopePool: "Pool", inventory.ScopeSwitch: "Switch",
	inventory.ScopeDatastore: "Datastore",
	inventory.ScopeHost:      "Host", inventory.ScopePNIC: "Host", inventory.ScopeVMKNIC: "Host", inventory.ScopeHBA: "Host",
	inventory.ScopeLUN: "Host",
	inventory.ScopeVM:  "VM", inventory.ScopeVNIC: "VM", inventory.ScopeVDisk: "VM",
}

const (
	factTags       = "tags"
	factAttributes = "attributes"
)

// attribute is a custom attribute of an object; read is false when nobody could look.
func attribute(b bearer, name string) (value string, read bool) {
	_, attributes := b.Marks()
	all, state, _ := attributes.Get()
	return strings.TrimSpace(all[name]), state != inventory.StateUnread
}

// tagsOf are the tags of an object; read is false when nobody could look. An ESXi host that was asked directly has none.
func tagsOf(b bearer) (tags []string, read bool) {
	fact, _ := b.Marks()
	tags, state, _ := fact.Get()
	return tags, state != inventory.StateUnread
}

// splitTag parts CATEGORY/NAME; a tag whose category was not read has none.
func splitTag(tag string) (category, name string) {
	category, name, found := strings.Cut(tag, "/")
	if !found {
		return "", tag
	}
	return category, name
}

// pick says which objects an entry is about; each condition given has to hold.
type pick struct {
	name  glob            // over name or inventory path; a device is also meant by its owner's
	scope inventory.Scope // the kind of the object
	tag   glob            // over CATEGORY/NAME, or NAME alone where the pattern has no slash; a device has its owner's
	on    bearer          // this one, and its devices
}

// fits reports whether the object is meant. Where that turns on tags nobody read it is not, and unread says so.
func (p pick) fits(o inventory.Object) (fits, unread bool) {
	b := bearerOf(o)
	if p.on != nil && p.on != b || p.scope != "" && p.scope != o.Ref().Kind || p.name.given() && !p.name.matches(namesOf(o, b)...) {
		return false, false
	}
	if !p.tag.given() {
		return true, false
	}
	if b == nil {
		return false, true
	}
	return p.tagged(b)
}

func namesOf(o inventory.Object, b bearer) []string {
	r := o.Ref()
	names := []string{r.Name, r.Path}
	if b != nil && b != o {
		names = append(names, b.Ref().Name, b.Ref().Path)
	}
	return names
}

func (p pick) tagged(b bearer) (fits, unread bool) {
	tags, read := tagsOf(b)
	wantCategory := strings.Contains(p.tag.text, "/")
	for _, t := range tags {
		category, name := splitTag(t)
		switch {
		case p.tag.matches(t), !wantCategory && p.tag.matches(name):
			return true, false
		case wantCategory && category == "":
			_, want := splitTag(p.tag.text)
			unread = unread || newGlob(want).matches(name)
		}
	}
	return false, unread || !read
}

// String is the pattern for people.
func (p pick) String() string {
	var parts []string
	if p.scope != "" {
		parts = append(parts, string(p.scope))
	}
	if p.name.given() {
		parts = append(parts, p.name.text)
	}
	if p.tag.given() {
		parts = append(parts, "tag "+p.tag.text)
	}
	if p.on != nil {
		parts = append(parts, string(p.on.Ref().Kind)+" "+p.on.Ref().Name)
	}
	return strings.Join(parts, ", ")
}

// ownerOf is the host or VM that has a device; any other object is its own.
func ownerOf(o inventory.Object) inventory.Object {
	if b := bearerOf(o); b != nil {
		return b
	}
	return o
}

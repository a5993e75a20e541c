package condition

import (
	"context"
	"fmt"
	"strings"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// protectMark is the custom attribute, the tag or the tag category that protects an object from changes. The value of the
// attribute does not matter as long as it is not empty.
const protectMark = tagging.Prefix + "protect"

// untouchable returns why an object must not be changed, or "".
func (v *survey) untouchable(p *property.Props) string {
	checks := []func(*property.Props) string{v.marked, v.named}
	switch {
	case p.Ref.Type == property.TypeVM:
		checks = append([]func(*property.Props) string{tree.VMUnreadReason, isTemplate, managedVM, appliance, v.isVCenter, locked, vmState}, checks...)
	case p.Ref.Type == property.TypeHost:
		checks = append([]func(*property.Props) string{pseudoHost, tree.HostUnreadReason, HostState}, checks...)
	case p.Ref.Type == property.TypeDatastore:
		checks = append([]func(*property.Props) string{storeState}, checks...)
	case property.IsSwitch(p.Ref):
		checks = append([]func(*property.Props) string{switchState}, checks...)
	}
	for _, check := range checks {
		if reason := check(p); reason != "" {
			return reason
		}
	}
	return ""
}

// named reports an object whose name the configuration file protects.
func (v *survey) named(p *property.Props) string {
	for _, n := range v.protected {
		if n.regexp.MatchString(tree.NameOf(p)) {
			return fmt.Sprintf("its name matches %q, which the config file protects", n.text)
		}
	}
	return ""
}

func (v *survey) isVCenter(p *property.Props) string {
	if v.vcenter.Is(p) {
		return "this vCenter runs in it"
	}
	return ""
}

// marked reports an object that users protected with protectMark. A tag's name is CATEGORY/NAME, and either part can be the mark.
func (v *survey) marked(p *property.Props) string {
	attributes, _ := tagging.Numbered(p).Value()
	names, _ := v.fields.Value()
	for number, text := range attributes {
		if names[number] == protectMark && text != "" {
			return fmt.Sprintf("its custom attribute %s protects it (%s)", protectMark, session.Plain(text))
		}
	}
	tags, _ := v.tags.Value()
	for _, tag := range tags[p.Ref].Names {
		category, name, _ := strings.Cut(tag, "/")
		if category == protectMark || name == protectMark {
			return "its tag " + session.Plain(tag) + " protects it"
		}
	}
	return ""
}

// readMarks reads tags over REST and, in the same session, which clusters a configuration profile owns.
func (v *survey) readMarks(ctx context.Context, _ []tuning.Target) error {
	v.tags = inventory.Absent[map[ref]tagging.Tagged]()
	v.owners = newOwners()
	if !v.Client().IsVC() || len(v.objects) == 0 {
		return nil
	}
	c, err := v.OpenREST(ctx)
	if err == nil {
		defer v.CloseREST(ctx, c)
	}
	var all []ref
	for _, p := range v.objects {
		all = append(all, p.Ref)
	}
	v.tags = tagging.Tags(ctx, v.Session, c, err, all, func(int) {})
	v.readProfiles(ctx, c, err)
	if ctx.Err() != nil {
		return v.Interrupted(ctx, session.RESTTags)
	}
	return nil
}

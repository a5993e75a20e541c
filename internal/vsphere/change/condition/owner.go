package condition

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/vmware/govmomi/vapi/esx/settings/clusters"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

const (
	pathStateless = "config.deploymentInfo.bootedFromStatelessCache"
	pathManager   = "summary.managementServerIp"
)

// profilesFrom is the first release with configuration profiles.
var profilesFrom = inventory.Version{Major: 8}

// readProfiles asks for each cluster whether a configuration profile of the cluster configures its hosts. A vCenter before 8.0
// has no such profiles.
func (v *survey) readProfiles(ctx context.Context, c *rest.Client, failed error) {
	version, known := tree.ParseVersion(v.Client().ServiceContent.About.Version).Value()
	if known && !version.AtLeast(profilesFrom) {
		return
	}
	for id := range v.ownable() {
		if failed != nil {
			v.owners.profiled[id] = inventory.Unread[bool](session.RESTCause(failed))
			continue
		}
		v.owners.profiled[id] = v.readProfile(ctx, c, id)
	}
}

// ownable returns the clusters among the targets and the clusters of the hosts among them.
func (v *survey) ownable() map[string]bool {
	all := map[string]bool{}
	for _, p := range v.objects {
		if _, cluster := v.place(p); cluster != "" && (p.Ref.Type == property.TypeHost || property.IsCluster(p.Ref)) {
			all[cluster] = true
		}
	}
	return all
}

// readProfile reads whether a configuration profile owns a cluster. A vCenter that does not know the call, as some of 8.0 do not,
// has no profiles yet.
func (v *survey) readProfile(ctx context.Context, c *rest.Client, cluster string) inventory.Fact[bool] {
	var reported struct{ Enabled *bool }
	err := v.REST(ctx, session.RESTProfiles, func(ctx context.Context) error {
		path := c.Resource(fmt.Sprintf(clusters.BasePath+"/%s/enablement/configuration", cluster))
		return c.Do(ctx, path.Request(http.MethodGet), &reported)
	})
	switch {
	case session.HasStatus(err, http.StatusNotFound):
		return inventory.Absent[bool]()
	case err != nil:
		return inventory.Unread[bool](session.RESTCause(err))
	case reported.Enabled == nil:
		return inventory.Unread[bool]("the vCenter does not report it")
	}
	return inventory.Known(*reported.Enabled)
}

// readOwners finds host profiles and whether SDDC Manager is registered. They own hosts, clusters and switches, never VMs.
func (v *survey) readOwners(ctx context.Context, targets []tuning.Target) error {
	if !v.Client().IsVC() || !slices.ContainsFunc(targets, func(t tuning.Target) bool { return owned(t.Kind) }) {
		return nil
	}
	v.owners.profiles = v.readHostProfiles(ctx)
	v.owners.manager = v.readSDDCManager(ctx)
	if ctx.Err() != nil {
		return v.Interrupted(ctx, "RetrievePropertiesEx")
	}
	return nil
}

// owned reports whether host profiles or managers can own the settings of objects of this type.
func owned(k inventory.Scope) bool {
	return k == inventory.ScopeHost || k == inventory.ScopeCluster || k == inventory.ScopeSwitch
}

// readHostProfiles lists the objects that host profiles are attached to. A profile that cannot be read completely could be
// attached to any object.
func (v *survey) readHostProfiles(ctx context.Context) inventory.Fact[map[string]string] {
	manager := v.Client().ServiceContent.HostProfileManager
	if manager == nil {
		return inventory.Absent[map[string]string]()
	}
	from := []types.ObjectSpec{{Obj: *manager, SelectSet: []types.BaseSelectionSpec{property.Traverse("HostProfileManager", "profile")}}}
	found, err := property.Objects(ctx, v.Session, "host profiles", from,
		types.PropertySpec{Type: "HostProfileManager", PathSet: []string{"profile"}},
		types.PropertySpec{Type: "HostProfile", PathSet: []string{tree.PathName, "entity"}})
	if err != nil {
		return inventory.Unread[map[string]string](session.Cause(errors.Unwrap(err)))
	}
	all := map[string]string{}
	for _, p := range found {
		list := property.Read(p, "profile", property.IDs, property.DefaultTo([]string{}))
		if p.Ref.Type == "HostProfile" {
			list = property.Read(p, "entity", property.IDs, property.DefaultTo([]string{}))
		}
		ids, state, reason := list.Get()
		if state == inventory.StateUnread {
			return inventory.Unread[map[string]string](reason)
		}
		for _, id := range ids {
			if p.Ref.Type == "HostProfile" {
				all[id] = tree.NameOf(p)
			}
		}
	}
	return inventory.Known(all)
}

// sddcManager is the extension that SDDC Manager registers with the vCenters of its domains.
const sddcManager = "com.vmware.sddcManager"

func (v *survey) readSDDCManager(ctx context.Context) inventory.Fact[bool] {
	manager := v.Client().ServiceContent.ExtensionManager
	if manager == nil {
		return inventory.Absent[bool]()
	}
	res, err := methods.FindExtension(ctx, v, &types.FindExtension{This: *manager, ExtensionKey: sddcManager})
	if err != nil {
		return inventory.Unread[bool](session.Cause(err))
	}
	return inventory.Known(res.Returnval != nil)
}

// own sets who owns a target's settings, the closest owner first, and where the change has to be made.
func (v *survey) own(c *tuning.Condition, p *property.Props) {
	if !owned(c.Target.Kind) {
		return
	}
	profiled, _ := v.owners.profiled[c.Cluster].Value()
	profiles, _ := v.owners.profiles.Value()
	attached := profiles[p.Ref.Value]
	if attached == "" {
		attached = profiles[c.Cluster]
	}
	stateless, _ := property.Read(p, pathStateless, property.Bool, property.AbsentIfUnset).Value()
	managed, _ := v.owners.manager.Value()
	isHost := p.Ref.Type == property.TypeHost
	switch {
	case profiled:
		name := session.Plain(v.names[c.Cluster])
		c.Owner = "the configuration profile of cluster " + name
		c.Place = "the desired state of cluster " + name + " (Configure, Desired State, Configuration)"
	case isHost && attached != "":
		c.Owner = "host profile " + session.Plain(attached)
		c.Place = "host profile " + session.Plain(attached) + " (Policies and Profiles, Host Profiles)"
	case isHost && stateless:
		c.Owner = "Auto Deploy, which starts the host without a configuration of its own"
		c.Place = "the host profile that Auto Deploy's rules give the host"
	case managed:
		c.Owner = "SDDC Manager"
		c.Place = "SDDC Manager, or the design of its domain"
	}
}

// doubts lists the checks that could not be made on an object without known obstacles.
func (v *survey) doubts(p *property.Props) []string {
	texts := []string{Gap(tagging.Of(v.tags, p.Ref), "its tags")}
	if v.Client().IsVC() {
		texts = append(texts, Gap(tagging.Named(tagging.Numbered(p), v.fields, inventory.Needs{}), "its custom attributes"))
	}
	switch {
	case p.Ref.Type == property.TypeVM:
		texts = append(texts, v.vcenter.doubt())
	case p.Ref.Type == property.TypeHost, property.IsCluster(p.Ref), property.IsSwitch(p.Ref):
		texts = append(texts, v.ownerDoubts(p)...)
	}
	var all []string
	for _, text := range texts {
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// ownerDoubts lists the ownership checks that could not be made; it is empty if there are none.
func (v *survey) ownerDoubts(p *property.Props) []string {
	var texts []string
	_, cluster := v.place(p)
	if profiled, asked := v.owners.profiled[cluster]; asked {
		texts = append(texts, Gap(profiled, "whether a configuration profile owns it"))
	}
	texts = append(texts, Gap(v.owners.manager, "whether SDDC Manager owns it"))
	if p.Ref.Type != property.TypeHost {
		return texts
	}
	texts = append(texts, Gap(v.owners.profiles, "whether a host profile owns it"),
		Gap(property.Read(p, pathStateless, property.Bool, property.AbsentIfUnset), "whether it was started by Auto Deploy"))
	if by, _ := property.Read(p, pathManager, property.Text, property.AbsentIfUnset).Value(); reachable(by) != nil && !v.Client().IsVC() {
		texts = append(texts, "the vCenter "+session.Plain(by)+" manages the host; vperf cannot see from here whether a profile there owns its settings")
	}
	return texts
}

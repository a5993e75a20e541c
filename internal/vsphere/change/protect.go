package change

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/marks"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

const (
	pathManagedBy  = "config.managedBy"
	pathDisabled   = "disabledMethod"
	pathFT         = "runtime.faultToleranceState"
	pathQuestion   = "runtime.question"
	pathBIOS       = "config.uuid"
	pathGuestName  = "guest.hostName"
	pathGuestState = "guest.guestState"
	pathGuestIP    = "guest.ipAddress"
	pathStandby    = "runtime.standbyMode"
	pathQuarantine = "runtime.inQuarantineMode"
)

// protectMark is the custom attribute, the tag or the category of tags that keeps an object from being changed. What an
// attribute says does not count, so long as it says something.
const protectMark = marks.Prefix + "protect"

// namePattern is a pattern with its text, for who wants to know why.
type namePattern struct {
	text   string
	regexp *regexp.Regexp
}

var wildcards = strings.NewReplacer(`\*`, ".*", `\?`, ".")

func newNamePattern(text string) namePattern {
	quoted := regexp.QuoteMeta(strings.ToValidUTF8(text, "\uFFFD"))
	return namePattern{text, regexp.MustCompile("(?is)^" + wildcards.Replace(quoted) + "$")}
}

// untouchable is why an object must not be changed, or "".
func (v *survey) untouchable(p *property.Props) string {
	checks := []func(*property.Props) string{v.marked, v.named}
	switch {
	case p.Ref.Type == property.TypeVM:
		checks = append([]func(*property.Props) string{tree.VMDown, isTemplate, managedVM, appliance, v.isVCenter, locked, vmState}, checks...)
	case p.Ref.Type == property.TypeHost:
		checks = append([]func(*property.Props) string{pseudoHost, tree.HostDown, hostState}, checks...)
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

// gapIn is why a fact that decides could not be read, or "".
func gapIn[T any](f inventory.Fact[T], what string) string {
	if _, state, reason := f.Get(); state == inventory.StateUnread {
		return what + " could not be read: " + reason
	}
	return ""
}

// isTemplate looks at the flag that every VM has: where it is missing nothing of the VM's configuration is known.
func isTemplate(p *property.Props) string {
	template := property.Read(p, tree.PathTemplate, property.Bool, property.Must)
	if is, _ := template.Value(); is {
		return "it is a template"
	}
	return gapIn(template, "whether it is a template")
}

// managedVM is a VM that somebody else looks after: an extension of vCenter, or vSphere itself, which names the VMs that it
// runs for a cluster.
func managedVM(p *property.Props) string {
	by := property.Read(p, pathManagedBy, property.As[types.ManagedByInfo], property.None)
	if m, is := by.Value(); is && (m.ExtensionKey != "" || m.Type != "") {
		return "it is managed by " + session.Plain(m.ExtensionKey) + " (" + session.Plain(m.Type) + ")"
	}
	if vmfacts.IsVCLS(tree.NameOf(p)) {
		return "it is a vCLS virtual machine, which vSphere runs for the cluster"
	}
	return gapIn(by, "whether it is managed")
}

// appliance is a VM that came with its software, whose maker says how it is run.
func appliance(p *property.Props) string {
	products := property.Read(p, vmfacts.PathProduct, property.As[types.ArrayOfVAppProductInfo], property.None)
	list, _ := products.Value()
	for _, product := range list.VAppProductInfo {
		if vmfacts.IsAppliance(product) {
			return "it is an appliance: " + session.Plain(product.Name)
		}
	}
	return gapIn(products, "what product it is")
}

// locked is a VM that the server itself keeps from being reconfigured, or whose twin or children would be hit.
func locked(p *property.Props) string {
	disabled := property.Read(p, pathDisabled, property.As[types.ArrayOfString], property.Means(types.ArrayOfString{}))
	list, _ := disabled.Value()
	pair, parent := property.Read(p, pathFT, property.Text, property.None), property.Read(p, vmfacts.PathFrozen, property.Bool, property.None)
	ft, _ := pair.Value()
	frozen, _ := parent.Value()
	switch {
	case slices.Contains(list.String, "ReconfigVM_Task"):
		return "the server does not let it be reconfigured (disabledMethod has ReconfigVM_Task)"
	case ft != "" && ft != string(types.VirtualMachineFaultToleranceStateNotConfigured):
		return "it is one of a pair of Fault Tolerance (" + session.Plain(ft) + ")"
	case frozen:
		return "it is frozen, as a parent of instant clones"
	}
	return cmp.Or(gapIn(disabled, "what the server lets be done with it"), gapIn(pair, "whether it is fault tolerant"),
		gapIn(parent, "whether it is a parent of instant clones"))
}

// vmState: a suspended VM would wake up in another one, and one that asks something does nothing else.
func vmState(p *property.Props) string {
	question := property.Read(p, pathQuestion, property.As[types.VirtualMachineQuestionInfo], property.None)
	if q, asks := question.Value(); asks {
		return "it waits for the answer to a question: " + session.Plain(q.Text)
	}
	power := property.Read(p, tree.PathPower, property.Text, property.Must)
	switch state, known := power.Value(); {
	case state == string(types.VirtualMachinePowerStateSuspended):
		return "it is suspended"
	case known && state != string(types.VirtualMachinePowerStatePoweredOn) && state != string(types.VirtualMachinePowerStatePoweredOff):
		return "its power state is " + session.Plain(state)
	}
	return cmp.Or(gapIn(power, "its power state"), gapIn(question, "whether it asks something"),
		gapIn(property.Read(p, tree.PathConnection, property.Text, property.Must), "whether its host can use it"))
}

func pseudoHost(p *property.Props) string {
	h := new(inventory.Host)
	hostfacts.FillKind(p, h)
	if kind, _ := h.Kind.Value(); kind == inventory.HostPseudo {
		model, _ := property.Read(p, hostfacts.PathModel, property.Text, property.Must).Value()
		return "it is no ESXi host, it only looks like one (" + session.Plain(model) + ")"
	}
	return gapIn(h.Kind, "what kind of host it is")
}

func hostState(p *property.Props) string {
	sleep, ward := property.Read(p, pathStandby, property.Text, property.None), property.Read(p, pathQuarantine, property.Bool, property.None)
	standby, _ := sleep.Value()
	quarantine, _ := ward.Value()
	power := property.Read(p, tree.PathPower, property.Text, property.Must)
	state, known := power.Value()
	switch {
	case standby != "" && standby != string(types.HostStandbyModeNone), state == string(types.HostSystemPowerStateStandBy):
		return "it is in standby"
	case quarantine:
		return "it is in quarantine"
	case known && state != string(types.HostSystemPowerStatePoweredOn):
		return "its power state is " + session.Plain(state)
	}
	return cmp.Or(gapIn(power, "its power state"), gapIn(sleep, "whether it is in standby"), gapIn(ward, "whether it is in quarantine"))
}

func storeState(p *property.Props) string {
	accessible := property.Read(p, estatefacts.PathAccessible, property.Bool, property.Must)
	maintenance := property.Read(p, estatefacts.PathUpkeep, property.Text, property.None)
	upkeep, _ := maintenance.Value()
	is, known := accessible.Value()
	switch {
	case known && !is:
		return "no host reaches the datastore"
	case upkeep != "" && upkeep != string(types.DatastoreSummaryMaintenanceModeStateNormal):
		return "the datastore is in maintenance (" + session.Plain(upkeep) + ")"
	}
	return cmp.Or(gapIn(accessible, "whether a host reaches the datastore"), gapIn(maintenance, "whether the datastore is in maintenance"))
}

func switchState(p *property.Props) string {
	return gapIn(property.Read(p, estatefacts.PathUUID, property.Text, property.Must), "the switch")
}

// named is an object whose name the configuration file protects.
func (v *survey) named(p *property.Props) string {
	for _, n := range v.protected {
		if n.regexp.MatchString(tree.NameOf(p)) {
			return fmt.Sprintf("its name matches %q, which the config file protects", n.text)
		}
	}
	return ""
}

// ownVM is how the VM that this vCenter runs in can be known.
type ownVM struct {
	bios  inventory.Fact[string] // the UUID of the machine, as its vCenter sees it
	names []string               // what its guest calls itself, and its addresses
}

// readOwnVM asks the vCenter what machine it runs on. A host by itself runs none that it would know of.
func (v *survey) readOwnVM(ctx context.Context, targets []tuning.Target) error {
	if !slices.ContainsFunc(targets, func(t tuning.Target) bool { return t.Kind == inventory.ScopeVM }) {
		return nil
	}
	var err error
	v.vcenter, err = v.ownVM(ctx)
	return err
}

// ownVM: a vCenter's settings have the BIOS UUID of the machine that it was installed on. A user without the right to
// see them has to do with the name that it is reached by.
func (s *estate) ownVM(ctx context.Context) (ownVM, error) {
	own := ownVM{bios: inventory.Absent[string](), names: reachable(s.Hostname())}
	if !s.Client().IsVC() {
		return ownVM{bios: own.bios}, nil
	}
	own.bios = inventory.Unread[string]("the vCenter does not say what machine it runs on")
	setting := s.Client().ServiceContent.Setting
	if setting == nil {
		return own, nil
	}
	res, err := methods.QueryOptions(ctx, s, &types.QueryOptions{This: *setting, Name: "VirtualCenter."})
	switch {
	case ctx.Err() != nil:
		return own, err
	case err != nil:
		own.bios = inventory.Unread[string](session.Why(err))
		return own, nil
	}
	for _, o := range res.Returnval {
		text, _ := o.GetOptionValue().Value.(string)
		switch key := o.GetOptionValue().Key; {
		case text == "":
		case key == "VirtualCenter.HostBiosUuid":
			own.bios = inventory.Known(text)
		case key == session.FqdnOption, key == "VirtualCenter.AutoManagedIPV4", key == "VirtualCenter.ManagedIP":
			own.names = append(own.names, reachable(text)...)
		}
	}
	return own, nil
}

// reachable leaves out names and addresses that every machine has of itself, such as those of a tunnel to the vCenter.
func reachable(name string) []string {
	if ip := net.ParseIP(name); name == "" || strings.EqualFold(name, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return nil
	}
	return []string{name}
}

// is reports whether a VM is the one.
func (o ownVM) is(p *property.Props) bool {
	bios, _ := property.Read(p, pathBIOS, property.Text, property.Must).Value()
	name, _ := property.Read(p, pathGuestName, property.Text, property.None).Value()
	address, _ := property.Read(p, pathGuestIP, property.Text, property.None).Value()
	if own, known := o.bios.Value(); known && strings.EqualFold(own, bios) {
		return true
	}
	return slices.ContainsFunc(o.names, func(n string) bool { return strings.EqualFold(n, name) || n == address })
}

func (v *survey) isVCenter(p *property.Props) string {
	if v.vcenter.is(p) {
		return "this vCenter runs in it"
	}
	return ""
}

// marked is an object that people put the mark on. A tag's name is CATEGORY/NAME, and either can be the mark.
func (v *survey) marked(p *property.Props) string {
	attributes, _ := marks.Named(marks.Numbered(p), v.fields).Value()
	if text := attributes[protectMark]; text != "" {
		return fmt.Sprintf("its custom attribute %s protects it (%s)", protectMark, session.Plain(text))
	}
	tags, _ := v.tags.Value()
	for _, tag := range tags[p.Ref] {
		category, name, _ := strings.Cut(tag, "/")
		if category == protectMark || name == protectMark {
			return "its tag " + session.Plain(tag) + " protects it"
		}
	}
	return ""
}

// readMarks reads tags over REST, and with the same session which clusters a configuration profile owns.
func (v *survey) readMarks(ctx context.Context, _ []tuning.Target) error {
	v.tags = inventory.Absent[map[ref][]string]()
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
	v.tags = marks.Tags(ctx, v.Session, c, err, all, func(int) {})
	v.readProfiles(ctx, c, err)
	if ctx.Err() != nil {
		return v.Interrupted(ctx, session.RESTTags)
	}
	return nil
}

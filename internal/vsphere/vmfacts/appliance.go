package vmfacts

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Properties that show whether a VM is an appliance.
const (
	pathAnnotation = "config.annotation"
	PathProduct    = "config.vAppConfig.product"
)

// applianceNotes are prefixes of the annotations that vendors give their appliances. Other annotations are written by users, and
// are dropped here.
var applianceNotes = []string{"VMware vCenter Server Appliance", "vSphere Cluster Service VM is deployed from an OVA"}

// fillAppliance keeps the first evidence that a VM is an appliance. Evidence is valid even if other properties were not read.
func fillAppliance(p *property.Props, v *vm) {
	key := property.Read(p, "config.managedBy.extensionKey", property.Text, property.DefaultTo(""))
	products := property.Read(p, PathProduct, property.As[types.ArrayOfVAppProductInfo], property.DefaultTo(types.ArrayOfVAppProductInfo{}))
	note := property.Read(p, pathAnnotation, property.Text, property.DefaultTo(""))
	for _, shown := range []string{managerEvidence(key), productEvidence(products), noteEvidence(note), vclsEvidence(tree.NameOf(p))} {
		if shown != "" {
			v.Appliance = inventory.Known(shown)
			return
		}
	}
	v.Appliance = property.Then(key, func(string) inventory.Fact[string] {
		return property.Then(products, func(types.ArrayOfVAppProductInfo) inventory.Fact[string] {
			return property.Then(note, func(string) inventory.Fact[string] { return inventory.Known("") })
		})
	})
}

func managerEvidence(key inventory.Fact[string]) string {
	if k, _ := key.Value(); k != "" {
		return "managed by " + session.Plain(k)
	}
	return ""
}

func productEvidence(products inventory.Fact[types.ArrayOfVAppProductInfo]) string {
	list, _ := products.Value()
	for _, product := range list.VAppProductInfo {
		if IsAppliance(product) {
			return strings.TrimSuffix("OVF product "+session.Plain(product.Name)+" of "+session.Plain(product.Vendor), " of ")
		}
	}
	return ""
}

func noteEvidence(note inventory.Fact[string]) string {
	text, _ := note.Value()
	for _, begin := range applianceNotes {
		if strings.HasPrefix(text, begin) {
			return "annotation " + begin
		}
	}
	return ""
}

func vclsEvidence(name string) string {
	if IsVCLS(name) {
		return "vCLS virtual machine, which vSphere runs for the cluster"
	}
	return ""
}

// appliancePatterns are names and guests of appliances whose OVF leaves no other evidence, such as NSX Manager's.
var appliancePatterns = []struct {
	name, guest *regexp.Regexp
	maker       string
}{
	{regexp.MustCompile(`(?i)\bnsx[-_ ]?(t[-_ ]?)?(edge|manager|mgr|controller)`), regexp.MustCompile(`(?i)ubuntu|linux`), "NSX"},
	{regexp.MustCompile(`(?i)\bhcx[-_ ]`), regexp.MustCompile(`(?i)linux|photon`), "HCX"},
	{regexp.MustCompile(`(?i)\b(vcsa|vcenter)\b`), regexp.MustCompile(`(?i)linux|photon`), "vCenter Server"},
}

// fillMaybeAppliance checks name and guest, which prove nothing.
func fillMaybeAppliance(p *property.Props, v *vm) {
	name := tree.NameOf(p)
	v.MaybeAppliance = property.Then(property.Read(p, tree.PathGuest, property.Text, property.Required), func(guest string) inventory.Fact[string] {
		for _, pattern := range appliancePatterns {
			if pattern.name.MatchString(name) && pattern.guest.MatchString(guest) {
				return inventory.Known("the name and the guest " + session.Plain(guest) + " look like " + pattern.maker)
			}
		}
		return inventory.Known("")
	})
}

// vdiName matches the names of the VMs from which Horizon makes clones.
var vdiName = regexp.MustCompile(`^cp-(parent|replica|template)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func fillVDIRole(p *property.Props, v *vm) { v.VDIRole = inventory.Known(VDIRole(tree.NameOf(p))) }

// VDIRole returns the role that the name of a VM shows: template, replica or parent of Horizon's clones, or "".
func VDIRole(name string) string {
	if found := vdiName.FindStringSubmatch(name); found != nil {
		return found[1]
	}
	return ""
}

// IsNamedAsAppliance reports whether the name of a VM is one that appliances have. With certain guests it may be one.
func IsNamedAsAppliance(name string) bool {
	for _, pattern := range appliancePatterns {
		if pattern.name.MatchString(name) {
			return true
		}
	}
	return false
}

// EvidenceOf returns the evidence for an appliance in the name and in the annotation of a VM, or "".
func EvidenceOf(name, annotation string) string {
	return cmp.Or(noteEvidence(inventory.Known(annotation)), vclsEvidence(name))
}

// IsVCLS reports whether a VM of this name is a vSphere Cluster Services VM: the names are vCLS-UUID, and vCLS (1) in 7.0.
func IsVCLS(name string) bool {
	return strings.HasPrefix(name, "vCLS-") || strings.HasPrefix(name, "vCLS (")
}

// applianceNames are parts of the product names of known appliances of any vendor.
var applianceNames = []string{
	"nsx", "vshield", "vcenter", "hcx", "sddc manager", "cloud foundation", "cloud director", "site recovery", "vsphere replication",
	"vrealize", "aria ", "vcf ", "log insight", "identity manager", "workspace one", "unified access gateway", "horizon", "data protection",
	"avi ", "ontap", "nutanix", "zerto", "rubrik", "cohesity", "veeam",
}

// IsAppliance recognizes VMware's products, except its Linux, from which users build their own VMs.
func IsAppliance(p types.VAppProductInfo) bool {
	name, vendor := strings.ToLower(p.Name)+" ", strings.ToLower(p.Vendor)
	if strings.Contains(name, "photon") {
		return false
	}
	return strings.HasPrefix(vendor, "vmware") || strings.HasPrefix(vendor, "broadcom") ||
		slices.ContainsFunc(applianceNames, func(part string) bool { return strings.Contains(name, part) })
}

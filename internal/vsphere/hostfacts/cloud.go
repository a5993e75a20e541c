package hostfacts

import (
	"regexp"
	"strings"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// cloudDomains are the DNS domains that providers give to the hosts of their clouds.
var cloudDomains = []struct{ suffix, cloud string }{
	{"vmwarevmc.com", inventory.CloudVMC},
	{"avs.azure.com", inventory.CloudAVS},
	{"gve.goog", inventory.CloudGCVE},
	{"oci.oraclecloud.com", inventory.CloudOCVS},
}

// ec2Model begins the models of bare metal of AWS; vmcModel matches those that only VMware Cloud on AWS runs ESXi on. Amazon EVS,
// whose customers administer ESXi, began with later ones.
const ec2Model = "Amazon EC2"

var vmcModel = regexp.MustCompile(`^Amazon EC2 (i3|i3en|r5)\.metal$`)

// fillCloud recognises the cloud of a host by its model and its DNS domain. A domain that was not read leaves the model to tell.
func fillCloud(p *property.Props, h *host) {
	domain, _ := property.Read(p, tree.PathDNSDomain, property.Text, property.Means("")).Value()
	model := property.Read(p, PathModel, property.Text, property.Must)
	found := func(pick func(cloud, evidence string) string) inventory.Fact[string] {
		return property.Then(model, func(model string) inventory.Fact[string] {
			return inventory.Known(pick(cloudOf(model, domain)))
		})
	}
	h.Cloud = found(func(cloud, _ string) string { return cloud })
	h.CloudEvidence = found(func(_, evidence string) string { return evidence })
}

// cloudOf is the cloud that a model or a domain shows, and what showed it; both are "" where neither does.
func cloudOf(model, domain string) (cloud, evidence string) {
	for _, d := range cloudDomains {
		if at := strings.ToLower(domain); at == d.suffix || strings.HasSuffix(at, "."+d.suffix) {
			return d.cloud, "DNS domain below " + d.suffix // the rest of it says who the customer is
		}
	}
	switch {
	case vmcModel.MatchString(model):
		return inventory.CloudVMC, "model " + session.Plain(model)
	case strings.HasPrefix(model, ec2Model):
		return inventory.CloudEC2, "model " + session.Plain(model)
	}
	return "", ""
}

package hostfacts

import (
	"regexp"
	"strings"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// cloudDomains are the DNS domains that cloud providers give to their hosts.
var cloudDomains = []struct{ suffix, cloud string }{
	{"vmwarevmc.com", inventory.CloudVMC},
	{"avs.azure.com", inventory.CloudAVS},
	{"gve.goog", inventory.CloudGCVE},
	{"oci.oraclecloud.com", inventory.CloudOCVS},
}

// ec2Model is the prefix of the models of AWS bare metal; vmcModel matches those on which only VMware Cloud on AWS runs ESXi.
// Amazon EVS, whose customers administer ESXi, started with later models.
const ec2Model = "Amazon EC2"

var vmcModel = regexp.MustCompile(`^Amazon EC2 (i3|i3en|r5)\.metal$`)

// fillCloud detects the cloud of a host by its model and its DNS domain.
func fillCloud(p *property.Props, h *host) {
	domain := property.Read(p, tree.PathDNSDomain, property.Text, property.DefaultTo(""))
	model := property.Read(p, PathModel, property.Text, property.Required)
	found := func(pick func(cloud, evidence string) string) inventory.Fact[string] {
		return property.Then(model, func(model string) inventory.Fact[string] {
			if vmcModel.MatchString(model) {
				return inventory.Known(pick(CloudOf(model, "")))
			}
			return property.Then(domain, func(domain string) inventory.Fact[string] { return inventory.Known(pick(CloudOf(model, domain))) })
		})
	}
	h.Cloud = found(func(cloud, _ string) string { return cloud })
	h.CloudEvidence = found(func(_, evidence string) string { return evidence })
}

// CloudOf returns the cloud that a model or a domain indicates, and the evidence; both are "" if neither indicates one.
func CloudOf(model, domain string) (cloud, evidence string) {
	for _, d := range cloudDomains {
		if at := strings.ToLower(domain); at == d.suffix || strings.HasSuffix(at, "."+d.suffix) {
			return d.cloud, "DNS domain below " + d.suffix // the rest of the domain identifies the customer
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

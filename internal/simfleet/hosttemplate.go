package simfleet

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/simulator/esx"
	"github.com/vmware/govmomi/vim25/types"
)

// template is the configuration of the simulator's hosts. Its own template has no certificate and no firewall, and each host gets them when
// it exists. This happens before any simulator can start, as the template has no lock.
//
// govmomi v0.56.0 simulator: it copies the template for every host by encoding and decoding XML, half of which is the certificate and the firewall.
var template = slimTemplate()

func slimTemplate() (whole types.HostConfigInfo) {
	whole = *esx.HostSystem.Config
	slim := whole
	slim.Certificate, slim.Firewall = nil, nil
	esx.HostSystem.Config = &slim
	return whole
}

// completeConfig adds what the template lacks. Nothing changes a firewall.
func (b *builder) completeConfig(h *simulator.HostSystem) error {
	h.Config.Firewall = template.Firewall
	manager := get[*simulator.HostCertificateManager](b, *h.ConfigManager.CertificateManager)
	body := manager.InstallServerCertificate(b.ctx, &types.InstallServerCertificate{Cert: string(template.Certificate)})
	return refused(body, "giving host "+h.Name+" its certificate")
}

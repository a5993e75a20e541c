package inventory

// The public clouds that vperf recognises by their hosts.
const (
	CloudVMC  = "VMware Cloud on AWS"
	CloudAVS  = "Azure VMware Solution"
	CloudGCVE = "Google Cloud VMware Engine"
	CloudOCVS = "Oracle Cloud VMware Solution"
	CloudEC2  = "Amazon EC2" // bare metal of AWS with an unknown service
)

// ProviderAdministers reports whether a cloud's provider administers hosts and clusters, so that customers cannot
// change their settings. Customers of the other clouds are root on ESXi.
func ProviderAdministers(cloud string) bool {
	return cloud == CloudVMC || cloud == CloudAVS || cloud == CloudGCVE
}

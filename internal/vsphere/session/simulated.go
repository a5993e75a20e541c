package session

// sandboxVendor is the vendor in the about information of vperf sim, so that it cannot be mistaken for a real vCenter.
const sandboxVendor = "vperf sim (govmomi simulator)"

// Simulated reports whether the server says that it is vperf's simulator. Any server can claim that.
func (s *Session) Simulated() bool { return s.client.ServiceContent.About.Vendor == sandboxVendor }

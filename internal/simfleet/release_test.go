package simfleet

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/proof"
)

// TestNothingIsNewerThanItsServer: a client limited to the API version of the server, such as pyvmomi, cannot read an object with
// a type of a later version. The library's source has the version of each type, but not of fields of older types.
func TestNothingIsNewerThanItsServer(t *testing.T) {
	proof.NotRaced(t)
	since := typesSince(t)
	f := common(t)
	for _, e := range f.Endpoints() {
		c := login(t, f)
		if e.Name != vcenterSite {
			c = connect(t, e.URL, f.CertificatePEM())
			require.NoError(t, relogin(t, c, e))
		}
		sent := typesSent(t, c)
		require.Contains(t, sent, "VirtualMachineConfigInfo")
		for name := range sent {
			if from := since[name]; from != "" {
				require.False(t, later(from, c.ServiceContent.About.ApiVersion), "%s claims API %s and sends %s, which is of %s",
					e.Name, c.ServiceContent.About.ApiVersion, name, from)
			}
		}
	}
}

// typesSince returns the API version of each type, from the library's source.
func typesSince(t *testing.T) map[string]string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/vmware/govmomi").Output()
	require.NoError(t, err, "go list knows where the library's source is")
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "vim25", "types", "types.go"))
	require.NoError(t, err)
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`minAPIVersionForType\["(\w+)"\] = "([\d.]+)"`).FindAllStringSubmatch(string(text), -1) {
		all[m[1]] = m[2]
	}
	require.Equal(t, "8.0.3.1", all["VirtualVmxnet3StrictLatencyConfig"])
	return all
}

// typesSent returns the types of all data in a server's inventory.
func typesSent(t *testing.T, c *vim25.Client) map[string]bool {
	t.Helper()
	kinds := []string{"VirtualMachine", "HostSystem", "ComputeResource", "ResourcePool", "Datastore", "Network", "DistributedVirtualSwitch", "Folder", "Datacenter"}
	v, err := view.NewManager(c).CreateContainerView(t.Context(), c.ServiceContent.RootFolder, kinds, true)
	require.NoError(t, err)
	objects, err := v.Find(t.Context(), kinds, property.Match{"name": "*"})
	require.NoError(t, err)
	var content []types.ObjectContent
	require.NoError(t, property.DefaultCollector(c).Retrieve(t.Context(), objects, nil, &content))
	sent := map[string]bool{}
	for _, o := range content {
		for _, p := range o.PropSet {
			addTypes(sent, reflect.ValueOf(p.Val))
		}
	}
	return sent
}

func addTypes(sent map[string]bool, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			addTypes(sent, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			addTypes(sent, v.Index(i))
		}
	case reflect.Struct:
		sent[v.Type().Name()] = true
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && !v.Field(i).IsZero() {
				addTypes(sent, v.Field(i))
			}
		}
	default:
	}
}

// later compares versions number by number; a missing part is 0.
func later(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	number := func(parts []string, i int) int {
		if i >= len(parts) {
			return 0
		}
		n, _ := strconv.Atoi(parts[i])
		return n
	}
	for i := range max(len(x), len(y)) {
		if number(x, i) != number(y, i) {
			return number(x, i) > number(y, i)
		}
	}
	return false
}

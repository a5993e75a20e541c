package inventory

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// planter fills every field of a snapshot, and puts a text of its own into every text.
type planter struct {
	texts map[string]string // by the planted text: the field
}

func (p *planter) plant(v reflect.Value, name string) {
	if v.CanAddr() {
		if fact, ok := reflect.TypeAssert[Reader](v.Addr()); ok {
			value := reflect.New(fact.ValueType()).Elem()
			p.plant(value, name)
			v.Addr().MethodByName("Plant").Call([]reflect.Value{value})
			return
		}
	}
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[ValueType]() {
			v.SetString(string(TypeString))
			return
		}
		text := fmt.Sprintf("planted%dx", len(p.texts))
		p.texts[text] = name
		v.SetString(text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		p.plant(v.Elem(), name)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		p.plant(v.Index(0), name+"[]")
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		p.plant(key, name+" key")
		p.plant(value, name+" value")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && f.Tag.Get("json") != "-" {
				p.plant(v.Field(i), strings.TrimPrefix(v.Type().Name()+"."+f.Name, "Entity."))
			}
		}
	}
}

// Plant sets a known value.
func (f *Fact[T]) Plant(v T) { *f = Known(v) }

// TestRedactFields: of a snapshot with a different text in every field, a redacted one has only those that identify nothing.
func TestRedactFields(t *testing.T) {
	p := planter{texts: map[string]string{}}
	s := new(Snapshot)
	p.plant(reflect.ValueOf(s).Elem(), "")
	s.Schema = SnapshotSchema
	s.Link()
	out, err := Redact(s)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, Save(&b, out))
	var left []string
	for text, field := range p.texts {
		if strings.Contains(b.String(), text) {
			left = append(left, field)
		}
	}
	slices.Sort(left)
	var want []string
	for name := range strings.SplitSeq(stays, "|") {
		want = append(want, strings.Join(strings.Fields(name), " "))
	}
	require.Equal(t, want, slices.Compact(left), "a text in a new field is a name, which Redact replaces, or belongs in this list")
}

// stays are the fields whose texts a redacted snapshot still has: words and labels of vSphere, models of hardware, versions, and
// the values of tuning settings. Unread and NoTime are reasons, in which known names are replaced.
const stays = `
	Cluster.DRSAutomation | Cluster.DRSOptions[] | Cluster.EVCBest | Cluster.EVCMode | Cluster.SwapPlacement |
	Datastore.Kind | Datastore.SIOCMode | Datastore.UnmapPriority |
	GraphicsDevice.Device | GraphicsDevice.PCIID | GraphicsDevice.Type | GraphicsDevice.Vendor |
	HBA.Device | HBA.Driver | HBA.DriverVersion | HBA.FirmwareVersion | HBA.Kind | HBA.Model | HBA.Status |
	Host.Build | Host.CPUDescription | Host.CPUScheduler | Host.CPUVendor | Host.Cloud | Host.GraphicsType |
	Host.KernelSettings key | Host.KernelSettings value | Host.Kind | Host.MemoryTiering | Host.Model |
	Host.OffDefault[] | Host.Options key | Host.PowerHardware | Host.PowerPolicy | Host.VGPUAssignment | Host.Vendor |
	LUN.ArrayType | LUN.HardwareAcceleration | LUN.Model | LUN.PathPolicy | LUN.RoundRobinType | LUN.Vendor |
	LiveCounter.Name |
	MemoryTier.Kind | MemoryTier.Name |
	NUMANode.PCI[] |
	Option.Unread |
	PCIDevice.Kind | PCIDevice.Label | PCIDevice.VGPU |
	PNIC.Device | PNIC.Driver | PNIC.DriverOptions | PNIC.DriverVersion | PNIC.FirmwareVersion |
	Portgroup.Active[] | Portgroup.Standby[] | Portgroup.Teaming |
	Sensor.Health | Sensor.ID | Sensor.Kind | Sensor.Name | Sensor.Unit |
	StatsInterval.Name |
	Switch.Kind | Switch.NIOCVersion | Switch.Uplinks[] |
	TrafficClass.Name | TrafficClass.SharesLevel |
	Unread |
	VCenter.Kind | VCenter.NoTime |
	VDisk.Address | VDisk.Backing | VDisk.BusSharing | VDisk.Controller | VDisk.DeltaFormat | VDisk.Label |
	VM.Appliance | VM.ConnectedDevices[] | VM.EVCMode | VM.EncryptedVMotion | VM.GuestID | VM.HTSharing |
	VM.LatencySensitivity | VM.ManagedBy | VM.MaybeAppliance | VM.MonitorType | VM.PowerState |
	VM.RunningGuestFamily | VM.RunningGuestID | VM.SwapPlacement | VM.ToolsStatus | VM.VDIRole | VM.VMX key | VM.VMX value |
	VM.VirtualExec | VM.VirtualMMU |
	VMKNIC.Device | VMKNIC.NetStack | VMKNIC.Services[] |
	VNIC.Label | VNIC.Type |
	Value.Text`

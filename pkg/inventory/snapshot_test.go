package inventory

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func fleet() *Snapshot {
	host := func(id, name, dns, ip, cluster string) *Host {
		h := &Host{ClusterID: Known(cluster), DNSName: Known(dns), Addresses: Known([]string{ip, "2001:db8::" + id[5:]})}
		h.ID, h.Name, h.Path = id, name, "/dc/host/"+cluster+"/"+name
		return h
	}
	vm := func(id, name, host string) *VM {
		v := &VM{HostID: Known(host), VNICs: Known([]*VNIC{{Key: 4000, Label: "Network adapter 1"}})}
		v.ID, v.Name, v.Path = id, name, "/dc/vm/"+name
		return v
	}
	v := &VCenter{Kind: EndpointVCenter, TakenAt: time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)}
	v.ID, v.Name, v.Path = "uuid", "vc.example.com", "/"
	v.Clusters = []*Cluster{
		{Entity: Entity{ID: "c1", Name: "c1"}, HostIDs: Known([]string{"host-1", "host-3"})},
		{Entity: Entity{ID: "c2", Name: "c2"}, HostIDs: Known([]string{"host-2", "host-4"})},
	}
	v.Pools = []*Pool{{Entity: Entity{ID: "p1", Name: "p1"}, ClusterID: Known("c1")}, {Entity: Entity{ID: "p2", Name: "p2"}, ClusterID: Known("c2")}}
	v.Hosts = []*Host{
		host("host-1", "esx-a.example.com", "node-a.lab.example.com", "192.0.2.11", "c1"),
		host("host-2", "192.0.2.12", "node-b.lab.example.com", "192.0.2.12", "c2"),
		host("host-3", "twin", "twin-1.example.com", "192.0.2.13", "c1"),
		host("host-4", "twin", "twin-2.example.com", "192.0.2.14", "c2"),
	}
	v.VMs = []*VM{vm("vm-1", "web-01", "host-1"), vm("vm-2", "web-02", "host-2"), vm("vm-3", "web-03", "host-9")}
	s := &Snapshot{Schema: SnapshotSchema, Source: "vc.example.com", VCenters: []*VCenter{v}}
	s.Link()
	return s
}

func TestSnapshotRoundTrip(t *testing.T) {
	s := fleet()
	s.VCenters[0].Hosts[0].PowerPolicy = Unread[string]("no permission")
	s.VCenters[0].Hosts[0].PowerHardware = Known("")
	var first, second bytes.Buffer
	require.NoError(t, Save(&first, s))
	loaded, err := Load(bytes.NewReader(first.Bytes()))
	require.NoError(t, err)
	require.Equal(t, s, loaded)
	require.NoError(t, Save(&second, loaded))
	require.Equal(t, first.String(), second.String())
	require.NotContains(t, first.String(), "memoryMB", "facts that were not read are omitted")
	require.Equal(t, loaded.VCenters[0].Hosts[0], loaded.VCenters[0].VMs[0].Host())
	require.Nil(t, loaded.VCenters[0].VMs[2].Host(), "its host is not in the snapshot")
	members, known := loaded.VCenters[0].Clusters[0].Hosts.Value()
	require.True(t, known)
	require.Equal(t, "esx-a.example.com", members[0].Name)
}

func TestLoadRefuses(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Save(&b, fleet()))
	good := b.String()
	for name, c := range map[string]struct{ text, want string }{
		"empty":           {"", "the file ends in the middle (after 0 bytes)"},
		"cut off":         {good[:len(good)/2], "the file ends in the middle"},
		"not JSON":        {"<html>", "invalid character"},
		"another file":    {`{"schema":"vperf.audit/v1"}`, `its schema is "vperf.audit/v1", want vperf.snapshot/v1`},
		"a newer version": {`{"schema":"vperf.snapshot/v2","new":1}`, "it is vperf.snapshot/v2, this vperf reads vperf.snapshot/v1"},
		"an unknown fact": {strings.Replace(good, `"dnsName"`, `"dnsNama"`, 1), `unknown field "dnsNama"`},
		"a null fact":     {strings.Replace(good, `"node-a.lab.example.com"`, `null`, 1), "null is not a fact"},
		"a null host":     {`{"schema":"vperf.snapshot/v1","vcenters":[{"hosts":[null]}]}`, "an object of  is null"},
		"a null device":   {`{"schema":"vperf.snapshot/v1","vcenters":[{"vms":[{"name":"a","vnics":[null]}]}]}`, "a device of VM a is null"},
		"two documents":   {good + "{}", "more text after its end"},
		"a bracket more":  {good + "}", "more text after its end"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(strings.NewReader(c.text))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestMatchHosts(t *testing.T) {
	s := fleet()
	for target, want := range map[string]string{
		"esx-a.example.com":      "host-1",
		"ESX-A.example.com":      "host-1",
		"esx-a.example.com.":     "host-1",
		"esx-a":                  "host-1",
		"node-a":                 "host-1",
		"node-a.lab.example.com": "host-1",
		"192.0.2.11":             "host-1",
		"2001:DB8:0::1":          "host-1",
		"192.0.2.12":             "host-2",
		"node-b":                 "host-2",
		"host-3":                 "host-3",
		"/dc/host/c2/twin":       "host-4",
		"twin-2":                 "host-4",
	} {
		t.Run(target, func(t *testing.T) {
			hosts, err := MatchHosts(s.VCenters[0].Hosts, []string{target, " " + target + " "})
			require.NoError(t, err)
			require.Len(t, hosts, 1)
			require.Equal(t, want, hosts[0].ID)
		})
	}
}

func TestMatchHostsRefuses(t *testing.T) {
	hosts := fleet().VCenters[0].Hosts
	_, err := MatchHosts(hosts, []string{"esx-b"})
	require.EqualError(t, err, `no host is called "esx-b"; did you mean esx-a.example.com?`)
	_, err = MatchHosts(hosts, []string{"zzzzzzzz"})
	require.ErrorContains(t, err, "give a host's inventory name")
	_, err = MatchHosts(hosts, []string{""})
	require.ErrorContains(t, err, `no host is called ""`)
	_, err = MatchHosts(hosts, []string{"192"})
	require.Error(t, err, "an address has no short form")
	_, err = MatchHosts(hosts, []string{"twin"})
	require.EqualError(t, err, `"twin" names 2 hosts: /dc/host/c1/twin (host-3), /dc/host/c2/twin (host-4); give the inventory path or the id`)
}

func TestNarrow(t *testing.T) {
	s, err := fleet().Narrow(Targets{Hosts: []string{"esx-a"}})
	require.NoError(t, err)
	v := s.VCenters[0]
	require.Len(t, v.Hosts, 1)
	require.Len(t, v.VMs, 1)
	require.Equal(t, "web-01", v.VMs[0].Name)
	require.Len(t, v.Clusters, 1)
	require.Len(t, v.Pools, 1)
	require.Equal(t, "p1", v.Pools[0].Name)
	whole, err := fleet().Narrow(Targets{})
	require.NoError(t, err)
	require.Len(t, whole.VCenters[0].VMs, 3)
	_, err = fleet().Narrow(Targets{Hosts: []string{"nobody"}})
	require.EqualError(t, err, `no host is called "nobody"; give a host's inventory name, DNS name, short name, IP address or id`)
}

func FuzzLoad(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, Save(&b, fleet()))
	f.Add(b.String())
	f.Add(`{"schema":"vperf.snapshot/v1","vcenters":[{"hosts":[{"options":{"A.B":{"value":1}}}]}]}`)
	f.Add(`{"sChemA":"vperf.snapshot/v1","vCenters":[{"hosts":[{"options":{"000":{}}}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Load(strings.NewReader(text))
		if err != nil {
			return
		}
		var first bytes.Buffer // a loaded snapshot can be saved and loaded again
		require.NoError(t, Save(&first, s))
		_, err = Load(&first)
		require.NoError(t, err)
	})
}

func TestNarrowByClusterAndVM(t *testing.T) {
	s, err := fleet().Narrow(Targets{Clusters: []string{"C1"}})
	require.NoError(t, err)
	require.Len(t, s.VCenters[0].Hosts, 2)
	require.Len(t, s.VCenters[0].VMs, 1)

	s, err = fleet().Narrow(Targets{VMs: []string{"web-02"}})
	require.NoError(t, err)
	require.Len(t, s.VCenters[0].VMs, 1)
	require.Equal(t, "host-2", s.VCenters[0].Hosts[0].ID, "with the host it is on")
	require.Len(t, s.VCenters[0].Hosts, 1)

	s, err = fleet().Narrow(Targets{VMs: []string{"vm-3"}})
	require.NoError(t, err)
	require.Len(t, s.VCenters[0].VMs, 1, "a VM whose host is not known can be asked about too")

	_, err = fleet().Narrow(Targets{Clusters: []string{"c3"}})
	require.EqualError(t, err, `no cluster is called "c3"; did you mean c1, c2?`)
	_, err = fleet().Narrow(Targets{Hosts: []string{"esx-a"}, VMs: []string{"web-02"}})
	require.EqualError(t, err, `no VM is called "web-02"; did you mean web-01?`)
}

package simfleet

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vapi/library"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
)

func restLogin(t *testing.T, f *Fleet, c *vim25.Client) *rest.Client {
	t.Helper()
	r := rest.NewClient(c)
	require.NoError(t, r.Login(t.Context(), url.UserPassword(f.User(), f.Password())))
	return r
}

// VMware's own clients can use the fleet's REST API.
func TestREST(t *testing.T) {
	f := common(t)
	c := login(t, f)
	r := restLogin(t, f, c)
	m := tags.NewManager(r)
	vm, other := vmNamed(t, c, "db-pg-01"), vmNamed(t, c, "web-01")
	on, err := m.GetAttachedTagsOnObjects(t.Context(), []mo.Reference{vm.Reference(), other.Reference()})
	require.NoError(t, err)
	require.Len(t, on, 1, "objects without tags are omitted")
	var names []string
	for _, tag := range on[0].Tags {
		category, err := m.GetCategory(t.Context(), tag.CategoryID)
		require.NoError(t, err)
		names = append(names, category.Name+"/"+tag.Name)
	}
	require.ElementsMatch(t, []string{"vperf.profile/database", "environment/production"}, names)
	all, err := m.ListTags(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 3)

	libraries, err := library.NewManager(r).GetLibraries(t.Context())
	require.NoError(t, err)
	at := map[string]string{}
	for _, l := range libraries {
		at[l.Name] = l.Storage[0].DatastoreID
	}
	require.Equal(t, map[string]string{"templates": f.vcenter().built.datastore.Self.Value, "images": "datastore-703", "downloads": ""}, at)

	require.NoError(t, r.Logout(t.Context()))
	_, err = m.ListTags(t.Context())
	require.Error(t, err, "the session has ended")
}

func TestRESTIsReadOnlyAndLocked(t *testing.T) {
	f := common(t)
	c := login(t, f)
	r := rest.NewClient(c)
	require.Error(t, r.Login(t.Context(), url.UserPassword(f.User(), "wrong")))
	require.Error(t, r.LoginByToken(t.Context()))
	_, err := tags.NewManager(r).ListTags(t.Context())
	require.Error(t, err, "nobody is logged in")

	r = restLogin(t, f, c)
	_, err = tags.NewManager(r).CreateTag(t.Context(), &tags.Tag{Name: "x", CategoryID: "urn:y"})
	require.Error(t, err)
	_, err = library.NewManager(r).CreateLibrary(t.Context(), library.Library{Name: "x"})
	require.Error(t, err)
	_, err = tags.NewManager(r).ListAttachedObjects(t.Context(), "urn:nothing")
	require.True(t, rest.IsStatusError(err, http.StatusForbidden))
	for _, path := range []string{"/rest/com/vmware/content/library/item", "/rest/com/vmware/cis/tagging/tag/id:nothing", "/rest/com/vmware/vcenter/ovf/library-item"} {
		err := r.Do(t.Context(), r.Resource(strings.TrimPrefix(path, "/rest")).Request(http.MethodGet), nil)
		require.True(t, rest.IsStatusError(err, http.StatusNotFound), path)
	}
	host := endpoint(t, f, "esxi-b")
	h := connect(t, host.URL, f.CertificatePEM())
	require.Error(t, rest.NewClient(h).Login(t.Context(), url.UserPassword(host.User, host.Password)), "a host has no such service")
}

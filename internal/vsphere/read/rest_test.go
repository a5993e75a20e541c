package read

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// fakeREST serves the part of vCenter's REST API that vperf uses.
type fakeREST struct {
	mu       sync.Mutex
	attached map[string][]string // tag ids by object id
	answers  map[string]any      // by path; an int is a status
	asked    []string
}

// rawBody is a whole answer.
type rawBody string

func (f *fakeREST) serve(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
	path, isREST := strings.CutPrefix(r.URL.Path, "/rest/com/vmware/")
	if !isREST {
		next.ServeHTTP(w, r)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r.Method+" "+path)
	answer, known := f.answers[path]
	user, password, _ := r.BasicAuth()
	switch {
	case known:
	case path == "cis/session" && r.Method == http.MethodPost && (user != vspheretest.TestUser || password != vspheretest.TestPassword):
		answer = http.StatusUnauthorized
	case path == "cis/session":
		answer = "session-1"
	case r.Header.Get("vmware-api-session-id") != "session-1":
		answer = http.StatusUnauthorized
	case path == "cis/tagging/tag-association":
		answer = f.tagsOn(body)
	default:
		answer = http.StatusNotFound
	}
	if status, ok := answer.(int); ok {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if body, ok := answer.(rawBody); ok {
		_, _ = io.WriteString(w, string(body))
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"value": answer})
}

func (f *fakeREST) tagsOn(body []byte) any {
	var asked struct {
		Objects []struct{ Type, ID string } `json:"object_ids"`
	}
	_ = json.Unmarshal(body, &asked)
	all := []any{}
	for _, o := range asked.Objects {
		if ids := f.attached[o.Type+":"+o.ID]; ids != nil {
			all = append(all, map[string]any{"object_id": map[string]string{"type": o.Type, "id": o.ID}, "tag_ids": ids})
		}
	}
	return all
}

const urn = "urn:vmomi:InventoryServiceTag:"

func tag(name, category string) any {
	return map[string]string{"id": urn + name, "name": name, "category_id": category}
}

// taggedSim starts a vCenter with two tags on its first VM and one on a host, and returns its REST API.
func taggedSim(t *testing.T) (*vspheretest.Sim, *fakeREST) {
	t.Helper()
	s := vspheretest.Start(t, vspheretest.SwitchedVPX(2), nil)
	f := &fakeREST{
		attached: map[string][]string{
			"VirtualMachine:" + vspheretest.VmsOf(s.Model)[0].Self.Value: {urn + "web", urn + "latency"},
			"HostSystem:" + vspheretest.HostsOf(s.Model)[0].Self.Value:   {urn + "latency"},
		},
		answers: map[string]any{
			"cis/tagging/tag/id:" + urn + "latency": tag("latency", "c-profile"),
			"cis/tagging/tag/id:" + urn + "web":     tag("web", "c-hidden"),
			"cis/tagging/category/id:c-profile":     map[string]string{"id": "c-profile", "name": "vperf.profile"},
			"cis/tagging/category/id:c-hidden":      http.StatusForbidden,
			"content/library":                       []string{"l-2", "l-1"},
			"content/library/id:l-1":                map[string]any{"id": "l-1", "name": "images", "storage_backings": []any{map[string]string{"datastore_id": "datastore-1"}, map[string]string{"storage_uri": "nfs://x"}}},
			"content/library/id:l-2":                map[string]any{"id": "l-2", "name": "builds"},
		},
	}
	s.Tamper(f.serve)
	return s, f
}

func TestTags(t *testing.T) {
	t.Parallel()
	s, f := taggedSim(t)
	conn := s.Dial(t)
	vc, err := Inventory(t.Context(), conn, tree.Scope{}, vspheretest.NeedsOf("VM.tags", "Host.tags", "VCenter.libraries"), nil)
	require.NoError(t, err)
	require.Equal(t, inventory.Known([]string{"vperf.profile/latency", "web"}), vc.VMs[0].Tags, "a hidden category has no name")
	require.Equal(t, inventory.Known([]string{"vperf.profile/latency"}), vc.Hosts[0].Tags)
	require.Equal(t, inventory.Known([]string{}), vc.Hosts[1].Tags)
	require.True(t, vc.Clusters[0].Tags.IsZero(), "nobody asked")
	require.Equal(t, inventory.Known([]*inventory.ContentLibrary{
		{Name: "builds", DatastoreIDs: []string{}}, {Name: "images", DatastoreIDs: []string{"datastore-1"}},
	}), vc.Libraries)
	calls := conn.Calls()
	require.Equal(t, 1, calls["REST login"])
	require.Equal(t, 1+2+2, calls["REST tags"], "each tag and category is asked for once")
	require.Equal(t, 1, calls["REST logout"])
	require.Equal(t, "DELETE cis/session", f.asked[len(f.asked)-1], "no session remains")
}

// TestTagsBelowThePathOfTheURL: a proxy serves all APIs of several vCenters below one path each.
func TestTagsBelowThePathOfTheURL(t *testing.T) {
	t.Parallel()
	s, _ := taggedSim(t)
	var outside []string
	s.Tamper(func(w http.ResponseWriter, r *http.Request, _ []byte, next http.Handler) {
		path, below := strings.CutPrefix(r.URL.Path, "/vc1")
		if !below {
			outside = append(outside, r.URL.Path)
			w.WriteHeader(http.StatusNotFound)
			return
		}
		r.URL.Path = path
		next.ServeHTTP(w, r)
	})
	e := s.Endpoint()
	u := *e.URL
	u.Path = "/vc1/sdk"
	e.URL = &u
	vc, err := Inventory(t.Context(), vspheretest.Dial(t, e), tree.Scope{}, vspheretest.NeedsOf("VM.tags", "VCenter.libraries"), nil)
	require.NoError(t, err)
	require.Equal(t, inventory.Known([]string{"vperf.profile/latency", "web"}), vc.VMs[0].Tags)
	require.Equal(t, "known", vspheretest.ReasonOf(&vc.Libraries))
	require.Empty(t, outside)
}

func TestWithoutREST(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers map[string]any
		shape   func(*session.Endpoint)
		tags    string
		library string
	}{
		"no REST":         {map[string]any{"cis/session": http.StatusNotFound}, nil, "over REST it answered HTTP 404 Not Found", "over REST it answered HTTP 404 Not Found"},
		"another account": {map[string]any{"cis/session": http.StatusUnauthorized}, nil, "over REST it answered HTTP 401 Unauthorized", "over REST it answered HTTP 401 Unauthorized"},
		"tags forbidden":  {map[string]any{"cis/tagging/tag-association": http.StatusForbidden}, nil, "over REST it answered HTTP 403 Forbidden", ""},
		"one tag":         {map[string]any{"cis/tagging/tag/id:" + urn + "web": http.StatusInternalServerError}, nil, "over REST it answered HTTP 500 Internal Server Error", ""},
		"libraries":       {map[string]any{"content/library": http.StatusForbidden}, nil, "", "over REST it answered HTTP 403 Forbidden"},
	} {
		s, f := taggedSim(t)
		maps.Copy(f.answers, c.answers)
		conn := s.Dial(t)
		for range 2 {
			vc, err := Inventory(t.Context(), conn, tree.Scope{}, vspheretest.NeedsOf("VM.tags", "VCenter.libraries", "Host.cores"), nil)
			require.NoError(t, err, name)
			require.Equal(t, inventory.Known(int64(2)), vc.Hosts[0].Cores, "all else is read")
			_, _, tags := vc.VMs[0].Tags.Get()
			require.Equal(t, c.tags, tags, name)
			_, _, library := vc.Libraries.Get()
			require.Equal(t, c.library, library, name)
		}
		if strings.Contains(c.tags, "40") && c.library != "" {
			require.Equal(t, 1, conn.Calls()["REST login"], "a refused password is not offered twice")
		}
	}
}

// TestOnlyAListOverRESTIsNone: every other answer leaves the tags or libraries unread.
func TestOnlyAListOverRESTIsNone(t *testing.T) {
	t.Parallel()
	const (
		association = "cis/tagging/tag-association"
		web         = "cis/tagging/tag/id:" + urn + "web"
		library     = "content/library"
		noTags      = "unread: over REST POST /com/vmware/cis/tagging/tag-association answered without a list"
		badItem     = "unread: over REST POST /com/vmware/cis/tagging/tag-association answered an item without an object or without a list of tags"
		noName      = "unread: over REST GET /com/vmware/cis/tagging/tag/id:" + urn + "web answered no name, although the tag is attached"
		noLibraries = "unread: over REST GET /com/vmware/content/library answered without a list"
	)
	for _, c := range []struct {
		path   string
		answer any
		vm     string // the tags of a VM that has web
		host   string // the tags of a host that has another
		libs   string
	}{
		{association, rawBody(`{"value":[]}`), "known", "known", "known"},
		{association, rawBody(`{}`), noTags, noTags, "known"},
		{association, rawBody(`{"value":null}`), noTags, noTags, "known"},
		{association, rawBody(`{"value":{}}`), noTags, noTags, "known"},
		{association, rawBody(`{"value":"none"}`), noTags, noTags, "known"},
		{association, rawBody(`[]`), noTags, noTags, "known"},
		{association, http.StatusNoContent, noTags, noTags, "known"},
		{association, rawBody(`{"value":[{}]}`), badItem, badItem, "known"},
		{association, rawBody(`{"value":[null]}`), badItem, badItem, "known"},
		{association, rawBody(`{"value":[{"object_id":{"type":"HostSystem","id":"host-1"}}]}`), badItem, badItem, "known"},
		{web, http.StatusNotFound, noName, "known", "known"},
		{web, rawBody(`{}`), noName, "known", "known"},
		{web, rawBody(`{"value":null}`), noName, "known", "known"},
		{web, rawBody(`{"value":[]}`), noName, "known", "known"},
		{web, tag("", "c-profile"), noName, "known", "known"},
		{"cis/tagging/category/id:c-hidden", rawBody(`{}`), "known", "known", "known"},
		{library, rawBody(`{"value":[]}`), "known", "known", "known"},
		{library, rawBody(`{}`), "known", "known", noLibraries},
		{library, rawBody(`{"value":null}`), "known", "known", noLibraries},
		{library, rawBody(`{"value":{}}`), "known", "known", noLibraries},
		{library + "/id:l-1", rawBody(`{}`), "known", "known", "unread: over REST GET /com/vmware/content/library/id:l-1 answered without a name"},
		{library + "/id:l-1", http.StatusNotFound, "known", "known", "unread: over REST it answered HTTP 404 Not Found"},
	} {
		s, f := taggedSim(t)
		f.answers[c.path] = c.answer
		vc, err := Inventory(t.Context(), s.Dial(t), tree.Scope{}, vspheretest.NeedsOf("VM.tags", "Host.tags", "VCenter.libraries"), nil)
		require.NoError(t, err)
		require.Equal(t, c.vm, vspheretest.ReasonOf(&vc.VMs[0].Tags), "%s %v", c.path, c.answer)
		require.Equal(t, c.host, vspheretest.ReasonOf(&vc.Hosts[0].Tags), "%s %v", c.path, c.answer)
		require.Equal(t, c.libs, vspheretest.ReasonOf(&vc.Libraries), "%s %v", c.path, c.answer)
		if strings.Contains(c.path, "category") {
			require.Equal(t, inventory.Known([]string{"vperf.profile/latency", "web"}), vc.VMs[0].Tags)
		}
	}
}

// TestKeptSessionWithoutPassword: a session file opens SOAP only.
func TestKeptSessionWithoutPassword(t *testing.T) {
	t.Parallel()
	s, f := taggedSim(t)
	e := s.Endpoint()
	e.SessionDir = t.TempDir()
	vspheretest.Dial(t, e)
	e.Password = ""
	vc, err := Inventory(t.Context(), vspheretest.Dial(t, e), tree.Scope{}, vspheretest.NeedsOf("VM.tags", "VCenter.libraries"), nil)
	require.NoError(t, err)
	require.Equal(t, "unread: over REST it needs a password; a saved session is not enough: set GOVC_PASSWORD", vspheretest.ReasonOf(&vc.VMs[0].Tags))
	require.Equal(t, "unread: over REST it needs a password; a saved session is not enough: set GOVC_PASSWORD", vspheretest.ReasonOf(&vc.Libraries))
	require.Empty(t, f.asked)
}

func TestRESTIsRepeatedAndBounded(t *testing.T) {
	t.Parallel()
	s, f := taggedSim(t)
	failed := false
	s.Tamper(func(w http.ResponseWriter, r *http.Request, _ []byte, next http.Handler) {
		switch {
		case strings.HasSuffix(r.URL.Path, "tag-association") && !failed:
			failed = true
			w.WriteHeader(http.StatusServiceUnavailable)
		case strings.HasSuffix(r.URL.Path, "content/library"):
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<html>"))
		case strings.HasSuffix(r.URL.Path, "cis/session") && r.Method == http.MethodDelete:
			http.Redirect(w, r, "https://other.example/", http.StatusTemporaryRedirect)
		default:
			next.ServeHTTP(w, r)
		}
	})
	conn := s.Dial(t)
	conn.SetForTest(session.TestSettings{RetryPause: time.Millisecond})
	vc, err := Inventory(t.Context(), conn, tree.Scope{}, vspheretest.NeedsOf("VM.tags", "VCenter.libraries"), nil)
	require.NoError(t, err)
	require.Equal(t, inventory.Known([]string{"vperf.profile/latency", "web"}), vc.VMs[0].Tags)
	require.Equal(t, "unread: over REST it answered text/html instead of JSON", vspheretest.ReasonOf(&vc.Libraries))

	f.answers["cis/tagging/tag-association"] = []any{}
	s.Tamper(func(w http.ResponseWriter, r *http.Request, _ []byte, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "tag-association") {
			<-r.Context().Done()
			return
		}
		next.ServeHTTP(w, r)
	})
	conn = s.Dial(t)
	conn.SetForTest(session.TestSettings{CallTimeouts: map[string]time.Duration{session.RESTTags: 50 * time.Millisecond}}) // only for the request that hangs
	vc, err = Inventory(t.Context(), conn, tree.Scope{}, vspheretest.NeedsOf("VM.tags"), nil)
	require.NoError(t, err)
	require.Equal(t, "unread: over REST no answer within 50ms", vspheretest.ReasonOf(&vc.VMs[0].Tags))
}

func TestSecretsStayOutOfREST(t *testing.T) {
	t.Parallel()
	s, f := taggedSim(t)
	f.answers["cis/session"] = http.StatusUnauthorized
	vc := readSim(t, s, vspheretest.NeedsOf("VM.tags"))
	require.NotContains(t, vspheretest.ReasonOf(&vc.VMs[0].Tags), vspheretest.TestPassword)
}

func TestInterruptedOverREST(t *testing.T) {
	t.Parallel()
	s, _ := taggedSim(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.Tamper(func(w http.ResponseWriter, r *http.Request, _ []byte, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "tag-association") {
			cancel()
			<-r.Context().Done()
			return
		}
		next.ServeHTTP(w, r)
	})
	_, err := Inventory(ctx, s.Dial(t), tree.Scope{}, vspheretest.NeedsOf("VM.tags"), nil)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "reading tags from ")
}

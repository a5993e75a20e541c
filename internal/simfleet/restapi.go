package simfleet

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// restService is the read-only part of the vCenter's REST API: tags, content libraries and configuration profiles, as far as vperf
// uses them.
//
// govmomi v0.56.0 simulator: its own REST API accepts unverified signed requests, and uploads.
type restService struct {
	tags       map[string]restTag
	categories map[string]restCategory
	attached   map[types.ManagedObjectReference][]string
	libraries  map[string]restLibrary
	profiled   map[string]bool // by cluster id: whether a configuration profile owns it

	mu       sync.Mutex
	sessions map[string]bool
}

type (
	restTag struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		CategoryID  string `json:"category_id"`
		Description string `json:"description"`
	}
	restCategory struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Cardinality string `json:"cardinality"`
		Description string `json:"description"`
	}
	restStorage struct {
		Type        string `json:"type"`
		DatastoreID string `json:"datastore_id,omitempty"`
		URI         string `json:"storage_uri,omitempty"`
	}
	restLibrary struct {
		ID      string        `json:"id"`
		Name    string        `json:"name"`
		Type    string        `json:"type"`
		Storage []restStorage `json:"storage_backings"`
	}
	restObject struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}
)

// addREST adds tags, content libraries and configuration profiles to the vCenter.
func (b *builder) addREST() error {
	s := &restService{
		tags: map[string]restTag{}, categories: map[string]restCategory{}, libraries: map[string]restLibrary{},
		attached: map[types.ManagedObjectReference][]string{}, sessions: map[string]bool{}, profiled: map[string]bool{},
	}
	b.rest = s
	for name, c := range b.clusters {
		s.profiled[c.Self.Value] = slices.Contains(b.scene.profileClusters(), name)
	}
	for object, tags := range b.tags {
		for _, name := range tags {
			s.attached[object] = append(s.attached[object], s.tag(name))
		}
	}
	for _, row := range fleetdata.Demo().Libraries {
		l := restLibrary{ID: world.UUID("library " + row.Name), Name: row.Name, Type: "LOCAL", Storage: []restStorage{{Type: "OTHER", URI: "nfs://nas.demo.local/vol/library"}}}
		if d := b.datastores[row.Datastore]; d != nil {
			l.Storage = []restStorage{{Type: "DATASTORE", DatastoreID: d.Self.Value}}
		}
		s.libraries[l.ID] = l
	}
	return nil
}

// tag returns the id of a tag, and creates it and its category if needed.
func (s *restService) tag(name string) string {
	group, short, _ := strings.Cut(name, "/")
	c := restCategory{ID: "urn:vmomi:InventoryServiceCategory:" + world.UUID("category "+group) + ":GLOBAL", Name: group, Cardinality: "SINGLE"}
	t := restTag{ID: "urn:vmomi:InventoryServiceTag:" + world.UUID("tag "+name) + ":GLOBAL", Name: short, CategoryID: c.ID}
	s.categories[c.ID], s.tags[t.ID] = c, t
	return t.ID
}

const (
	restRoot      = "/rest/com/vmware/"
	sessionHeader = "vmware-api-session-id"
)

// settingsRoot is the path of the desired configuration of a cluster's hosts. Answers there have no envelope, unlike the older
// ones.
const settingsRoot = "/api/esx/settings/clusters/"

// enablement returns whether a configuration profile owns a cluster.
func (s *restService) enablement(w http.ResponseWriter, r *http.Request) {
	cluster, what, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, settingsRoot), "/")
	enabled, known := s.profiled[cluster]
	switch {
	case !s.open(r):
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method != http.MethodGet:
		w.WriteHeader(http.StatusForbidden)
	case !known || what != "enablement/configuration":
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]bool{"enabled": enabled})
	}
}

// register adds the service to a server: for one account, below its own paths.
func (s *restService) register(mux *http.ServeMux, user, password string) {
	mux.Handle(restRoot, s.handler(user, password))
	mux.HandleFunc(settingsRoot, s.enablement)
}

// handler serves the known requests and refuses the rest.
func (s *restService) handler(user, password string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, restRoot)
		if path == "cis/session" {
			s.session(w, r, user, password)
			return
		}
		if !s.open(r) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		s.answer(w, r, path)
	})
}

func (s *restService) session(w http.ResponseWriter, r *http.Request, user, password string) {
	switch {
	case r.Method == http.MethodDelete && s.open(r):
		s.mu.Lock()
		delete(s.sessions, r.Header.Get(sessionHeader))
		s.mu.Unlock()
		reply(w, nil)
	case r.Method == http.MethodPost && r.URL.RawQuery == "" && knows(r, user, password):
		id := rand.Text()
		s.mu.Lock()
		s.sessions[id] = true
		s.mu.Unlock()
		reply(w, id)
	default:
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func knows(r *http.Request, user, password string) bool {
	u, p, ok := r.BasicAuth()
	return ok && u == user && subtle.ConstantTimeCompare([]byte(p), []byte(password)) == 1
}

func (s *restService) open(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[r.Header.Get(sessionHeader)]
}

func (s *restService) answer(w http.ResponseWriter, r *http.Request, path string) {
	kind, id, one := strings.Cut(path, "/id:")
	switch {
	case kind == "cis/tagging/tag-association" && r.Method == http.MethodPost:
		s.association(w, r)
	case r.Method != http.MethodGet:
		w.WriteHeader(http.StatusForbidden)
	case kind == "cis/tagging/tag":
		found(w, s.tags, id, one)
	case kind == "cis/tagging/category":
		found(w, s.categories, id, one)
	case kind == "content/library":
		found(w, s.libraries, id, one)
	default:
		http.NotFound(w, r)
	}
}

// association lists the tags on objects; objects without tags are omitted.
func (s *restService) association(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Objects []restObject `json:"object_ids"`
	}
	if r.URL.Query().Get("~action") != "list-attached-tags-on-objects" {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	type attachment struct {
		Object restObject `json:"object_id"`
		Tags   []string   `json:"tag_ids"`
	}
	all := []attachment{}
	for _, o := range asked.Objects {
		if on := s.attached[types.ManagedObjectReference{Type: o.Type, Value: o.ID}]; len(on) > 0 {
			all = append(all, attachment{o, on})
		}
	}
	reply(w, all)
}

// found returns one object, or the ids of all.
func found[T any](w http.ResponseWriter, all map[string]T, id string, one bool) {
	if !one {
		ids := []string{}
		for id := range all {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		reply(w, ids)
		return
	}
	if x, ok := all[id]; ok {
		reply(w, x)
		return
	}
	w.WriteHeader(http.StatusNotFound)
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"value": value})
}

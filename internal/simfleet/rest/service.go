// Package rest serves the read-only part of the demo vCenter's REST API: tags, content libraries and configuration profiles, as
// far as clients use them.
package rest

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

// Service is the read-only part of the fleet vCenter's REST API: tags, content libraries and configuration profiles, as far as
// clients use them. The simulator's own is not used: it accepts unverified signed requests, and uploads.
type Service struct {
	tags       map[string]tag
	categories map[string]category
	attached   map[types.ManagedObjectReference][]string
	libraries  map[string]library
	profiled   map[string]bool // by cluster id: whether a configuration profile owns it

	mu       sync.Mutex
	sessions map[string]bool
}

type (
	tag struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		CategoryID  string `json:"category_id"`
		Description string `json:"description"`
	}
	category struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Cardinality string `json:"cardinality"`
		Description string `json:"description"`
	}
	storage struct {
		Type        string `json:"type"`
		DatastoreID string `json:"datastore_id,omitempty"`
		URI         string `json:"storage_uri,omitempty"`
	}
	library struct {
		ID      string    `json:"id"`
		Name    string    `json:"name"`
		Type    string    `json:"type"`
		Storage []storage `json:"storage_backings"`
	}
	object struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}
)

// New returns an empty service.
func New() *Service {
	return &Service{
		tags: map[string]tag{}, categories: map[string]category{}, libraries: map[string]library{},
		attached: map[types.ManagedObjectReference][]string{}, sessions: map[string]bool{}, profiled: map[string]bool{},
	}
}

// Profile sets whether a configuration profile owns a cluster.
func (s *Service) Profile(cluster types.ManagedObjectReference, owned bool) {
	s.profiled[cluster.Value] = owned
}

// Attach attaches a tag to an object, by CATEGORY/NAME.
func (s *Service) Attach(object types.ManagedObjectReference, name string) {
	s.attached[object] = append(s.attached[object], s.tag(name))
}

// AddLibrary adds a content library; without a datastore it is on a file share of the vCenter's own.
func (s *Service) AddLibrary(name string, store *types.ManagedObjectReference) {
	l := library{ID: world.UUID("library " + name), Name: name, Type: "LOCAL", Storage: []storage{{Type: "OTHER", URI: "nfs://nas.demo.local/vol/library"}}}
	if store != nil {
		l.Storage = []storage{{Type: "DATASTORE", DatastoreID: store.Value}}
	}
	s.libraries[l.ID] = l
}

// tag returns the id of a tag, and creates it and its category if needed.
func (s *Service) tag(name string) string {
	group, short, _ := strings.Cut(name, "/")
	c := category{ID: "urn:vmomi:InventoryServiceCategory:" + world.UUID("category "+group) + ":GLOBAL", Name: group, Cardinality: "SINGLE"}
	t := tag{ID: "urn:vmomi:InventoryServiceTag:" + world.UUID("tag "+name) + ":GLOBAL", Name: short, CategoryID: c.ID}
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
func (s *Service) enablement(w http.ResponseWriter, r *http.Request) {
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

// Register adds the service to a server: for one account, below its own paths.
func (s *Service) Register(mux *http.ServeMux, user, password string) {
	mux.Handle(restRoot, s.handler(user, password))
	mux.HandleFunc(settingsRoot, s.enablement)
}

// handler serves the known requests and refuses the rest.
func (s *Service) handler(user, password string) http.Handler {
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

func (s *Service) session(w http.ResponseWriter, r *http.Request, user, password string) {
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

func (s *Service) open(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[r.Header.Get(sessionHeader)]
}

func (s *Service) answer(w http.ResponseWriter, r *http.Request, path string) {
	kind, id, one := strings.Cut(path, "/id:")
	switch {
	case kind == "cis/tagging/tag-association" && r.Method == http.MethodPost:
		s.association(w, r, id)
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

// association lists the tags on objects, and the objects with tags.
func (s *Service) association(w http.ResponseWriter, r *http.Request, tag string) {
	var asked struct {
		Objects []object `json:"object_ids"`
		Object  object   `json:"object_id"`
		Tags    []string `json:"tag_ids"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil && !errors.Is(err, io.EOF) { // a query for one tag has no body
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	type attachment struct {
		Object object   `json:"object_id"`
		Tags   []string `json:"tag_ids"`
	}
	type bearers struct {
		Tag     string   `json:"tag_id"`
		Objects []object `json:"object_ids"`
	}
	switch r.URL.Query().Get("~action") {
	case "list-attached-tags":
		reply(w, s.tagsOn(asked.Object))
	case "list-attached-tags-on-objects":
		all := []attachment{}
		for _, o := range asked.Objects {
			if on := s.tagsOn(o); len(on) > 0 {
				all = append(all, attachment{o, on})
			}
		}
		reply(w, all)
	case "list-attached-objects":
		if _, known := s.tags[tag]; !known {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		reply(w, s.objectsWith(tag))
	case "list-attached-objects-on-tags":
		all := []bearers{}
		for _, tag := range asked.Tags {
			if on := s.objectsWith(tag); len(on) > 0 {
				all = append(all, bearers{tag, on})
			}
		}
		reply(w, all)
	default:
		w.WriteHeader(http.StatusForbidden)
	}
}

// objectsWith lists the objects that have a tag.
func (s *Service) objectsWith(tag string) []object {
	all := []object{}
	for o, tags := range s.attached {
		if slices.Contains(tags, tag) {
			all = append(all, object{Type: o.Type, ID: o.Value})
		}
	}
	slices.SortStableFunc(all, func(a, b object) int { return strings.Compare(a.Type+" "+a.ID, b.Type+" "+b.ID) })
	return all
}

func (s *Service) tagsOn(o object) []string {
	return append([]string{}, s.attached[types.ManagedObjectReference{Type: o.Type, Value: o.ID}]...)
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

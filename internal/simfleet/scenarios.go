package simfleet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/simfleet/esxtopservice"
)

// Scenario is a fault that occurs while the fleet runs.
type Scenario struct{ Name, About string }

// The scenarios.
const (
	sceneBusyHost       = "busy-host"
	sceneHostDown       = "host-down"
	sceneSlowHost       = "slow-host"
	sceneSessionExpires = "session-expires"
	sceneDeniedUser     = "denied-user"
	sceneLockdown       = "lockdown"
	sceneFreeLicence    = "free-licence"
	sceneConfigProfile  = "config-profile"
	sceneNoEsxtop       = "no-esxtop"
	sceneHungEsxtop     = "hung-esxtop"
)

// Descriptions of the scenarios.
const (
	busyHost       = "host01.demo.local"
	downHost       = "host08.demo.local"
	slowHost       = "host08.demo.local"
	hungHost       = "host08.demo.local"
	deniedHost     = "host02.demo.local"
	deniedFolder   = "databases"
	lockedHost     = "esxi-a"
	profileCluster = "general"

	slowBy        = 2 * time.Second
	callsASession = 5
)

// Scenarios lists the valid names for Config.Scenarios.
func Scenarios() []Scenario {
	return []Scenario{
		{sceneBusyHost, "somebody else's task runs on host01"},
		{sceneConfigProfile, "a configuration profile owns the hosts of cluster " + profileCluster},
		{sceneDeniedUser, "the account may not read the configuration of host02, nor anything in folder " + deniedFolder},
		{sceneFreeLicence, "every write is refused on all hosts, as with the free licence"},
		{sceneHostDown, "host08 does not respond: old facts, no writes"},
		{sceneHungEsxtop, "host08 takes calls of its Esxtop service and never answers them"},
		{sceneLockdown, "esxi-a is in lockdown mode and refuses all logins"},
		{sceneNoEsxtop, "the account lacks " + esxtopservice.Privilege + ", which the Esxtop service takes"},
		{sceneSessionExpires, fmt.Sprintf("each session ends after %d calls", callsASession)},
		{sceneSlowHost, fmt.Sprintf("each call that reads of host08 takes %s more", slowBy)},
	}
}

// UnknownScenarioError reports a scenario that does not exist.
type UnknownScenarioError struct{ Name string }

func (e *UnknownScenarioError) Error() string {
	var names []string
	for _, s := range Scenarios() {
		names = append(names, s.Name)
	}
	return fmt.Sprintf("no scenario %q; there are %s", e.Name, strings.Join(names, ", "))
}

func checkScenarios(names []string) error {
	for _, n := range names {
		if !slices.ContainsFunc(Scenarios(), func(s Scenario) bool { return s.Name == n }) {
			return &UnknownScenarioError{n}
		}
	}
	return nil
}

// scene holds the active scenarios.
type scene map[string]bool

func newScene(names []string) scene {
	s := scene{}
	for _, n := range names {
		s[n] = true
	}
	return s
}

func (s scene) profileClusters() []string {
	if s[sceneConfigProfile] {
		return []string{profileCluster}
	}
	return nil
}

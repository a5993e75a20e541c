package simfleet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/simfleet/esxtopservice"
	"github.com/vperf/vperf/internal/simfleet/world"
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
	scenePlannedAbsence = "planned-absence"
	sceneReadOnlyUser   = "read-only-user"
	sceneHungEsxtop     = "hung-esxtop"
	sceneDRSMoves       = "drs-moves"
)

// Descriptions of the scenarios.
const (
	busyHost       = "host01.demo.local"
	downHost       = "host08.demo.local"
	standbyHost    = "host13.demo.local"
	patchedHost    = "host15.demo.local"
	slowHost       = "host08.demo.local"
	hungHost       = "host08.demo.local"
	deniedHost     = "host02.demo.local"
	deniedFolder   = "databases"
	lockedHost     = "esxi-a"
	profileCluster = "general"
	movesCluster   = "lowlat"

	callsASession = 5
)

// DefaultSlowBy is how much longer each read from the host of scenario slow-host takes, unless Config.SlowBy sets it.
const DefaultSlowBy = 2 * time.Second

// Scenarios returns the scenarios that Config.Scenarios can name.
func Scenarios() []Scenario {
	return []Scenario{
		{sceneBusyHost, "a task of another user runs on host01"},
		{sceneConfigProfile, "a configuration profile manages the hosts of cluster " + profileCluster},
		{sceneDeniedUser, "host02 and folder " + deniedFolder + " are not readable for the user"},
		{sceneDRSMoves, "DRS moves a VM of cluster " + movesCluster + " now and then"},
		{sceneFreeLicence, "all hosts refuse writes, as with the free license"},
		{sceneHostDown, "host08 does not respond: its facts are old, writes fail"},
		{sceneHungEsxtop, "the Esxtop service of host08 accepts calls but never answers"},
		{sceneLockdown, "esxi-a is in lockdown mode and refuses logins"},
		{sceneNoEsxtop, "the user lacks " + esxtopservice.Privilege + " (Esxtop service)"},
		{scenePlannedAbsence, "host13 in standby, host15 in maintenance mode and down"},
		{sceneReadOnlyUser, "the user has the role Read-only and nothing else"},
		{sceneSessionExpires, fmt.Sprintf("sessions end after %d calls", callsASession)},
		{sceneSlowHost, fmt.Sprintf("each read from host08 takes %s longer", DefaultSlowBy)},
	}
}

// UnknownScenarioError is the error for an unknown scenario name.
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

// isDown reports whether the host does not respond to its vCenter now.
func (s scene) isDown(e *world.Host) bool { return e.Away.Load() || s.startsDown(e.Row.Name) }

func (s scene) startsDown(host string) bool {
	return s[sceneHostDown] && host == downHost || s[scenePlannedAbsence] && (host == standbyHost || host == patchedHost)
}

func (s scene) profileClusters() []string {
	if s[sceneConfigProfile] {
		return []string{profileCluster}
	}
	return nil
}

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// attacks lists what a hostile or faulty server, file or user may do, and the tests that hold vperf against it: the folder of a test, and
// its name.
var attacks = map[string][]string{
	"a small compressed answer takes all memory":                {"internal/vsphere/session TestAnswersAreLimited", "internal/vsphere/session TestHostileAnswers"},
	"a small compressed file takes all memory":                  {"internal/cli TestSwollenFilesAreRefused", "internal/cli TestSwollenCapturesAreRefused", "internal/kept TestSwollenSnapshotsAreNotOpened", "pkg/tuning TestSwollenFilesOfARunAreNotRead", "internal/vsphere/session TestSwollenSessionFileIsNotRead", "internal/source TestSnapshotsAreBoundedAfterUnpacking"},
	"a snapshot that cannot be loaded again after saving":       {"pkg/inventory FuzzLoad"},
	"a config file with only a byte order mark":                 {"internal/config FuzzParse"},
	"counters of any value":                                     {"pkg/esxtop FuzzDerive"},
	"sessions that expire during calls to hosts":                {"internal/vsphere/session TestShortSessionsServeAll"},
	"variables and a context that name different servers":       {"internal/cli TestNothingIsChangedWhereTheServersDiffer"},
	"a target that vCenter no longer has":                       {"internal/cli TestTargetThatVCenterNoLongerHas", "internal/vsphere/change TestOneHostOfAPlanIsGone", "internal/vsphere/change TestProveTargetsThatDisappear"},
	"elements nested 10,000 deep":                               {"internal/vsphere/session TestHostileAnswers", "internal/vsphere/session TestHostileRESTAnswers", "internal/cli TestAnswersNestedDeeply"},
	"a text of 100 MB in one property":                          {"internal/vsphere/session TestHostileAnswers", "internal/vsphere/session TestHostileRESTAnswers"},
	"YAML aliases that multiply":                                {"internal/cli TestAliasesThatMultiply"},
	"a rule that walks all VMs for each VM":                     {"internal/cli TestRulesThatWalkAllForEach", "pkg/advice TestRuleBeyondItsCostIsUnknownEverywhere"},
	"a regular expression of exponential kind":                  {"internal/cli TestRegularExpressionsAreLinear"},
	"CSV cells of a million characters":                         {"pkg/esxtop/batch TestCellsOfAMillionCharacters", "internal/rvtools/sheet TestLongCells", "internal/rvtools/sheet TestLongCellsOfWorkbooks"},
	"output that cannot be written":                             {"internal/cli TestProveAnswersThatCannotBeWritten"},
	"names with escapes, HTML, formulas, quotes and newlines":   {"internal/cli TestProveNamesAreOnlyText", "internal/cli TestDataIsOnlyText", "internal/cli TestDataOfRunsIsOnlyText"},
	"names with quotes of shells in scripts":                    {"internal/script FuzzQuotedForShells", "internal/script TestGovcScriptAppliesAndTakesBack", "internal/script TestESXCLIScriptAppliesAndTakesBack", "internal/script TestPowerCLIIsPlainASCIIAndItsQuotesAreClosed"},
	"a journal with a flipped bit":                              {"pkg/tuning TestProveFlippedBits"},
	"a full or read-only state folder, or one without locks":    {"internal/cli TestFullStateFolder", "internal/cli TestReadOnlyStateFolder", "pkg/tuning TestNothingIsChangedWithoutAJournal", "internal/tui TestSettingsAreReplacedAtOnce"},
	"a clock that is set forward and back":                      {"internal/ledger TestProveClocks", "pkg/tuning TestClockSetBackInARun", "pkg/tuning TestRunsAreInOrderWhenTheClockIsSetBack", "pkg/trial TestClockJumps", "internal/cli TestTrialClockJumps"},
	"slow clients of the exporter":                              {"internal/exporter TestSlowClients"},
	"reloading the exporter without the password":               {"internal/exporter TestTLSAndUsers", "internal/exporter TestOtherSitesMayNotReload"},
	"secrets in redacted snapshots":                             {"pkg/inventory TestRedactFields", "pkg/inventory TestRedact"},
	"calls that hang, are late, are cut off, or answer garbage": {"internal/cli TestProveFaults"},
}

// TestEveryAttackHasItsTests: the tests that attacks names exist.
func TestEveryAttackHasItsTests(t *testing.T) {
	for attack, tests := range attacks {
		require.NotEmpty(t, tests, attack)
		for _, test := range tests {
			folder, name, ok := strings.Cut(test, " ")
			require.True(t, ok, test)
			declared := regexp.MustCompile(`(?m)^func ` + name + `\(`)
			files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(folder), "*_test.go"))
			require.NoError(t, err)
			found := false
			for _, file := range files {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				found = found || declared.Match(text)
			}
			require.True(t, found, "%s: no test %s", attack, test)
		}
	}
}

package userfile

const (
	kibi = 1 << 10
	mebi = 1 << 20
	gibi = 1 << 30
)

const wrongFile = "is it the right file?"

// The kinds of files. The limits are several times the largest file that makes sense; a snapshot of 40,000 VMs has about 300 MB.
var (
	Snapshot     = Kind{"a snapshot", gibi, "save parts of the fleet, with --cluster NAME"}
	Plan         = Kind{"a plan", 256 * mebi, "make a plan of fewer objects: name them, or rules with --rule"}
	Probe        = Kind{"a probe", 64 * mebi, wrongFile}
	Baseline     = Kind{"a baseline", 256 * mebi, wrongFile}
	Waivers      = Kind{"a file of waivers", 4 * mebi, wrongFile}
	Rule         = Kind{"a file of rules", 4 * mebi, "a file holds one rule; " + wrongFile}
	Config       = Kind{"the config file", 4 * mebi, wrongFile}
	WebConfig    = Kind{"the web config file", 4 * mebi, wrongFile}
	Table        = Kind{"a table of releases", 16 * mebi, "vperf rules tables import writes it anew if you remove it"}
	Settings     = Kind{"the settings of top", 64 * kibi, "top writes the file anew if you remove it"}
	Entities     = Kind{"an entity file", 16 * mebi, wrongFile}
	Certificates = Kind{"a file of certificates", 16 * mebi, wrongFile}
	KnownHosts   = Kind{"a file of known hosts", 16 * mebi, wrongFile}
	Counters     = Kind{"a file of counters", 512 * mebi, "remove it; counters begin at 0"}
	Session      = Kind{"a session file", mebi, "remove it; vperf logs in again"}
)

// Kinds lists all kinds of files.
func Kinds() []Kind {
	return []Kind{Snapshot, Plan, Probe, Baseline, Waivers, Rule, Config, WebConfig, Table, Settings, Entities, Certificates, KnownHosts, Counters, Session}
}

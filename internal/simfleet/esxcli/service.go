// Package esxcli adds esxcli commands to the simulator.
package esxcli

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"sync"

	cli "github.com/vmware/govmomi/cli/esx"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/simulator/esx"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/xml"

	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// command is a command that the fleet's hosts have and the simulator does not.
type command struct {
	name  string   // as typed after esxcli
	flags []string // each takes a value: -n is nicname in the request
	rows  func(e cliHost, args map[string]string) ([]cli.Values, bool)
	// writes means that the command changes the host; its answer is true.
	writes bool
}

var commands = []command{
	{"network nic get", []string{"nicname"}, cliHost.cliNIC, false},
	{"network nic ring current get", []string{"nicname"}, cliHost.cliRing, false},
	{"network nic ring current set", []string{"nicname", "rx"}, cliHost.cliSetRing, true},
	{"network nic ring preset get", []string{"nicname"}, cliHost.cliRingMax, false},
	{"network nic stats get", []string{"nicname"}, cliHost.cliNICStats, false},
	{"network nic coalesce get", nil, cliHost.cliCoalesce, false},
	{"storage core device list", []string{"device"}, cliHost.cliDevices, false},
	{"storage core device set", []string{"device", "schednumreqoutstanding"}, cliHost.cliSetDevice, true},
	{"storage nmp device list", nil, cliHost.cliPaths, false},
	{"storage san fc list", nil, cliHost.cliFC, false},
	{"storage san sas list", nil, cliHost.cliSAS, false},
	{"system settings kernel list", nil, cliHost.cliKernel, false},
	{"system module parameters list", []string{"module"}, cliHost.cliParameters, false},
}

// cliFlags maps the arguments of requests to flags.
var cliFlags = map[string][]string{
	"module": {"-m", "--module"}, "rx": {"-r", "--rx"}, "nicname": {"-n", "--nic-name"}, "device": {"-d", "--device"}, "schednumreqoutstanding": {"-O", "--sched-num-req-outstanding"},
}

// teach adds the fleet's commands to the simulator, which describes them to clients.
//
// govmomi v0.56.0 simulator: the list of commands is global to the process.
var teach = sync.OnceFunc(func() {
	for _, c := range commands {
		words := strings.Fields(c.name)
		last := len(words) - 1
		method := cli.CommandInfoMethod{CommandInfoItem: item(words[last])}
		for _, f := range c.flags {
			method.Param = append(method.Param, cli.CommandInfoParam{CommandInfoItem: item(f), Aliases: cliFlags[f]})
		}
		space := strings.Join(words[:last], ".")
		i := slices.IndexFunc(esx.CommandInfo, func(i cli.CommandInfo) bool { return i.Name == space })
		if i < 0 {
			i = len(esx.CommandInfo)
			esx.CommandInfo = append(esx.CommandInfo, cli.CommandInfo{CommandInfoItem: item(space)})
		}
		esx.CommandInfo[i].Method = append(esx.CommandInfo[i].Method, method)
	}
})

func item(name string) cli.CommandInfoItem {
	return cli.CommandInfoItem{Name: name, DisplayName: name, Help: name}
}

const methodPrefix = "vim.EsxCLI."

// ownCommand finds the command of a request, if it is one of the fleet's. The request's type is the library's own.
func ownCommand(request any) (command, bool) {
	v := reflect.Indirect(reflect.ValueOf(request))
	if v.Kind() != reflect.Struct || !v.FieldByName("Method").IsValid() {
		return command{}, false
	}
	name, ok := strings.CutPrefix(v.FieldByName("Method").String(), methodPrefix)
	name = strings.ReplaceAll(name, ".", " ")
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if !ok || i < 0 {
		return command{}, false
	}
	return commands[i], true
}

// cliArguments returns the arguments of a request by name; each value is an element of that name.
func cliArguments(request any) map[string]string {
	args := map[string]string{}
	list := reflect.Indirect(reflect.ValueOf(request)).FieldByName("Argument")
	for i := range list.Len() {
		a := list.Index(i)
		var value struct {
			Text string `xml:",chardata"`
		}
		if xml.Unmarshal([]byte(a.FieldByName("Val").String()), &value) == nil {
			args[a.FieldByName("Name").String()] = value.Text
		}
	}
	return args
}

// Service answers esxcli commands for hosts.
type Service struct {
	world.Replacement
	hosts []*world.Host
	loads *load.Model
}

// New returns the esxcli service of some hosts, and makes the simulator describe its commands to clients from now on.
func New(hosts []*world.Host, loads *load.Model) *Service {
	teach()
	return &Service{world.NewReplacement("esxcli"), hosts, loads}
}

// ExecuteSoap executes the fleet's own commands.
func (s *Service) ExecuteSoap(ctx *simulator.Context, request any) soap.HasFault {
	c, _ := ownCommand(request)
	this := reflect.Indirect(reflect.ValueOf(request)).FieldByName("This").FieldByName("Value").String()
	at := slices.IndexFunc(s.hosts, func(h *world.Host) bool { return h.System.Self.Value == this })
	if at < 0 {
		return answered(&soapResult{Fault: &cliFault{Msg: "The object or item referred to could not be found."}})
	}
	rows, ok := c.run(ctx, cliHost{s.hosts[at], s.loads}, cliArguments(request))
	if !ok {
		return answered(&soapResult{Fault: &cliFault{Msg: "EsxCLI.CLIFault.summary", Detail: "Invalid argument"}})
	}
	return answered(&soapResult{Response: c.answer(rows)})
}

func answered(res *soapResult) soap.HasFault { return &soapBody{Res: &soapResponse{res}} }

// Done answers a command as if it had been executed.
func Done(request any) (answer soap.HasFault, own bool) {
	c, own := ownCommand(request)
	return answered(&soapResult{Response: c.answer(nil)}), own
}

// Command returns the name of a request's command and whether it changes the host, if it is one of the fleet's.
func Command(request any) (name string, writes, own bool) {
	c, own := ownCommand(request)
	return c.name, c.writes, own
}

// Method returns the method that a request of ExecuteSoap executes, such as vim.CLIInfo.FetchCLIInfo.
func Method(request any) string {
	if v := reflect.Indirect(reflect.ValueOf(request)); v.Kind() == reflect.Struct && v.FieldByName("Method").IsValid() {
		return v.FieldByName("Method").String()
	}
	return ""
}

// run holds the host's locks while the command runs.
func (c command) run(ctx *simulator.Context, e cliHost, args map[string]string) (rows []cli.Values, ok bool) {
	e.Mu.Lock()
	defer e.Mu.Unlock()
	ctx.WithLock(e.System, func() { rows, ok = c.rows(e, args) })
	return rows, ok
}

func (c command) answer(rows []cli.Values) string {
	var b bytes.Buffer
	kind := strings.ReplaceAll(methodPrefix+c.name, " ", ".")
	response := &cli.Response{Kind: strings.ReplaceAll(kind, ".", ""), Values: rows}
	if c.writes {
		response = &cli.Response{Kind: "boolean", String: "true"}
	}
	_ = xml.NewEncoder(&b).Encode(response) // encoding a map of texts cannot fail
	return b.String()
}

// The library's types are internal; these have the same form on the wire.
type (
	soapBody struct {
		Res   *soapResponse `xml:"urn:vim25 ExecuteSoapResponse,omitempty"`
		Wrong *soap.Fault   `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
	}
	soapResponse struct {
		Returnval *soapResult `xml:"urn:vim25 returnval"`
	}
	soapResult struct {
		Response string    `xml:"response,omitempty"`
		Fault    *cliFault `xml:"fault,omitempty"`
	}
	cliFault struct {
		Msg    string `xml:"faultMsg"`
		Detail string `xml:"faultDetail,omitempty"`
	}
)

// Fault returns the fault of the call itself; a command's own fault is part of its answer.
func (b *soapBody) Fault() *soap.Fault { return b.Wrong }

// Own reports whether the fleet answers a call instead of the simulator.
func Own(method *simulator.Method) bool {
	if method.Name != "ExecuteSoap" {
		return false
	}
	_, own := ownCommand(method.Body)
	return own
}

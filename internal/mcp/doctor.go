package mcp

import (
	"context"
	"strings"

	"github.com/vperf/vperf/internal/doctor"
)

type doctorAnswer struct {
	Notice  string         `json:"notice"`
	Status  doctor.Status  `json:"status"`
	Servers []doctorServer `json:"servers"`
	// Machine are the checks of this machine that are not ok.
	Machine []doctor.Result `json:"machine,omitempty"`
}

type doctorServer struct {
	Name    string          `json:"name"`
	Context string          `json:"context,omitempty"`
	Status  doctor.Status   `json:"status"`
	Checks  []doctor.Result `json:"checks"`
	Works   string          `json:"works"` // commands that will work
	Not     []notWorking    `json:"not,omitempty"`
}

// notWorking is a command that will not work, or works with a limit.
type notWorking struct {
	Command string        `json:"command"`
	Status  doctor.Status `json:"status"`
	Text    string        `json:"text"`
	Missing []string      `json:"missing,omitempty"` // privileges
	Try     []string      `json:"try,omitempty"`
}

// shorten leaves out details, the least important first.
func (a *doctorAnswer) shorten() bool {
	for i := range a.Servers {
		s := &a.Servers[i]
		for k := range s.Checks {
			if c := &s.Checks[k]; c.Status == doctor.OK && c.Text != "" {
				c.Text, c.Cause, c.Try = "", "", nil
				return true
			}
		}
	}
	for i := range a.Servers {
		for k := range a.Servers[i].Not {
			if n := &a.Servers[i].Not[k]; n.Missing != nil || n.Try != nil {
				n.Missing, n.Try = nil, nil
				return true
			}
		}
	}
	if n := len(a.Servers); n > 1 {
		a.Servers = a.Servers[:n-1]
		return true
	}
	return false
}

func (s *server) doctorTool(ctx context.Context, _ noArguments) (answer, error) {
	r, err := asking(ctx, s, s.Doctor)
	if err != nil {
		return nil, err
	}
	a := &doctorAnswer{Notice: notice, Status: r.Status, Servers: []doctorServer{}}
	for _, m := range r.Machine {
		if m.Status != doctor.OK {
			a.Machine = append(a.Machine, m)
		}
	}
	for _, server := range r.Servers {
		a.Servers = append(a.Servers, doctorOf(server))
	}
	return a, nil
}

func doctorOf(s doctor.Server) doctorServer {
	out := doctorServer{Name: s.Name, Context: s.Context, Status: s.Status, Checks: append([]doctor.Result{}, s.Checks...)}
	var works []string
	for _, c := range s.Commands {
		if c.Status == doctor.OK {
			works = append(works, c.ID)
			continue
		}
		n := notWorking{Command: c.ID, Status: c.Status, Text: c.Text, Try: some(c.Try, mostTexts)}
		for _, m := range c.Missing {
			n.Missing = append(n.Missing, m.Privilege)
		}
		n.Missing = some(n.Missing, mostListed)
		out.Not = append(out.Not, n)
	}
	out.Works = strings.Join(works, ", ")
	return out
}

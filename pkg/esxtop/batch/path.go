package batch

import "strings"

// columnPath is a column's name in the header: \\host\Group(instance)\Counter.
type columnPath struct {
	host, group, instance, counter string
	instanced                      bool // parentheses are there
}

// parsePath parses a column's name and skips any text before it. Instances may contain any characters, including
// parentheses and backslashes; hosts, groups and counters may not.
func parsePath(s string) (p columnPath, ok bool) {
	_, rest, ok := strings.Cut(s, `\\`)
	if !ok {
		return p, false
	}
	if p.host, rest, ok = strings.Cut(rest, `\`); !ok || p.host == "" {
		return p, false
	}
	last := strings.LastIndexByte(rest, '\\')
	if last < 0 {
		return p, false
	}
	rest, p.counter = rest[:last], rest[last+1:]
	p.group, p.instance, p.instanced = strings.Cut(rest, "(")
	if p.instanced {
		end := strings.LastIndexByte(p.instance, ')')
		if end < 0 {
			return p, false
		}
		p.instance = p.instance[:end]
	}
	return p, p.group != "" && p.counter != ""
}

func (p columnPath) String() string {
	// A backslash would end the host's name early.
	s := `\\` + strings.ReplaceAll(p.host, `\`, "/") + `\` + p.group
	if p.instanced {
		s += "(" + p.instance + ")"
	}
	return s + `\` + p.counter
}

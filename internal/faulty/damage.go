package faulty

import (
	"bytes"
	"encoding/xml"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Spot is a scalar in an answer of SOAP that is not an id: the text of an element.
type Spot struct {
	From, To int    // in the answer
	Element  string // its local name
	Type     string // as XML Schema calls it; "" if the answer does not say
	Object   string // the id of the object that this part of the answer is about; "" if there is none
	Property string // of that object
}

// ids are elements whose texts identify something.
var ids = map[string]bool{
	"obj": true, "path": true, "token": true, "version": true, "key": true, "id": true, "kind": true, "op": true, "counterId": true,
	"instance": true, "filter": true, "truncated": true, "sessionKey": true, "typeId": true,
}

// Spots returns the scalars of an answer. An answer that is no XML has none.
func Spots(answer []byte) (list []Spot) {
	d := xml.NewDecoder(bytes.NewReader(answer))
	var open []xml.StartElement
	var text Spot
	var object, property string
	for {
		at := int(d.InputOffset())
		token, err := d.RawToken()
		if err != nil {
			return list
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, token.Copy())
			text = Spot{}
		case xml.CharData:
			text = Spot{From: at, To: int(d.InputOffset())}
		case xml.EndElement:
			last := len(open) - 1
			tag, in := open[last], ""
			if open = open[:last]; last > 0 {
				in = open[last-1].Name.Local
			}
			named := tag.Name.Local == "name" && (in == "propSet" || in == "changeSet")
			switch {
			case text.To == 0:
			case tag.Name.Local == "obj":
				object = string(answer[text.From:text.To])
			case named:
				property = string(answer[text.From:text.To])
			case !ids[tag.Name.Local] && !isReference(tag) && !strings.HasSuffix(strings.ToLower(property), "uuid"):
				text.Element, text.Type, text.Object, text.Property = tag.Name.Local, typeOf(tag), object, property
				list = append(list, text)
			}
			text = Spot{}
		}
	}
}

func isReference(tag xml.StartElement) bool {
	return slices.ContainsFunc(tag.Attr, func(a xml.Attr) bool { return a.Name.Local == "type" && a.Name.Space == "" })
}

func typeOf(tag xml.StartElement) string {
	for _, a := range tag.Attr {
		if a.Name.Local == "type" {
			_, name, _ := strings.Cut(a.Value, ":")
			return name
		}
	}
	return ""
}

var (
	whole = regexp.MustCompile(`^-?[0-9]+$`)
	zoned = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|[+-]\d\d:\d\d)$`)
)

// Damage returns an answer whose text at the spot is damaged, and what it is now. In most cases the text cannot be valid any more; a
// number may have become another word where the answer expects a word.
func (s Spot) Damage(answer []byte, r *rand.Rand) (damaged []byte, now string) {
	text := string(answer[s.From:s.To])
	at := r.IntN(len(text) + 1)
	if strings.Contains(text, "&") || !isASCII(text) {
		at = 0
	}
	var ways []string
	for _, forbidden := range []string{"\xff", "\x1f", "&#31;", "&#xFFFE;"} {
		ways = append(ways, text[:at]+forbidden+text[at:])
	}
	switch {
	case whole.MatchString(text) && s.Type != "string":
		ways = append(ways, "x"+text, "99999999999999999999", "x"+text, "99999999999999999999")
	case text == "true" || text == "false":
		ways = append(ways, "maybe", "maybe")
	case zoned.MatchString(text):
		ways = append(ways, "yesterday", zoned.ReplaceAllString(text, "$1"), zoned.ReplaceAllString(text, "$1"))
	}
	now = ways[r.IntN(len(ways))]
	return slices.Concat(answer[:s.From], []byte(now), answer[s.To:]), now
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

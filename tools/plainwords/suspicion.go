package main

import "regexp"

// pattern is a way of writing that readers stumble over.
type pattern struct {
	reason string
	match  *regexp.Regexp
}

func pat(reason, expression string) pattern { return pattern{reason, regexp.MustCompile(expression)} }

// patterns are searched in order; the first that matches names the line's reason.
var patterns = []pattern{
	// A clause in the place of a noun: "what came late is waited for", "of who may read it".
	pat("clause as subject", `(?:^|[.;:(] )(?:What|what|Whatever|Who|who|Whoever|Whom|Whose)\b`),
	pat("clause as noun", `\b(?:is|are|was|were|of|for|by|with|from|to|on|in|and|or|than|as|but|not|says?|knows?|tells?|reads?|shows?|takes?|keeps?|gives?|has|have|lists?|returns?|means?|finds?|holds?) (?:what|whatever|who|whom|whoever)\b`),
	pat("clause as object", `[a-z] what (?:is|was|are|were|it|they|a|an|the|has|have|had|does|did|nobody|no|comes?|came|goes|would|could|can|cannot|may|must|one|each|an?other|vperf|ESXi|vCenter|vSphere)\b`),
	pat("nobody, or nothing as subject", `\b(?:[Nn]obody|[Nn]o one)\b|\b[Nn]othing (?:of|is|was|has|had|says|knows|can|could|may|but)\b|\b[Nn]one of (?:it|them) (?:is|are|was|were|has|have)\b`),
	pat("verb first", `(?:^|[.;] )(?:Left|Wanted|Told|Asked|Given|Held|Kept|Seen|Said) (?:is|are|was|were|out|by|of|to)\b`),

	pat("told, tells", `\b(?:[Tt]old|[Tt]ells?|[Uu]ntold)\b`),
	pat("held against", `\b(?:held|holds?|holding) (?:[a-z]+ )?against\b`),
	pat("by hand, for a person", `\b(?:by hand|for a person|for people)\b`),
	pat("left out, left alone", `\b(?:left|leaves?|leaving) (?:out|alone)\b|\b(?:is|are|was|were) left\b`),
	pat("lacks, wanting", `\b(?:lacks?|lacked|wanting)\b`),
	pat("given up, the others wait", `\b(?:given up|gives? up|others wait)\b`),
	pat("goes by", `\b(?:goes|go|went|going) by\b`),
	pat("stands", `\bstands?\b`),
	pat("fits", `\bfits? (?:it|them|him|the|its|their|each|with)\b|\bfitting\b`),
	pat("a verb or half a sentence as placeholder", `\bso (?:LONG|MANY|MUCH)\b`),
	pat("said, says so", `\b(?:is|are|was|were|be|been) said\b|\b(?:says?|said|saying) so\b`),
	pat("consents, darkness, radius, terms", `\b(?:consents?|darkness|radius|outages)\b`),
	pat("book, shelf, twins", `\b(?:shelf|shelves|twins?)\b`),
	pat("teller, story, reckoned", `\b(?:tellers?|stor(?:y|ies)|reckon(?:s|ed|ing)?|foreteller|lone|dress(?:es|ed)?|seats?|seated)\b`),
}

// plain is good English that the patterns would take for a clause: "what to type", and questions.
var plain = regexp.MustCompile(`\b[Ww]h(?:at|om) to\b|[^.:;]*\?`)

// suspicion returns the reason why a line is hard to read, or "" if it is not.
func suspicion(text string) string {
	text = plain.ReplaceAllString(text, "")
	for _, p := range patterns {
		if p.match.MatchString(text) {
			return p.reason
		}
	}
	return ""
}

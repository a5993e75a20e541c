package exporter

import (
	"fmt"
	"slices"
	"strings"
)

// tagLabels are labels for the tags of some categories: names and values by the id of the object. Several tags of a category
// stand in one label, sorted, with commas between.
func tagLabels(tags tagsOf, categories []string) map[string]map[string]string {
	names := tagNames(categories)
	all := map[string]map[string]string{}
	for id, list := range tags {
		if own := namedTags(list, names); len(own) > 0 {
			all[id] = own
		}
	}
	return all
}

func namedTags(tags []string, names map[string]string) map[string]string {
	values := map[string][]string{}
	for _, t := range tags {
		if label, tag, ok := tagOf(t, names); ok {
			values[label] = append(values[label], tag)
		}
	}
	own := make(map[string]string, len(values))
	for label, list := range values {
		slices.Sort(list)
		own[label] = strings.Join(slices.Compact(list), ",")
	}
	return own
}

// tagOf splits CATEGORY/NAME. A category's name may have a slash in it, too: the longest that fits is meant.
func tagOf(t string, names map[string]string) (label, tag string, ok bool) {
	for i := len(t) - 1; i >= 0; i-- {
		if t[i] != '/' {
			continue
		}
		if label, ok := names[strings.ToLower(t[:i])]; ok {
			return label, t[i+1:], true
		}
	}
	return "", "", false
}

// tagNames are the names of labels by category, in lower case, which is how vSphere tells categories apart. Where two
// categories would get the same name the later ones, in the order of the alphabet, get a number.
func tagNames(categories []string) map[string]string {
	var sorted []string
	for _, c := range categories {
		if c != "" {
			sorted = append(sorted, strings.ToLower(c))
		}
	}
	slices.Sort(sorted)
	names, taken := map[string]string{}, map[string]bool{}
	for _, c := range slices.Compact(sorted) {
		base := "tag_" + strings.Map(labelRune, c)
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		names[c], taken[name] = name, true
	}
	return names
}

// labelRune is what stands for a letter in the name of a label.
func labelRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}

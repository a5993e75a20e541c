package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vperf/vperf/docs"
	"github.com/vperf/vperf/pkg/advice"
)

// The addresses of resources.
const (
	rulePrefix  = "vperf://rule/"  // and the id of a rule
	rulesPrefix = "vperf://rules/" // and a category
	docsPrefix  = "vperf://docs/"  // and the name of a page
	markdown    = "text/markdown"
)

// addResources adds the rules by category, each rule, and the pages of the documentation.
func (s *server) addResources(to *sdk.Server) {
	if s.Guide != nil {
		to.AddResourceTemplate(&sdk.ResourceTemplate{
			URITemplate: rulePrefix + "{id}", Name: "rule", Title: "The guide's section about a rule", MIMEType: markdown,
			Description: "What a rule checks and why, its measured benefit, fix and trade-off, the releases, and its sources.",
		}, s.readRule)
	}
	if s.Library != nil {
		for _, c := range advice.Categories() {
			to.AddResource(&sdk.Resource{
				URI: rulesPrefix + string(c), Name: "rules of " + string(c), Title: "Rules of the category " + string(c), MIMEType: markdown,
				Description: "The ids, severities and titles of the rules of the category " + string(c) + ".",
			}, s.readCategory)
		}
	}
	for _, p := range docs.Pages() {
		to.AddResource(&sdk.Resource{
			URI: docsPrefix + p.Name, Name: p.Name, Title: p.Title, MIMEType: markdown, Description: "A page of vperf's documentation: " + p.Title + ".",
		}, readPage)
	}
}

func (s *server) readRule(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	id, _ := strings.CutPrefix(r.Params.URI, rulePrefix)
	section, err := s.Guide(id)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", clean(r.Params.URI, longestName), err)
	}
	return contents(r, section), nil
}

func (s *server) readCategory(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	category, _ := strings.CutPrefix(r.Params.URI, rulesPrefix)
	library, err := s.Library()
	if err != nil {
		return nil, err
	}
	of := slices.DeleteFunc(slices.Clone(library.Rules()), func(r *advice.Rule) bool { return string(r.Category) != category })
	var b strings.Builder
	fmt.Fprintf(&b, "# Rules of the category %s\n\n%d rules. `%sID` has the guide's section about one.\n\n", category, len(of), rulePrefix)
	for _, rule := range of {
		fmt.Fprintf(&b, "- `%s` (%s): %s\n", rule.ID, rule.Severity, rule.Title)
	}
	return contents(r, b.String()), nil
}

func readPage(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	name, _ := strings.CutPrefix(r.Params.URI, docsPrefix)
	page, err := docs.Read(name)
	if err != nil {
		return nil, err
	}
	return contents(r, page), nil
}

func contents(r *sdk.ReadResourceRequest, page string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: markdown, Text: page}}}
}

package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/pkg/advice"
)

// judge is what targets are judged by.
type judge struct {
	library   *advice.Library
	rules     *advice.Ruleset
	described string // differs where a rule of the user's does
}

// judges makes each judge once: compiling the rules is most of what reading the config takes, and most targets share them.
type judges struct {
	factory *Factory
	ready   map[string]*judge // by what the config says
}

func (all *judges) of(s config.Sampling) (*judge, error) {
	files, ids := textsOf(s.RuleFiles), textsOf(s.Rules)
	key := fmt.Sprintf("%q %q", files, ids)
	if j := all.ready[key]; j != nil {
		return j, nil
	}
	library, err := all.factory.Library(files, false)
	if err != nil {
		return nil, placed(err, s.RuleFiles)
	}
	j := &judge{library: library}
	if j.rules, err = library.Select(advice.Selection{Rules: ids}); err != nil {
		return nil, placed(err, s.Rules)
	}
	j.described = describeRules(files)
	all.ready[key] = j
	return j, nil
}

// describeRules tells files of rules from others: what somebody edited counts after a reload.
func describeRules(files []string) string {
	sum := sha256.New()
	for _, root := range files {
		_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error { // they could be read: the library is made of them
			if err == nil && filepath.Ext(path) == ".yaml" {
				text, _ := os.ReadFile(path)
				fmt.Fprintf(sum, "%q %d\n%s\n", path, len(text), text)
			}
			return nil
		})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// placed says where in the config the word stands that a mistake is about.
func placed(err error, words []config.Word) error {
	var unknown *advice.UnknownRuleError
	for _, w := range words {
		if errors.As(err, &unknown) && unknown.ID != w.Text || unknown == nil && !strings.Contains(err.Error(), w.Text) {
			continue
		}
		return fmt.Errorf("%s: %w", w.At, err)
	}
	return err
}

func textsOf(words []config.Word) []string {
	var texts []string
	for _, w := range words {
		texts = append(texts, w.Text)
	}
	return texts
}

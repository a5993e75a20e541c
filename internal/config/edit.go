package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// ErrContextExists means that a context with that name exists.
var ErrContextExists = errors.New("already exists")

// Add appends a context. It does not make it the current one.
func (f *File) Add(c *Context) error {
	if _, err := f.Find(c.Name); err == nil {
		return fmt.Errorf("context %s %w: see vperf context show %s, or vperf context remove %s", c.Name, ErrContextExists, c.Name, c.Name)
	}
	var problems []error
	c.check(func(_ string, err error) { problems = append(problems, err) })
	if err := errors.Join(problems...); err != nil {
		return err
	}
	list := f.list()
	list.Style &^= yaml.FlowStyle // an empty list is written as []
	list.Content = append(list.Content, c.node())
	f.Contexts = append(f.Contexts, c)
	return nil
}

// Use makes a context the current one; an empty name means none.
func (f *File) Use(name string) error {
	if name == "" {
		f.Current = ""
		f.drop("current")
		return nil
	}
	if _, err := f.Find(name); err != nil {
		return err
	}
	f.Current = name
	root := f.root()
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "current" {
			root.Content[i+1].SetString(name)
			return nil
		}
	}
	root.Content = slices.Insert(root.Content, 0, scalar("current"), scalar(name))
	return nil
}

// Remove removes a context. If it was the current one, there is none afterwards.
func (f *File) Remove(name string) error {
	c, err := f.Find(name)
	if err != nil {
		return err
	}
	i := slices.Index(f.Contexts, c)
	f.Contexts = slices.Delete(f.Contexts, i, i+1)
	list := f.list()
	list.Content = slices.Delete(list.Content, i, i+1)
	if f.Current == name {
		return f.Use("")
	}
	return nil
}

// root returns the root mapping of the file, creating it if necessary.
func (f *File) root() *yaml.Node {
	if f.doc == nil {
		f.doc = &yaml.Node{Kind: yaml.DocumentNode}
	}
	if len(f.doc.Content) == 0 || isNull(f.doc.Content[0]) {
		f.doc.Content = []*yaml.Node{{Kind: yaml.MappingNode}}
	}
	return f.doc.Content[0]
}

func (f *File) list() *yaml.Node {
	root := f.root()
	if list := valueOf(root, "contexts"); list != root {
		if isNull(list) {
			list.Kind, list.Tag, list.Value = yaml.SequenceNode, "", ""
		}
		return list
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	root.Content = append(root.Content, scalar("contexts"), list)
	return list
}

// drop removes a key; it keeps the comment above it.
func (f *File) drop(key string) {
	root := f.root()
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != key {
			continue
		}
		comment := root.Content[i].HeadComment
		root.Content = slices.Delete(root.Content, i, i+2)
		if i < len(root.Content) && root.Content[i].HeadComment == "" {
			root.Content[i].HeadComment = comment
		}
		return
	}
}

func scalar(s string) *yaml.Node {
	n := new(yaml.Node)
	n.SetString(s)
	return n
}

// node formats a context, omitting empty fields.
func (c *Context) node() *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, line := range [][2]string{
		{"name", c.Name}, {"url", c.URL}, {"username", c.Username},
		{"password-file", c.PasswordFile}, {"password-command", c.PasswordCommand},
		{"tls-ca-certs", c.CAFiles}, {"tls-known-hosts", c.KnownHosts}, {"tls-thumbprint", c.Thumbprint},
	} {
		if line[1] != "" {
			n.Content = append(n.Content, scalar(line[0]), scalar(line[1]))
		}
	}
	if c.Keyring {
		n.Content = append(n.Content, scalar("keyring"), truth(true))
	}
	if c.Insecure != nil {
		n.Content = append(n.Content, scalar("insecure"), truth(*c.Insecure))
	}
	return n
}

func truth(b bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(b)}
}

// Save replaces the file only after the new one is completely written. The file is readable only by its owner.
func (f *File) Save() error {
	text, err := f.encode()
	if err != nil {
		return fmt.Errorf("writing the config file %s: %w", f.Path, err)
	}
	path, err := linkTarget(f.Path)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = replace(path, text)
	}
	if err != nil {
		return fmt.Errorf("writing the config file %s: %w", f.Path, err)
	}
	return nil
}

// encode returns an error if the text could not be loaded again.
func (f *File) encode() ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(f.doc), e.Close()); err != nil {
		return nil, err
	}
	_, err := parse(f.Path, b.Bytes())
	return b.Bytes(), err
}

// linkTarget returns the target of a symbolic link, which users have to keep their settings elsewhere: the link
// remains.
func linkTarget(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return target, err
}

func replace(path string, text []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".config-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name()) // best effort: the first error is the one that matters
		}
	}()
	_, err = tmp.Write(text)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

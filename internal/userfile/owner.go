package userfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// OthersRead and OthersWrite are the permissions that files with secrets, and files that vperf acts upon, must not have.
const (
	OthersRead  fs.FileMode = 0o077
	OthersWrite fs.FileMode = 0o022
)

// Allows returns an error if the mode of a file or folder has one of the forbidden permissions. Pipes and devices have none of
// their own, and a folder is no file with a secret.
func Allows(path string, info fs.FileInfo, forbidden fs.FileMode) error {
	mode := info.Mode()
	switch {
	case runtime.GOOS == "windows", mode.Perm()&forbidden == 0, !mode.IsRegular() && (!mode.IsDir() || forbidden == OthersRead):
		return nil
	case forbidden == OthersRead:
		return fmt.Errorf("other users can read it (mode %04o): run chmod 600 %s", mode.Perm(), path)
	}
	return fmt.Errorf("%s can be written by other users (mode %04o): check its content, then run chmod go-w %s", path, mode.Perm(), path)
}

// Owned is Allows for files and folders that vperf wrote itself: they belong to this user, or to root.
func Owned(path string, info fs.FileInfo, forbidden fs.FileMode) error {
	if uid, known := owner(info); known && uid != 0 && uid != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user (uid %d): check its content, then run chown -R %d %s", path, uid, os.Geteuid(), path)
	}
	return Allows(path, info, forbidden)
}

// OwnFolders checks a folder that vperf wrote itself, and folders in it; links count as what they lead to. Missing folders are no error.
func OwnFolders(folder string, names ...string) error {
	for _, name := range append([]string{""}, names...) {
		path := filepath.Join(folder, name)
		info, err := os.Stat(path)
		if err != nil {
			continue // using it returns the error
		}
		if err := Owned(path, info, OthersWrite); err != nil {
			return err
		}
	}
	return nil
}

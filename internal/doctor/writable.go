package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writableFolder returns a folder, or the nearest one above it that exists, if the user may write to it. It makes nothing.
func writableFolder(path string) (string, error) {
	for folder := filepath.Clean(path); ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist) && filepath.Dir(folder) != folder:
			continue
		case err != nil:
			return folder, err
		case !info.IsDir():
			return folder, fmt.Errorf("%s is not a folder", folder)
		}
		if err := mayWrite(folder); err != nil {
			return folder, fmt.Errorf("%s: %w", folder, err)
		}
		return folder, nil
	}
}

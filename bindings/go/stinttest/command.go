package stinttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// findCommand gives the words that start stint: those of $STINT_COMMAND, or the command on the PATH, or the one that
// npm has installed in the folder or above.
func findCommand(folder string) ([]string, error) {
	if words := strings.Fields(os.Getenv("STINT_COMMAND")); len(words) > 0 {
		return words, nil
	}
	if found, err := exec.LookPath("stint"); err == nil {
		return []string{found}, nil
	}
	inside := filepath.Join("node_modules", ".bin", "stint")
	if runtime.GOOS == "windows" {
		inside += ".cmd"
	}
	for place := folder; ; place = filepath.Dir(place) {
		path := filepath.Join(place, inside)
		if _, err := os.Stat(path); err == nil {
			return []string{path}, nil
		} else if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) {
			return nil, err
		}
		if place == filepath.Dir(place) {
			return nil, fmt.Errorf("there is no command stint: not in $STINT_COMMAND, not on the PATH, and no %s in %s or "+
				"above; npm install --save-dev stint puts it there, with Node 22.19 or newer", inside, folder)
		}
	}
}

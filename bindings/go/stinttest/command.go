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
// npm has installed in the folder or above. Nothing that another user could have put there is taken: LookPath refuses
// what a relative entry of the PATH leads to, and what npm has installed must belong to this user, to the owner of the
// folder or to root.
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
			if err := refuseOfOthers(path, folder); err != nil {
				return nil, err
			}
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

// refuseOfOthers is an error where another user may have put the command there. Windows does not say whose a file is.
func refuseOfOthers(path, folder string) error {
	trusted := map[uint32]bool{0: true, uint32(os.Getuid()): true}
	if own, ok := ownerOf(folder); ok {
		trusted[own.uid] = true
	}
	for _, part := range []string{filepath.Dir(filepath.Dir(path)), filepath.Dir(path), path} {
		owner, ok := ownerOf(part)
		problem := ""
		switch {
		case ok && !trusted[owner.uid]:
			problem = fmt.Sprintf("belongs to another user (%d)", owner.uid)
		case ok && owner.mode&0o002 != 0:
			problem = "can be written by every user"
		default:
			continue
		}
		return fmt.Errorf("%s was found and is not started: %s %s. If it is meant, name it in $STINT_COMMAND",
			path, part, problem)
	}
	return nil
}

// An owner is whose a file is, and who else may change it.
type owner struct {
	uid  uint32
	mode os.FileMode
}

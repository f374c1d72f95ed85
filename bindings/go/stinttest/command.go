package stinttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// As many as Linux follows.
const maxLinks = 40

// findCommand gives the words that start stint: those of $STINT_COMMAND, or the command on the PATH, or the one that
// npm has installed in the folder or above. Nothing that another user could have put there is taken: LookPath refuses
// what a relative entry of the PATH leads to, and what npm has installed must belong to this user, to the owner of the
// folder or to root, and so must each link that leads to it.
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
				"above; `npm install --save-dev @stint-dev/stint` puts it there, with Node 22.19 or newer (not published yet: "+
				"`npm run pack` in a clone of Stint makes the tarball to install)", inside, folder)
		}
	}
}

// refuseOfOthers is an error where another user may have put the command there. Windows does not say whose a file is.
func refuseOfOthers(path, folder string) error {
	trusted := map[uint32]bool{0: true, uint32(os.Getuid()): true}
	if target, err := filepath.EvalSymlinks(folder); err == nil {
		if own, ok := ownerOf(target); ok {
			trusted[own.uid] = true
		}
	}
	var parts []string
	for _, part := range []string{filepath.Dir(filepath.Dir(path)), filepath.Dir(path), path} {
		parts = append(parts, withTargets(part)...)
	}
	for _, part := range parts {
		owner, ok := ownerOf(part)
		problem := ""
		switch {
		case ok && !trusted[owner.uid]:
			problem = fmt.Sprintf("belongs to another user (%d)", owner.uid)
		case ok && owner.mode&os.ModeSymlink == 0 && owner.mode&0o002 != 0:
			problem = "can be written by every user"
		default:
			continue
		}
		return fmt.Errorf("%s was found and is not started: %s %s. If it is meant, name it in $STINT_COMMAND",
			path, part, problem)
	}
	return nil
}

// withTargets gives the path, and what each link leads to, up to what is no link. A target is not cleaned: what its ..
// leads to depends on the links before it.
func withTargets(path string) []string {
	found := []string{path}
	for len(found) <= maxLinks {
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = path[:strings.LastIndexByte(path, filepath.Separator)+1] + target
		}
		path = target
		found = append(found, path)
	}
	return found
}

// childEnvironment is the environment for a command: no entry of its PATH is relative, because the command looks for
// node there. Without any entry there is no PATH: an empty one would mean the current folder.
func childEnvironment(environment []string) []string {
	var child []string
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if name != "PATH" && !(runtime.GOOS == "windows" && strings.EqualFold(name, "PATH")) {
			child = append(child, variable)
			continue
		}
		entries := slices.DeleteFunc(filepath.SplitList(value), func(entry string) bool { return !filepath.IsAbs(entry) })
		if len(entries) > 0 {
			child = append(child, name+"="+strings.Join(entries, string(os.PathListSeparator)))
		}
	}
	return child
}

// An owner is whose a file is, and who else may change it.
type owner struct {
	uid  uint32
	mode os.FileMode
}

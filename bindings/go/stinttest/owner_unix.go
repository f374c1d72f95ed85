//go:build unix

package stinttest

import (
	"os"
	"syscall"
)

// ownerOf follows no links. False: it cannot be found out.
func ownerOf(path string) (owner, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return owner{}, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return owner{}, false
	}
	return owner{uid: stat.Uid, mode: info.Mode()}, true
}

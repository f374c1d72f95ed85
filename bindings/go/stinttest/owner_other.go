//go:build !unix

package stinttest

// ownerOf knows nothing on a system without user IDs.
func ownerOf(string) (owner, bool) {
	return owner{}, false
}

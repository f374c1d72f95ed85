package stinttest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func noCommandElsewhere(t *testing.T) {
	t.Helper()
	t.Setenv("STINT_COMMAND", "")
	t.Setenv("PATH", "")
}

// plant writes a command that could be run.
func plant(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestACommandOfTheCurrentFolderIsNotTaken(t *testing.T) {
	noCommandElsewhere(t)
	folder := t.TempDir()
	plant(t, filepath.Join(folder, "stint"))
	t.Chdir(folder)
	for _, path := range []string{".", string(os.PathListSeparator) + "/no/such/folder"} {
		t.Setenv("PATH", path)
		if words, err := findCommand(folder); err == nil {
			t.Errorf("PATH=%s: %v was found", path, words)
		}
	}
	t.Setenv("PATH", folder)
	if words, err := findCommand(folder); err != nil || words[0] != filepath.Join(folder, "stint") {
		t.Errorf("%v, %v", words, err)
	}
}

func TestACommandThatOthersMayHaveInstalledIsNotTaken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not say whose a file is")
	}
	noCommandElsewhere(t)
	folder := t.TempDir()
	command := filepath.Join(folder, "node_modules", ".bin", "stint")
	plant(t, command)
	tests := filepath.Join(folder, "tests")
	if err := os.Mkdir(tests, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{filepath.Join(folder, "node_modules"), filepath.Dir(command), command} {
		if err := os.Chmod(part, 0o777); err != nil {
			t.Fatal(err)
		}
		_, err := findCommand(tests)
		if err == nil || !strings.Contains(err.Error(), part+" can be written by every user. If it is meant, name it in") {
			t.Errorf("%s: %v", part, err)
		}
		if err := os.Chmod(part, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if words, err := findCommand(tests); err != nil || words[0] != command {
		t.Errorf("%v, %v", words, err)
	}
	if os.Getuid() != 0 {
		return // Only root can give a file to another user.
	}
	if err := os.Chown(filepath.Dir(command), 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if _, err := findCommand(tests); err == nil || !strings.Contains(err.Error(), "belongs to another user (12345)") {
		t.Errorf("%v", err)
	}
	// Who owns the tests has them run anyway: a folder of the host in a container of root, for example.
	if err := os.Chown(tests, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if _, err := findCommand(tests); err != nil {
		t.Error(err)
	}
}

func TestALinkOfAnotherUserIsNotFollowed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a link to another user")
	}
	noCommandElsewhere(t)
	for _, at := range []string{"node_modules", "node_modules/.bin", "node_modules/.bin/stint"} {
		folder := t.TempDir()
		tests := filepath.Join(folder, "tests")
		command := filepath.Join(tests, "node_modules", ".bin", "stint")
		plant(t, command)
		link, between := filepath.Join(tests, at), filepath.Join(folder, "between")
		for _, err := range []error{
			os.Rename(link, filepath.Join(folder, "installed")),
			os.Symlink("installed", between),
			os.Symlink(between, link),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if words, err := findCommand(tests); err != nil || words[0] != command {
			t.Errorf("%s: %v, %v", at, words, err)
		}
		for _, ofAnother := range []string{link, between} {
			if err := os.Lchown(ofAnother, 12345, 12345); err != nil {
				t.Fatal(err)
			}
			_, err := findCommand(tests)
			if err == nil || !strings.Contains(err.Error(), ofAnother+" belongs to another user (12345)") {
				t.Errorf("%s: %v", ofAnother, err)
			}
			if err := os.Lchown(ofAnother, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestTheCommandFindsNothingInTheCurrentFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows starts no scripts by their first line")
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"stint":        "#!/usr/bin/env planted-node\n",
		"planted-node": "#!/bin/sh\n: > was-started\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	for _, path := range []string{".", "", ":/usr/bin", ".:/usr/bin:/bin"} {
		t.Setenv("PATH", path)
		if _, err := startServer([]string{filepath.Join(folder, "stint")}, nil); err == nil {
			t.Errorf("PATH=%s: it serves", path)
		}
		if _, err := os.Stat("was-started"); err == nil {
			t.Errorf("PATH=%s: a program of the current folder was started", path)
		}
	}
}

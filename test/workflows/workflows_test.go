// Package workflows checks .github/workflows with actionlint, which knows the syntax, the types of expressions, and the
// inputs of well-known actions.
package workflows

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

const folder = "../../.github/workflows"

// Actions are pinned by their commits, and actionlint knows the inputs of those that are named by a major version.
var pinned = regexp.MustCompile(`@[0-9a-f]{40} # (v\d+)\S*`)

// complaints is what actionlint says of the text of a workflow.
func complaints(t *testing.T, path string, text []byte) []string {
	t.Helper()
	// No other program: what is installed where this runs must not matter.
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	project, err := actionlint.NewProject("../..")
	if err != nil {
		t.Fatal(err)
	}
	found, err := linter.Lint(path, pinned.ReplaceAll(text, []byte("@$1")), project)
	if err != nil {
		t.Fatal(err)
	}
	said := []string{}
	for _, one := range found {
		said = append(said, one.Error())
	}
	return said
}

func TestWorkflowsHaveNoMistakes(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.yml"))
	if err != nil || len(paths) != 3 {
		t.Fatalf("the workflows are %q (%v); there should be ci.yml, release.yml and site.yml", paths, err)
	}
	for _, path := range paths {
		for _, one := range complaints(t, path, read(t, path)) {
			t.Error(one)
		}
	}
}

// A mistake of each kind that matters here is found.
func TestMistakesAreFound(t *testing.T) {
	path := filepath.Join(folder, "release.yml")
	text := string(read(t, path))
	for name, change := range map[string][2]string{
		"a job that is not there":       {"needs: [npm, pypi, go]", "needs: [npm, pypi, rust]"},
		"a permission that is not":      {"attestations: write", "provenance: write"},
		"an input that an action lacks": {"persist-credentials: false", "persist-credential: false"},
		"an expression of nothing":      {"${{ github.token }}", "${{ github.tokn }}"},
		"a workflow that is not there":  {"./.github/workflows/ci.yml", "./.github/workflows/all.yml"},
		"a key that is unknown":         {"timeout-minutes: 45", "timeout-minute: 45"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(text, change[0], change[1], 1)
			if changed == text {
				t.Fatalf("there is no %q to change", change[0])
			}
			if len(complaints(t, path, []byte(changed))) == 0 {
				t.Errorf("%q is not found", change[1])
			}
		})
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

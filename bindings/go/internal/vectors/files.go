// Package vectors plays the vectors of test/vectors/ on engines of this binding. test/vectors/README.md says what their
// words mean, and test/bindings/js/ has the same runner in JavaScript, file by file. It leaves out what makes a test of
// it: that is vectors_test.go.
package vectors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stint-dev/stint/bindings/go/internal/plainjson"
)

const objectsFile = "objects.json"

// Repository is the root of the repository, seen from the folder of the package under test.
var Repository = repository()

func repository() string {
	const farthest = 8 // Folders up.
	root := ".."
	for range farthest {
		if _, err := os.Stat(filepath.Join(root, "bindings", "ABI.md")); err == nil {
			break
		}
		root = filepath.Join(root, "..")
	}
	return root
}

// Built reads a file of the build folder; command makes it, and is what the error asks for when it is not there.
func Built(name, command string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(Repository, "build", name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("build/%s is missing: run `%s` in the repository", name, command)
	}
	return content, err
}

// Case is one vector of test/vectors/engine/, with the objects that it may start from.
type Case struct {
	File      string           `json:"-"`
	Name      string           `json:"name"`
	Spec      string           `json:"spec"`
	Constants map[string]int64 `json:"constants"`
	// Configuration has members that override those of the runner's configuration.
	Configuration json.RawMessage `json:"configuration"`
	Steps         []step          `json:"steps"`

	objects *plainjson.Object
}

// ID is the case's name among all.
func (c *Case) ID() string { return c.File + ": " + c.Name }

// step has the members of every kind of step; which are there tells the kind.
type step struct {
	Start             *plainjson.Object `json:"start"`
	Restart           bool              `json:"restart"`
	Add               *plainjson.Object `json:"add"`
	Change            *plainjson.Object `json:"change"`
	Delete            []string          `json:"delete"`
	Show              []string          `json:"show"`
	Replay            []string          `json:"replay"`
	Type              string            `json:"type"`
	Bookmark          string            `json:"bookmark"`
	EndsInitialEvents bool              `json:"endsInitialEvents"`
	Relist            string            `json:"relist"`
	Stale             bool              `json:"stale"`
	Ingest            string            `json:"ingest"`
	Kind              string            `json:"kind"`
	Text              string            `json:"text"`
	Silent            bool              `json:"silent"`
	Result            string            `json:"result"`
	At                *int64            `json:"at"`

	Run          *int64            `json:"run"`
	Requests     json.RawMessage   `json:"requests"`
	Events       json.RawMessage   `json:"events"`
	EventAnswers []json.RawMessage `json:"eventAnswers"`
	NextWakeUp   json.RawMessage   `json:"nextWakeUp"` // null tells "none" from what is not said.
	MaxRequests  int               `json:"maxRequests"`

	Settle string          `json:"settle"`
	Answer json.RawMessage `json:"answer"`

	Explain string            `json:"explain"`
	Expect  *plainjson.Object `json:"expect"`
	Metrics *plainjson.Object `json:"metrics"`
}

type caseFile struct {
	Objects *plainjson.Object `json:"objects"`
	Cases   []Case            `json:"cases"`
}

// Load reads every case of test/vectors/engine/, in the order of files and cases.
func Load() ([]Case, error) {
	folder := filepath.Join(Repository, "test/vectors/engine")
	shared, err := readCaseFile(filepath.Join(folder, objectsFile))
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, path := range paths {
		if filepath.Base(path) == objectsFile {
			continue
		}
		file, err := readCaseFile(path)
		if err != nil {
			return nil, err
		}
		objects := shared.Objects.Clone()
		if file.Objects != nil {
			for name, object := range file.Objects.All() {
				objects.Set(name, object)
			}
		}
		for _, vector := range file.Cases {
			vector.File, vector.objects = filepath.Base(path), objects
			cases = append(cases, vector)
		}
	}
	return cases, nil
}

func readCaseFile(path string) (*caseFile, error) {
	file := &caseFile{}
	return file, readStrictly(path, file)
}

// readStrictly refuses a member that this runner does not know: it would leave out what it asks for.
func readStrictly(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

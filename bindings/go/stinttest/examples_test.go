package stinttest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The tests of the examples notice when their code forgets that Jobs fail.
func TestExamplesNoticeForgottenFailures(t *testing.T) {
	for file, failing := range map[string]string{
		"go/nightly.go":        "TestFullBackupFollowsAFailedOne",
		"operator/operator.go": "TestImportWithABadFileHasFailed",
	} {
		t.Run(file, func(t *testing.T) {
			path, err := filepath.Abs(filepath.Join("../../../examples/testing", file))
			if err != nil {
				t.Fatal(err)
			}
			recordings := t.TempDir()
			t.Setenv("STINT_RECORDINGS", recordings)
			said, err := testWith(t, path, strings.NewReplacer("batchv1.JobFailed", "batchv1.JobSuspended"))
			if err == nil {
				t.Fatalf("the tests pass:\n%s", said)
			}
			recording := filepath.Join(recordings, failing+".stint.jsonl")
			for _, part := range []string{"--- FAIL: " + failing + " ", "stint replay --explain " + recording} {
				if !strings.Contains(said, part) {
					t.Errorf("go test does not say %q:\n%s", part, said)
				}
			}
			if _, err := os.Stat(recording); err != nil {
				t.Error(err)
			}
		})
	}
}

// testWith runs the tests of a package, one of whose files is changed, and gives what they say.
func testWith(t *testing.T, path string, change *strings.Replacer) (string, error) {
	t.Helper()
	code, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "changed.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		t.Fatal(err)
	}
	if change.Replace(string(code)) == string(code) {
		t.Fatalf("nothing of %s was changed", path)
	}
	for name, text := range map[string]string{changed: change.Replace(string(code)), changed + ".json": string(overlay)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "test", "-count=1", "-overlay", changed+".json", ".")
	command.Dir = filepath.Dir(path)
	said, err := command.CombinedOutput()
	return string(said), err
}

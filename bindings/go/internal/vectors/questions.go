package vectors

// This file has what the cases of test/vectors/verdict/, account/, lint/ and forecast/ have in common: a question to an
// engine, and its refusal.

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	stint "github.com/stint-dev/stint/bindings/go"
)

// Question is what every such case has.
type Question struct {
	File    string          `json:"-"`
	Name    string          `json:"name"`
	NowMs   int64           `json:"nowMs"`
	Input   json.RawMessage `json:"input"`
	Text    *string         `json:"text"`    // In the place of Input: bytes that are no question.
	Refused string          `json:"refused"` // A part of the refusal; empty: there is an answer.
}

// ID is the case's name among all.
func (q *Question) ID() string { return q.File + ": " + q.Name }

func (q *Question) setFile(file string) { q.File = file }

func (q *Question) bytes() []byte {
	if q.Text != nil {
		return []byte(*q.Text)
	}
	return q.Input
}

// checkRefusal says how an error is not the refusal that the case has.
func (q *Question) checkRefusal(err error, answer any) error {
	var refusal *stint.Error
	if !errors.As(err, &refusal) || refusal.Code != stint.CodeBadJSON || !strings.Contains(refusal.Text, q.Refused) {
		return fmt.Errorf("expected a refusal that says %q, got %v, %v", q.Refused, answer, err)
	}
	return nil
}

// loadQuestions reads every case of a folder of test/vectors/, in the order of files and cases.
func loadQuestions[Case any, Pointer interface {
	*Case
	setFile(file string)
}](folder string) ([]Case, error) {
	paths, err := filepath.Glob(filepath.Join(Repository, "test/vectors", folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, path := range paths {
		var ofFile struct {
			Cases []Case `json:"cases"`
		}
		if err := readStrictly(path, &ofFile); err != nil {
			return nil, err
		}
		for _, vector := range ofFile.Cases {
			Pointer(&vector).setFile(filepath.Base(path))
			cases = append(cases, vector)
		}
	}
	return cases, nil
}

// membersOf is an answer as the JSON that it was.
func membersOf(answer any) (map[string]any, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	var members map[string]any
	err = json.Unmarshal(text, &members)
	return members, err
}

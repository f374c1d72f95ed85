package vectors

// This file asks an engine the questions of test/vectors/verdict/, whose README.md has the format.

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	stint "stint.dev/stint/bindings/go"
)

// VerdictCase is one case of test/vectors/verdict/.
type VerdictCase struct {
	File    string          `json:"-"`
	Name    string          `json:"name"`
	Trap    string          `json:"trap"`
	NowMs   int64           `json:"nowMs"`
	Input   json.RawMessage `json:"input"`
	Text    *string         `json:"text"`    // In the place of Input: bytes that are no question.
	Expect  map[string]any  `json:"expect"`  // Members of the verdict; others are not looked at.
	Refused string          `json:"refused"` // A part of the refusal; empty: there is an answer.
}

// ID is the case's name among all.
func (c *VerdictCase) ID() string { return c.File + ": " + c.Name }

// LoadVerdicts reads every case, in the order of files and cases.
func LoadVerdicts() ([]VerdictCase, error) {
	return loadQuestions("verdict", func(c *VerdictCase, file string) { c.File = file })
}

// loadQuestions reads every case of a folder of test/vectors/, in the order of files and cases.
func loadQuestions[Case any](folder string, setFile func(c *Case, file string)) ([]Case, error) {
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
			setFile(&vector, filepath.Base(path))
			cases = append(cases, vector)
		}
	}
	return cases, nil
}

// Play asks the engine. The error says what is not as the case says.
func (c *VerdictCase) Play(engine *stint.Engine) error {
	question := []byte(c.Input)
	if c.Text != nil {
		question = []byte(*c.Text)
	}
	verdict, err := engine.Verdict(question, c.NowMs)
	if c.Refused != "" {
		return checkRefusal(err, c.Refused, verdict)
	}
	if err != nil {
		return err
	}
	return c.compare(verdict)
}

// checkRefusal says how an error is not the refusal of a question with these words in it.
func checkRefusal(err error, words string, answer any) error {
	var refusal *stint.Error
	if !errors.As(err, &refusal) || refusal.Code != stint.CodeBadJSON || !strings.Contains(refusal.Text, words) {
		return fmt.Errorf("expected a refusal that says %q, got %v, %v", words, answer, err)
	}
	return nil
}

func (c *VerdictCase) compare(verdict *stint.Verdict) error {
	text, err := json.Marshal(verdict)
	if err != nil {
		return err
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	for name, wanted := range c.Expect {
		found, ok := members[name]
		// Go says nothing of what is open with an empty text.
		if name == "decided" && found == "" {
			found = nil
		}
		if !ok || !reflect.DeepEqual(found, wanted) {
			return fmt.Errorf("%s is %v, expected %v, in %s", name, found, wanted, text)
		}
	}
	return nil
}

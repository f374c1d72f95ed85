package vectors

// This file asks an engine the questions of test/vectors/lint/, whose README.md has the format.

import (
	"encoding/json"
	"fmt"
	"reflect"

	stint "stint.dev/stint/bindings/go"
)

// LintCase is one case of test/vectors/lint/.
type LintCase struct {
	File    string          `json:"-"`
	Name    string          `json:"name"`
	NowMs   int64           `json:"nowMs"`
	Input   json.RawMessage `json:"input"`
	Text    *string         `json:"text"`    // In the place of Input: bytes that are no question.
	Code    string          `json:"code"`    // Of the advice that Advice is about; empty: it is about none.
	Advice  map[string]any  `json:"advice"`  // Members of it; nil: there is none.
	Codes   *[]string       `json:"codes"`   // Those of all advice; nil: they are not looked at.
	Refused string          `json:"refused"` // A part of the refusal; empty: there is an answer.
}

// ID is the case's name among all.
func (c *LintCase) ID() string { return c.File + ": " + c.Name }

// LoadLint reads every case, in the order of files and cases.
func LoadLint() ([]LintCase, error) {
	return loadQuestions("lint", func(c *LintCase, file string) { c.File = file })
}

// Play asks the engine. The error says what is not as the case says.
func (c *LintCase) Play(engine *stint.Engine) error {
	question := []byte(c.Input)
	if c.Text != nil {
		question = []byte(*c.Text)
	}
	report, err := engine.Lint(question, c.NowMs)
	if c.Refused != "" {
		return checkRefusal(err, c.Refused, report)
	}
	if err != nil {
		return err
	}
	codes := []string{}
	var found []stint.Advice
	for _, advice := range report.Advice {
		codes = append(codes, advice.Code)
		if advice.Code == c.Code {
			found = append(found, advice)
		}
	}
	if c.Codes != nil && !reflect.DeepEqual(codes, *c.Codes) {
		return fmt.Errorf("codes are %v, expected %v", codes, *c.Codes)
	}
	if c.Advice == nil && len(found) == 0 {
		return nil
	}
	if c.Advice == nil || len(found) != 1 {
		return fmt.Errorf("expected %v, got %v", c.Advice, found)
	}
	return compareMembers(found[0], c.Advice)
}

// compareMembers says which member of an answer is not as expected.
func compareMembers(answer any, expected map[string]any) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	for name, wanted := range expected {
		if found, ok := members[name]; !ok || !reflect.DeepEqual(found, wanted) {
			return fmt.Errorf("%s is %v, expected %v, in %s", name, found, wanted, text)
		}
	}
	return nil
}

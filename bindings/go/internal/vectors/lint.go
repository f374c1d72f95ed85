package vectors

// This file asks an engine the questions of test/vectors/lint/, whose README.md has the format.

import (
	"context"
	"fmt"
	"reflect"

	stint "github.com/stint-dev/stint/bindings/go"
)

// LintCase is one case of test/vectors/lint/.
type LintCase struct {
	Question
	Code   string         `json:"code"`   // Of the advice that Advice is about; empty: it is about none.
	Advice map[string]any `json:"advice"` // Members of it; nil: there is none.
	Codes  *[]string      `json:"codes"`  // Those of all advice; nil: they are not looked at.
}

// LoadLint reads every case, in the order of files and cases.
func LoadLint() ([]LintCase, error) { return loadQuestions[LintCase]("lint") }

// Play asks the engine. The error says what is not as the case says.
func (c *LintCase) Play(ctx context.Context, engine *stint.Engine) error {
	report, err := engine.Lint(ctx, c.bytes(), c.NowMs)
	if c.Refused != "" {
		return c.checkRefusal(err, report)
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
	members, err := membersOf(answer)
	if err != nil {
		return err
	}
	for name, wanted := range expected {
		if found, ok := members[name]; !ok || !reflect.DeepEqual(found, wanted) {
			return fmt.Errorf("%s is %v, expected %v, in %v", name, found, wanted, members)
		}
	}
	return nil
}

package vectors

// This file asks an engine the questions of test/vectors/verdict/, whose README.md has the format.

import (
	"context"
	"fmt"
	"reflect"

	stint "github.com/stint-dev/stint/bindings/go"
)

// VerdictCase is one case of test/vectors/verdict/.
type VerdictCase struct {
	Question
	Trap   string         `json:"trap"`
	Expect map[string]any `json:"expect"` // Members of the verdict; others are not looked at.
}

// LoadVerdicts reads every case, in the order of files and cases.
func LoadVerdicts() ([]VerdictCase, error) { return loadQuestions[VerdictCase]("verdict") }

// Play asks the engine. The error says what is not as the case says.
func (c *VerdictCase) Play(ctx context.Context, engine *stint.Engine) error {
	verdict, err := engine.Verdict(ctx, c.bytes(), c.NowMs)
	if c.Refused != "" {
		return c.checkRefusal(err, verdict)
	}
	if err != nil {
		return err
	}
	members, err := membersOf(verdict)
	if err != nil {
		return err
	}
	for name, wanted := range c.Expect {
		found, ok := members[name]
		// Go says nothing of what is open with an empty text.
		if name == "decided" && found == "" {
			found = nil
		}
		if !ok || !reflect.DeepEqual(found, wanted) {
			return fmt.Errorf("%s is %v, expected %v, in %v", name, found, wanted, members)
		}
	}
	return nil
}

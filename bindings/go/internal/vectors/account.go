package vectors

// This file asks an engine the questions of test/vectors/account/, whose README.md has the format.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	stint "stint.dev/stint/bindings/go"
)

// AccountCase is one case of test/vectors/account/.
type AccountCase struct {
	Question
	Trap   string `json:"trap"`
	Expect struct {
		Attempts []map[string]any `json:"attempts"` // Of each the members that are looked at.
		Last     json.RawMessage  `json:"last"`     // A number or null; nil: it is not looked at.
	} `json:"expect"`
}

// LoadAccounts reads every case, in the order of files and cases.
func LoadAccounts() ([]AccountCase, error) { return loadQuestions[AccountCase]("account") }

// Play asks the engine. The error says what is not as the case says.
func (c *AccountCase) Play(ctx context.Context, engine *stint.Engine) error {
	account, err := engine.Account(ctx, c.bytes(), c.NowMs)
	if c.Refused != "" {
		return c.checkRefusal(err, account)
	}
	if err != nil {
		return err
	}
	if len(account.Attempts) != len(c.Expect.Attempts) {
		return fmt.Errorf("there are %d attempts, expected %d", len(account.Attempts), len(c.Expect.Attempts))
	}
	last, err := json.Marshal(account.Last)
	if err != nil {
		return err
	}
	if c.Expect.Last != nil && !bytes.Equal(last, c.Expect.Last) {
		return fmt.Errorf("the last failure is %s, expected %s", last, c.Expect.Last)
	}
	for i, wanted := range c.Expect.Attempts {
		members, err := membersOf(account.Attempts[i])
		if err != nil {
			return err
		}
		for name, value := range wanted {
			found := members[name]
			// Go says with an empty text that nothing has ended it.
			if name == "endedBy" && found == "" {
				found = nil
			}
			if !reflect.DeepEqual(found, value) {
				return fmt.Errorf("%s of attempt %d is %v, expected %v, in %v", name, i, found, value, members)
			}
		}
	}
	return nil
}

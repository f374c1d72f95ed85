package vectors

// This file asks an engine the questions of test/vectors/account/, whose README.md has the format.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	stint "github.com/stint-dev/stint/bindings/go"
)

// AccountCase is one case of test/vectors/account/.
type AccountCase struct {
	Question
	Trap   string `json:"trap"`
	Expect struct {
		Sentence string           `json:"sentence"` // Empty: it is not looked at.
		Attempts []map[string]any `json:"attempts"` // Of each the members that are looked at, as of the next.
		Last     json.RawMessage  `json:"last"`     // A number or null; nil: it is not looked at.
		Holds    []map[string]any `json:"holds"`
		Next     map[string]any   `json:"next"`
		Remedies []map[string]any `json:"remedies"`
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
	last, err := json.Marshal(account.Last)
	if err != nil {
		return err
	}
	if c.Expect.Last != nil && !bytes.Equal(last, c.Expect.Last) {
		return fmt.Errorf("the last failure is %s, expected %s", last, c.Expect.Last)
	}
	if c.Expect.Sentence != "" && account.Sentence != c.Expect.Sentence {
		return fmt.Errorf("the sentence is %q, expected %q", account.Sentence, c.Expect.Sentence)
	}
	if err := checkMembers("next", account.Next, c.Expect.Next); err != nil {
		return err
	}
	if err := checkEach("attempt", account.Attempts, c.Expect.Attempts); err != nil {
		return err
	}
	if err := checkEach("hold", account.Holds, c.Expect.Holds); err != nil {
		return err
	}
	return checkEach("remedy", account.Remedies, c.Expect.Remedies)
}

// checkEach compares as many items as are expected; nil: they are not looked at.
func checkEach[T any](what string, items []T, wanted []map[string]any) error {
	if wanted == nil {
		return nil
	}
	if len(items) != len(wanted) {
		return fmt.Errorf("%s: there are %d, expected %d", what, len(items), len(wanted))
	}
	for i, members := range wanted {
		if err := checkMembers(fmt.Sprintf("%s %d", what, i), items[i], members); err != nil {
			return err
		}
	}
	return nil
}

// checkMembers compares the members that are expected, and no others.
func checkMembers(what string, item any, wanted map[string]any) error {
	members, err := membersOf(item)
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
			return fmt.Errorf("%s of %s is %v, expected %v, in %v", name, what, found, value, members)
		}
	}
	return nil
}

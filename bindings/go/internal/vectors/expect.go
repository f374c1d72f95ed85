package vectors

// This file compares what a call gave with what a step expects of it. Invariant: an error names both.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/plainjson"
)

// expectCode compares the code in an error with the name of one. What has no code at all is passed on.
func expectCode(err error, result, what string) error {
	wanted := cmp.Or(result, "ok")
	var code stint.Code
	if err != nil {
		var refusal *stint.Error
		if !errors.As(err, &refusal) || refusal.Code == stint.CodeNone {
			return err
		}
		code = refusal.Code
	}
	if code.String() != wanted {
		return fmt.Errorf("%s returned %v, expected %s: %w", what, code, wanted, err)
	}
	return nil
}

// expectWakeUp compares the next wake-up with `nextWakeUp`: nil is not said, null is none.
func expectWakeUp(actualMs int64, expected json.RawMessage) error {
	actual := "null"
	if actualMs != stint.Never {
		actual = strconv.FormatInt(actualMs, 10)
	}
	if expected != nil && actual != string(expected) {
		return fmt.Errorf("the next wake-up is %s, expected %s", actual, expected)
	}
	return nil
}

// expectEvents compares Events with `events`, each of which is `[type, reason, message]` or a whole body.
func expectEvents(events []any, text json.RawMessage) error {
	if text == nil {
		return nil
	}
	parsed, err := plainjson.Parse(text)
	if err != nil {
		return err
	}
	expected, ok := parsed.([]any)
	if !ok {
		return errors.New("`events` is no list")
	}
	seen := make([]any, len(events))
	for i, event := range events {
		seen[i] = event
		if i < len(expected) {
			if _, isWhole := expected[i].(*plainjson.Object); isWhole {
				continue
			}
		}
		members := event.(*plainjson.Object)
		seen[i] = []any{members.Get("type"), members.Get("reason"), members.Get("message")}
	}
	if !Match(seen, expected) {
		return fmt.Errorf("events are\n  %s\nexpected are\n  %s", plainjson.Render(seen), text)
	}
	return nil
}

// expectMembers compares some members of what value is as JSON.
func expectMembers(value any, expected *plainjson.Object) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	actual := &plainjson.Object{}
	if err := actual.UnmarshalJSON(text); err != nil {
		return err
	}
	for key, wanted := range expected.All() {
		if !actual.Has(key) || !Match(actual.Get(key), wanted) {
			return fmt.Errorf("%q is %s, expected %s", key, plainjson.Render(actual.Get(key)), plainjson.Render(wanted))
		}
	}
	return nil
}

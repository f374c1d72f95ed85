package stint_test

// This file plays the recording of all vectors that scripts/vector-digests.ts writes (bindings/ABI.md, "Recordings"):
// every call ends as in JavaScript, and each engine explains and counts the same at its end.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/vectors"
)

type recordedCall struct {
	vectors.RecordedCall
	Module    string     `json:"module"`
	Code      stint.Code `json:"code"`
	Requests  [][]any    `json:"requests"`
	WakeUp    *float64   `json:"wakeUp"`
	Decisions string     `json:"decisions"`
}

type readings struct {
	Explanations map[string]*stint.Explanation `json:"explanations"`
	Metrics      json.RawMessage               `json:"metrics"`
}

func TestARecordingEndsAsInJavaScript(t *testing.T) {
	lines := builtLines(t, "vectors.recording.jsonl")
	text, err := vectors.Built("vectors.readings.json", digestsCommand)
	check(t, err)
	var atEnd []readings
	check(t, json.Unmarshal(text, &atEnd))
	var engine *stint.Engine
	engines := 0
	for i, line := range lines {
		var entry recordedCall
		check(t, json.Unmarshal(line, &entry))
		if i == 0 {
			if entry.Module != module(t).SHA256() {
				t.Fatalf("build/vectors.recording.jsonl is of another build/engine.wasm: run `%s`", digestsCommand)
			}
			continue
		}
		if engine != nil && (entry.Call == "configure" || entry.Call == "end") {
			compareReadings(t, engine, atEnd[engines-1])
			check(t, engine.Close())
		}
		if entry.Call == "configure" {
			engine, err = module(t).NewEngine(t.Context())
			check(t, err)
			engines++
		}
		if entry.Call == "end" {
			break
		}
		if difference := playRecorded(t.Context(), engine, &entry); difference != "" {
			t.Fatalf("line %d, %s: %s", i+1, entry.Call, difference)
		}
	}
	if engines < 500 || engines != len(atEnd) {
		t.Errorf("%d engines were played, and there are readings of %d", engines, len(atEnd))
	}
}

// playRecorded says what is not as it was recorded.
func playRecorded(ctx context.Context, engine *stint.Engine, entry *recordedCall) string {
	if entry.Call == "poll" {
		return playPoll(ctx, engine, entry)
	}
	told, err := entry.Tell(ctx, engine)
	if !told {
		return "there is no such call"
	}
	var refusal *stint.Error
	code := stint.Code(0)
	if reflect.TypeOf(err) == reflect.TypeOf(refusal) {
		code = err.(*stint.Error).Code
	}
	if code != entry.Code {
		return fmt.Sprintf("%v; recorded is %v", err, entry.Code)
	}
	return ""
}

func playPoll(ctx context.Context, engine *stint.Engine, entry *recordedCall) string {
	result, decisions, err := engine.PollWithText(ctx, entry.Now, entry.Max)
	if err != nil {
		return err.Error()
	}
	requests := make([][]any, 0, len(result.Requests))
	for _, request := range result.Requests {
		hash := sha256.New()
		fmt.Fprintf(hash, "%d\n%s\n%s\n%s", request.ID, request.Accept, request.ContentType, request.Body)
		short := []any{request.Method, request.Path, hex.EncodeToString(hash.Sum(nil))}
		if request.Decision != 0 {
			short = append(short, float64(request.Decision))
		}
		requests = append(requests, short)
	}
	if !reflect.DeepEqual(requests, entry.Requests) {
		return fmt.Sprintf("the requests are %v, recorded are %v", requests, entry.Requests)
	}
	wakeUp := stint.Never
	if entry.WakeUp != nil {
		wakeUp = int64(*entry.WakeUp)
	}
	if result.NextWakeUpMs != wakeUp {
		return fmt.Sprintf("the next wake-up is %d, recorded is %d", result.NextWakeUpMs, wakeUp)
	}
	hash := sha256.Sum256(decisions)
	if text := hex.EncodeToString(hash[:]); len(decisions) > 0 && text != entry.Decisions {
		return fmt.Sprintf("the decisions are %s", decisions)
	}
	if (len(decisions) > 0) != (entry.Decisions != "") {
		return "there are decisions, or none, other than recorded"
	}
	return ""
}

func compareReadings(t *testing.T, engine *stint.Engine, expected readings) {
	t.Helper()
	if len(expected.Explanations) == 0 {
		t.Fatal("there are no explanations")
	}
	for name, explanation := range expected.Explanations {
		if said := explain(t, engine, name[len("default/"):]); !reflect.DeepEqual(said, explanation) {
			t.Errorf("%s is explained as %+v; JavaScript has %+v", name, said, explanation)
		}
	}
	families, err := engine.MetricFamilies(t.Context())
	check(t, err)
	numbers, err := engine.Metrics(t.Context())
	check(t, err)
	var wanted struct {
		Families []stint.MetricFamily `json:"families"`
	}
	check(t, json.Unmarshal(expected.Metrics, &wanted))
	if !reflect.DeepEqual(families, wanted.Families) {
		t.Errorf("the families are %+v; JavaScript has %+v", families, wanted.Families)
	}
	var members map[string]any
	check(t, json.Unmarshal(expected.Metrics, &members))
	delete(members, "families")
	if len(members) != len(numbers) {
		t.Errorf("the metrics are %v; JavaScript has %v", numbers, members)
	}
	for name, number := range numbers {
		if members[name] != float64(number) {
			t.Errorf("%s is %d; JavaScript has %v", name, number, members[name])
		}
	}
}

func TestAnswersAreJavaScriptsToTheByte(t *testing.T) {
	unconfigured := newEngine(t)
	lines := builtLines(t, "vectors.answers.jsonl")
	for _, line := range lines {
		var entry struct {
			Question, Input string
			Now             int64
			Answer, Refusal *string
			Configuration   *stint.Configuration
		}
		check(t, json.Unmarshal(line, &entry))
		engine := unconfigured
		if entry.Configuration != nil {
			engine = newEngine(t)
			check(t, engine.Configure(t.Context(), *entry.Configuration))
		}
		answer, err := engine.Ask(t.Context(), entry.Question, []byte(entry.Input), entry.Now)
		isSame := err == nil && entry.Answer != nil && string(answer) == *entry.Answer
		isRefused := err != nil && entry.Refusal != nil && err.Error() == *entry.Refusal
		if !isSame && !isRefused {
			t.Errorf("%s, %v is the answer to %s", answer, err, line)
		}
	}
	if len(lines) < 1600 {
		t.Errorf("there are %d answers", len(lines))
	}
}

func builtLines(t *testing.T, name string) [][]byte {
	t.Helper()
	text, err := vectors.Built(name, digestsCommand)
	check(t, err)
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

package stint_test

// This file tests the binding itself: what crosses the boundary, in both directions, on the built engine. What the
// controller decides is left to the vectors; here a decision is only something to carry.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/vectors"
)

const (
	jobs  = 3
	pods  = 7
	nowMs = 1767312000000
)

func TestNewTakesTheEngineThatTheModuleCarries(t *testing.T) {
	engine, err := stint.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer closeEngine(t, engine)
	metrics, err := engine.Metrics(t.Context())
	if err != nil || metrics["jobs"] != 0 || metrics["memoryBytes"] == 0 {
		t.Errorf("metrics are %v, %v", metrics, err)
	}
}

func TestACopyWithoutAnEngineIsSaid(t *testing.T) {
	_, err := stint.CompileFrom(fstest.MapFS{"embedded/README.md": {}})
	expectError(t, err, stint.CodeNone, "^this copy of the Go module has no embedded/engine.wasm, ")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is %v", errors.Unwrap(err))
	}
}

func TestAModuleRefusesWhatIsNoEngineOfThisABI(t *testing.T) {
	cases := map[string]struct {
		wasm []byte
		text string
	}{
		"another major version": {
			moduleOfVersion(2, 4),
			"this engine speaks ABI 2.4, this binding speaks ABI 1: use a binding and an engine of one major version",
		},
		"no function": {moduleOfVersion(1, 0), "the module exports no function reserve: it is no engine of ABI 1"},
		"no version": {
			[]byte("\x00asm\x01\x00\x00\x00"),
			"the module exports no abi_version and abi_minor_version: it is no Stint engine",
		},
		"no module": {[]byte("{}"), "these 2 bytes are no Wasm module: "},
	}
	for name, refused := range cases {
		t.Run(name, func(t *testing.T) {
			module, err := stint.Compile(t.Context(), refused.wasm)
			if err == nil {
				defer module.Close()
				_, err = module.NewEngine(t.Context())
			}
			expectError(t, err, stint.CodeNone, "^"+regexp.QuoteMeta(refused.text))
		})
	}
}

func TestAMissingModuleIsAskedFor(t *testing.T) {
	_, err := vectors.Built("none.wasm", "npm run build")
	if err == nil || err.Error() != "build/none.wasm is missing: run `npm run build` in the repository" {
		t.Errorf("the error is %v", err)
	}
}

func TestEnginesShareNothing(t *testing.T) {
	one, other := synced(t, job("a", 50)), synced(t)
	if !explain(t, one, "a").Found || explain(t, other, "a").Found {
		t.Error("the Job of one engine is known in the other, or in none")
	}
}

func TestRefusalsHaveACodeAndASentence(t *testing.T) {
	cases := []struct {
		name string
		call func(*stint.Engine) error
		code stint.Code
		text string
	}{
		{
			"Configure twice",
			func(e *stint.Engine) error { return e.Configure(t.Context(), stint.Configuration{}) },
			stint.CodeBadConfiguration,
			"configured already",
		},
		{
			"unknown source",
			func(e *stint.Engine) error { return e.Ingest(t.Context(), 9, stint.ListBegin, nil, nowMs) },
			stint.CodeUnknownSource,
			"no source of this id",
		},
		{
			"part of a line",
			func(e *stint.Engine) error { return e.Ingest(t.Context(), jobs, stint.WatchLines, []byte("{}"), nowMs) },
			stint.CodePartialLine,
			"newline",
		},
		{
			"no watch event",
			func(e *stint.Engine) error {
				return e.Ingest(t.Context(), jobs, stint.WatchLines, []byte("{}\n"), nowMs)
			},
			stint.CodeBadJSON,
			"type or object is missing",
		},
		{
			"page outside a list",
			func(e *stint.Engine) error {
				return e.Ingest(t.Context(), jobs, stint.Page, page(jobs, "", nil), nowMs)
			},
			stint.CodeOutOfOrder,
			"list",
		},
		{
			"unknown request",
			func(e *stint.Engine) error { return e.Settle(t.Context(), 1, 200, -1, nil, nowMs) },
			stint.CodeUnknownRequest,
			"no request of this id",
		},
		{
			"no review",
			func(e *stint.Engine) error { _, err := e.Review(t.Context(), []byte("[]")); return err },
			stint.CodeBadJSON,
			"only an AdmissionReview",
		},
		{"too large", func(e *stint.Engine) error {
			return e.Ingest(t.Context(), jobs, stint.Page, make([]byte, stint.MaxInputBytes+1), nowMs)
		}, stint.CodeTooLarge, "^ingest was given 67108865 bytes; at most 67108864 are allowed in one call$"},
	}
	for _, refused := range cases {
		t.Run(refused.name, func(t *testing.T) {
			engine := configured(t)
			expectError(t, refused.call(engine), refused.code, refused.text)
			if _, err := engine.Metrics(t.Context()); err != nil {
				t.Errorf("after the refusal: %v", err)
			}
		})
	}
}

func TestNothingIsTakenBeforeConfigure(t *testing.T) {
	err := newEngine(t).Ingest(t.Context(), jobs, stint.ListBegin, nil, nowMs)
	expectError(t, err, stint.CodeNotConfigured, "configure")
}

func TestConfigurationIsRefusedWhole(t *testing.T) {
	engine := newEngine(t)
	refused := configuration()
	refused.Constants = map[string]int64{"syncBurst": 0, "maxPods": 1}
	expectError(t, engine.Configure(t.Context(), refused), stint.CodeBadConfiguration, "maxPods")
	refused.Constants = map[string]int64{"syncBurst": 0}
	if err := engine.Configure(t.Context(), refused); err != nil {
		t.Error(err)
	}
}

func TestSourcesThatShowTheSameObjectsAreRefused(t *testing.T) {
	engine := newEngine(t)
	twice := configuration()
	twice.Sources = append(twice.Sources, stint.Source{ID: 9, Resource: "pods", Namespace: "a"})
	err := engine.Configure(t.Context(), twice)
	expectError(t, err, stint.CodeBadConfiguration, " and 9 both show pods of namespace a")
	check(t, engine.Configure(t.Context(), configuration()))
}

func TestUnreadableObjectsDoNotStopTheOthers(t *testing.T) {
	engine := configured(t)
	check(t, engine.Ingest(t.Context(), jobs, stint.ListBegin, nil, nowMs))
	broken := strings.Replace(job("b", 50), `"parallelism":3`, `"parallelism":-1`, 1)
	expectError(
		t,
		engine.Ingest(t.Context(), jobs, stint.Page, page(jobs, "", []string{job("a", 50), broken, job("c", 50)}), nowMs),
		stint.CodeUnreadableObject,
		"parallelism",
	)
	check(t, engine.Ingest(t.Context(), jobs, stint.ListEnd, nil, nowMs))
	for name, state := range map[string]string{"a": "Waiting", "b": "Unreadable", "c": "Waiting"} {
		if explanation := explain(t, engine, name); explanation.State != state {
			t.Errorf("%s is %s, expected %s", name, explanation.State, state)
		}
	}
}

func TestANowThatIsNoTimeIsRefused(t *testing.T) {
	engine := synced(t, job("a", 50))
	_, pollErr := engine.Poll(t.Context(), -1, 1)
	_, explainErr := engine.ExplainAt(t.Context(), "default", "a", math.MaxInt64)
	for _, err := range []error{pollErr, explainErr, engine.Ingest(t.Context(), jobs, stint.ListBegin, nil, -1)} {
		expectError(t, err, stint.CodeBadTime, "^now must be a whole number of milliseconds")
	}
	if requests := poll(t, engine, nowMs, 1).Requests; len(requests) != 1 {
		t.Errorf("%d requests after the refusals", len(requests))
	}
}

func TestATrapCarriesTheEnginesOwnWordsAndStays(t *testing.T) {
	engine, sound := synced(t, job("a", 50)), synced(t)
	saved, err := engine.Save(t.Context())
	check(t, err)
	trap := engine.Reserve(t.Context(), stint.MaxInputBytes+1)
	expectError(
		t,
		trap,
		stint.CodeNone,
		`^the engine stopped: an input is larger than 64 MiB: .* `+
			`\(assembly/abi/input\.ts:\d+\); discard it and list again$`,
	)
	if errors.Unwrap(trap) == nil {
		t.Error("the trap does not have what the runtime said")
	}
	if !errors.Is(trap, stint.ErrTrap) || errors.Is(trap, stint.ErrClosed) {
		t.Error("the trap is no ErrTrap, or an ErrClosed too")
	}
	_, pollErr := engine.Poll(t.Context(), nowMs, 1)
	_, saveErr := engine.Save(t.Context())
	for _, err := range []error{pollErr, saveErr, engine.Ingest(t.Context(), jobs, stint.ListBegin, nil, nowMs)} {
		if err != trap {
			t.Errorf("after the trap: %v", err)
		}
	}
	if _, err := sound.Metrics(t.Context()); err != nil {
		t.Errorf("another engine: %v", err)
	}
	check(t, engine.Restore(t.Context(), saved))
	if !explain(t, engine, "a").Found {
		t.Error("the restored engine does not know its Job")
	}
}

func TestAClosedEngineSaysSo(t *testing.T) {
	wasm, err := vectors.Built("engine.wasm", "npm run build")
	check(t, err)
	own, err := stint.Compile(t.Context(), wasm)
	check(t, err)
	ofModule, err := own.NewEngine(t.Context())
	check(t, err)
	check(t, own.Close())
	engine, trapped := synced(t, job("a", 50)), newEngine(t)
	saved, err := engine.Save(t.Context())
	check(t, err)
	if err := trapped.Reserve(t.Context(), stint.MaxInputBytes+1); !errors.Is(err, stint.ErrTrap) {
		t.Errorf("the engine has not trapped: %v", err)
	}
	check(t, engine.Close())
	check(t, trapped.Close())
	_, pollErr := engine.Poll(t.Context(), nowMs, 1)
	_, reviewErr := trapped.Review(t.Context(), []byte("{}"))
	_, saveErr := engine.Save(t.Context())
	_, metricsErr := ofModule.Metrics(t.Context())
	for _, err := range []error{pollErr, reviewErr, saveErr, metricsErr, engine.Restore(t.Context(), saved)} {
		if !errors.Is(err, stint.ErrClosed) || errors.Is(err, stint.ErrTrap) {
			t.Errorf("after Close: %v", err)
		}
		expectError(t, err, stint.CodeNone, "^this engine is closed: make a new one$")
	}
	check(t, engine.Close())
	if refusal := newEngine(t).Settle(t.Context(), 1, 200, -1, nil, nowMs); errors.Is(refusal, stint.ErrTrap) ||
		errors.Is(refusal, stint.ErrClosed) {
		t.Errorf("a refusal is an end: %v", refusal)
	}
}

func TestListsTellWhereToGoOn(t *testing.T) {
	const token, highest = `to"ken/+=ü`, 1<<53 - 1
	engine := configured(t)
	expectWatchVersion(t, engine, -1)
	check(t, engine.Ingest(t.Context(), jobs, stint.ListBegin, nil, nowMs))
	for _, wanted := range []string{token, ""} {
		check(t, engine.Ingest(t.Context(), jobs, stint.Page, page(jobs, wanted, nil), nowMs))
		if found, err := engine.ListContinue(t.Context(), jobs); err != nil || found != wanted {
			t.Errorf("continue is %q, %v", found, err)
		}
	}
	check(t, engine.Ingest(t.Context(), jobs, stint.ListEnd, nil, nowMs))
	expectWatchVersion(t, engine, 100)
	check(t, engine.Ingest(t.Context(), jobs, stint.WatchLines, line("ADDED", job("a", highest)), nowMs))
	expectWatchVersion(t, engine, highest)
	check(t, engine.Ingest(t.Context(), jobs, stint.WatchLines, line("ERROR", `{"kind":"Status","code":410}`), nowMs))
	expectWatchVersion(t, engine, -1)
}

func TestPollGivesRequestsTheNextWakeUpAndDecisions(t *testing.T) {
	engine := synced(t, job("a", 50))
	check(t, engine.SetClockOffset(t.Context(), 5000))
	result := poll(t, engine, nowMs, 10)
	if len(result.Requests) != 1 || result.NextWakeUpMs != stint.Never {
		t.Fatalf("the result is %+v", result)
	}
	request := result.Requests[0]
	if !strings.Contains(string(request.Body), `"generateName":"a-"`) {
		t.Errorf("the body is %s", request.Body)
	}
	request.Body = nil
	expected := stint.Request{
		ID:          1,
		Method:      "POST",
		Path:        "/api/v1/namespaces/default/pods",
		Accept:      "application/json",
		ContentType: "application/json",
		Decision:    1,
	}
	if !reflect.DeepEqual(request, expected) {
		t.Errorf("the request is %+v", request)
	}
	wanted := []stint.Decision{{
		ID: 1, AtMs: nowMs + 5000, Namespace: "default", Job: "a", UID: "uid-a", Code: "Creating",
		Message: "creating 3 pods: 0 of 3 wanted active, 0 succeeded",
		Numbers: map[string]int64{"pods": 3, "active": 0, "wanted": 3, "succeeded": 0},
	}}
	if !reflect.DeepEqual(result.Decisions, wanted) {
		t.Errorf("the decisions are %+v", result.Decisions)
	}
	if again := poll(t, engine, nowMs, 10); len(again.Requests) != 0 || again.Decisions != nil {
		t.Errorf("a second poll gives %+v", again)
	}
}

func TestPollReadsManyRequestsOfAllLengths(t *testing.T) {
	var objects []string
	for length := 1; length <= 20; length++ {
		objects = append(objects, job(strings.Repeat("n", length), 50))
	}
	found := map[int]int64{}
	generateName := regexp.MustCompile(`"generateName":"(n+)-"`)
	for _, request := range poll(t, synced(t, objects...), nowMs, 100).Requests {
		found[len(generateName.FindSubmatch(request.Body)[1])] = request.ID
	}
	if len(found) != 20 {
		t.Errorf("the requests are those of %d Jobs", len(found))
	}
}

func TestPollHandsOutNoMoreThanThereIsRoomFor(t *testing.T) {
	engine := synced(t, job("a", 50), job("b", 50), job("c", 50))
	for _, step := range []struct{ room, wanted int }{{0, 0}, {2, 2}, {math.MaxInt, 1}, {2, 0}} {
		if count := len(poll(t, engine, nowMs, step.room).Requests); count != step.wanted {
			t.Errorf("with room for %d there are %d requests, expected %d", step.room, count, step.wanted)
		}
	}
}

func TestMemoryThatGrowsLeavesEverythingReadable(t *testing.T) {
	engine := synced(t, job("a", 50))
	request := poll(t, engine, nowMs, 10).Requests[0]
	body := bytes.Clone(request.Body)
	before := memoryBytes(t, engine)
	var objects []string
	for i := range 20_000 {
		objects = append(objects, pod(fmt.Sprintf("pod-%d", i), "a", 200+i))
	}
	// Larger than all memory so far: reserve has to grow it between the measuring and the writing of the input.
	text := page(pods, "", objects)
	if int64(len(text)) <= before {
		t.Fatalf("the page has %d bytes, memory %d", len(text), before)
	}
	check(t, engine.Ingest(t.Context(), pods, stint.ListBegin, nil, nowMs))
	check(t, engine.Ingest(t.Context(), pods, stint.Page, text, nowMs))
	metrics, err := engine.Metrics(t.Context())
	if err != nil || metrics["pods"] != 20_000 || metrics["memoryBytes"] <= before {
		t.Errorf("metrics are %v, %v", metrics, err)
	}
	if !bytes.Equal(request.Body, body) {
		t.Error("a body that was handed out before has changed")
	}
}

func TestNestingUpToTheLimitIsReadOnThisStack(t *testing.T) {
	engine := configured(t)
	nested := func(depth int) []byte {
		return line(
			"ADDED",
			strings.Replace(
				job("a", 50),
				`"status":{}`,
				`"status":{},"x":`+strings.Repeat("[", depth)+strings.Repeat("]", depth),
				1,
			),
		)
	}
	check(t, engine.Ingest(t.Context(), jobs, stint.WatchLines, nested(500), nowMs))
	expectError(t, engine.Ingest(t.Context(), jobs, stint.WatchLines, nested(600), nowMs), stint.CodeBadJSON, "512")
}

func TestASaveGoesOnByteForByte(t *testing.T) {
	original := synced(t, job("a", 50), job("b", 50))
	poll(t, original, nowMs, 1)
	saved, err := original.Save(t.Context())
	check(t, err)
	restored := newEngine(t)
	check(t, restored.Restore(t.Context(), saved))
	goOn := func(engine *stint.Engine) []any {
		first := poll(t, engine, nowMs, 10)
		for _, request := range first.Requests {
			check(t, engine.Settle(t.Context(), request.ID, 409, -1, []byte(`{"message":"no"}`), nowMs+5))
		}
		var more []byte
		for i := range 5000 {
			more = append(more, line("ADDED", pod(fmt.Sprintf("q-%d", i), "b", 300+i))...)
		}
		check(t, engine.Ingest(t.Context(), pods, stint.WatchLines, more, nowMs+10))
		end, err := engine.Save(t.Context())
		check(t, err)
		return []any{first, poll(t, engine, nowMs+100_000, 4096), explain(t, engine, "b"), end}
	}
	if !reflect.DeepEqual(goOn(restored), goOn(original)) {
		t.Error("the restored engine continues differently")
	}
}

func TestRestoreStartsOverInAnEngineThatHasGrown(t *testing.T) {
	engine := synced(t, job("a", 50))
	saved, err := engine.Save(t.Context())
	check(t, err)
	check(t, engine.Ingest(t.Context(), pods, stint.WatchLines, slices.Repeat([]byte("\n"), 4<<20), nowMs))
	if memoryBytes(t, engine) <= int64(len(saved.Memory)) {
		t.Fatal("memory has not grown")
	}
	check(t, engine.Restore(t.Context(), saved))
	again, err := engine.Save(t.Context())
	check(t, err)
	if !reflect.DeepEqual(again, saved) {
		t.Error("the engine is not as it was saved")
	}
}

func TestRestoreRefusesWhatIsNoSaveOfThisModule(t *testing.T) {
	engine := synced(t, job("a", 50))
	saved, err := engine.Save(t.Context())
	check(t, err)
	other, cut, poor := *saved, *saved, *saved
	other.ModuleSHA256 = "another"
	cut.Memory = saved.Memory[1:]
	poor.Globals = saved.Globals[1:]
	expectError(
		t,
		engine.Restore(t.Context(), &other),
		stint.CodeNone,
		"^the save is of module another, this is module [0-9a-f]{64}: a save restores only into the module it came from$",
	)
	for _, damaged := range []*stint.SavedEngine{&cut, &poor} {
		err := engine.Restore(t.Context(), damaged)
		expectError(t, err, stint.CodeNone, "^the save has .* globals, this module has whole pages, ")
	}
	if !explain(t, engine, "a").Found {
		t.Error("a refused save has changed the engine")
	}
}

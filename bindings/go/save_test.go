package stint_test

// This file has an engine with requests under way, of test/vectors/save/, as bytes: they are JavaScript's, and this
// engine continues what JavaScript has saved.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/vectors"
)

type saveCall struct {
	NowMs       int64 `json:"nowMs"`
	MaxRequests int   `json:"maxRequests"`
}

type saveVector struct {
	Configuration stint.Configuration `json:"configuration"`
	ClockOffsetMs int64               `json:"clockOffsetMs"`
	Ingest        []struct {
		Source int32            `json:"source"`
		Kind   stint.IngestKind `json:"kind"`
		Text   string           `json:"text"`
		NowMs  int64            `json:"nowMs"`
	} `json:"ingest"`
	Poll         saveCall `json:"poll"`
	OpenRequests []int64  `json:"openRequests"`
	GoOn         saveCall `json:"goOn"`
}

func loadSaveVector(t *testing.T) saveVector {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectors.Repository, "test/vectors/save/two-jobs.json"))
	check(t, err)
	var vector saveVector
	check(t, json.Unmarshal(text, &vector))
	return vector
}

func playToSave(t *testing.T, vector saveVector) (*stint.Engine, stint.HostState) {
	t.Helper()
	engine := newEngine(t)
	check(t, engine.Configure(t.Context(), vector.Configuration))
	check(t, engine.SetClockOffset(t.Context(), vector.ClockOffsetMs))
	for _, input := range vector.Ingest {
		check(t, engine.Ingest(t.Context(), input.Source, input.Kind, []byte(input.Text), input.NowMs))
	}
	host := stint.HostState{NowMs: vector.Poll.NowMs}
	for _, request := range poll(t, engine, vector.Poll.NowMs, vector.Poll.MaxRequests).Requests {
		host.OpenRequests = append(host.OpenRequests, request.ID)
	}
	return engine, host
}

func goOn(t *testing.T, engine *stint.Engine, host stint.HostState, call saveCall) []stint.Request {
	t.Helper()
	for _, id := range host.OpenRequests {
		check(t, engine.Settle(t.Context(), id, 0, -1, nil, call.NowMs))
	}
	first := poll(t, engine, call.NowMs, call.MaxRequests).Requests
	return append(first, poll(t, engine, call.NowMs+10_000, call.MaxRequests).Requests...)
}

func TestASaveHasJavaScriptsBytesAndEachRestoresTheOthers(t *testing.T) {
	vector := loadSaveVector(t)
	engine, host := playToSave(t, vector)
	own, err := engine.SaveBytes(t.Context(), host)
	check(t, err)
	javascripts, err := vectors.Built("saved-engine.bin", digestsCommand)
	check(t, err)
	if !bytes.Equal(own, javascripts) {
		t.Fatalf("the save has %d bytes, JavaScript's %d, and they differ; if the engine is newer: run `%s`",
			len(own), len(javascripts), digestsCommand)
	}
	restored := newEngine(t)
	got, err := restored.RestoreBytes(t.Context(), javascripts)
	check(t, err)
	if !reflect.DeepEqual(got, stint.HostState{NowMs: vector.Poll.NowMs, OpenRequests: vector.OpenRequests}) {
		t.Errorf("the host is %+v", got)
	}
	next := goOn(t, restored, got, vector.GoOn)
	if len(next) == 0 || !reflect.DeepEqual(next, goOn(t, engine, host, vector.GoOn)) {
		t.Error("the restored engine continues differently")
	}
}

func TestBytesThatAreNoWholeSaveAreRefusedAndChangeNothing(t *testing.T) {
	engine, host := playToSave(t, loadSaveVector(t))
	data, err := engine.SaveBytes(t.Context(), host)
	check(t, err)
	change := func(at int, value byte) []byte {
		changed := bytes.Clone(data)
		changed[at] = value
		return changed
	}
	fewer := append(bytes.Clone(data[:64]), data[64+16:]...)
	fewer[12]--
	for _, damaged := range []struct {
		data     []byte
		sentence string
	}{
		{data[:63], "does not begin as one"},
		{change(0, 0), "does not begin as one"},
		{change(8, 2), "is of format 2, this binding reads format 1"},
		{data[:len(data)-1], fmt.Sprintf("has %d bytes, and should have %d", len(data)-1, len(data))},
		{change(56, 9), fmt.Sprintf("has %d bytes, and should have %d", len(data), len(data)+7*8)},
		{change(64, 2), "has a global of kind 2; allowed are 0 and 1"},
		{change(64, data[64]^1), "has a global of another type than this module"},
		{fewer, "has .* globals, this module has "},
	} {
		_, err := engine.RestoreBytes(t.Context(), damaged.data)
		expectError(t, err, stint.CodeNone, "^this is no save of an engine: it "+damaged.sentence)
	}
	_, err = engine.RestoreBytes(t.Context(), replaced(data, 16, bytes.Repeat([]byte{0xff}, 32)))
	expectError(t, err, stint.CodeNone, "^the save is of module "+strings.Repeat("ff", 32)+", this is module ")
	after, err := engine.SaveBytes(t.Context(), host)
	check(t, err)
	if !bytes.Equal(after, data) {
		t.Error("a refused save has changed the engine")
	}
}

func replaced(data []byte, at int, part []byte) []byte {
	changed := bytes.Clone(data)
	copy(changed[at:], part)
	return changed
}

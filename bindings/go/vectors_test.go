package stint_test

// This file plays the vectors of test/vectors/ on the built engine. internal/vectors has what plays them.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/vectors"
)

const digestsCommand = "node_modules/.bin/node scripts/vector-digests.ts"

func TestEngineVectors(t *testing.T) {
	for _, vector := range loadVectors(t) {
		t.Run(vector.ID(), func(t *testing.T) {
			digestOf(t, &vector, nil)
		})
	}
}

// What is handed out is compared as scripts/vector-digests.ts says, which has written what JavaScript got.
func TestRequestsAreJavaScriptsToTheByte(t *testing.T) {
	text, err := vectors.Built("vector-digests.json", digestsCommand)
	if err != nil {
		t.Fatal(err)
	}
	var digests struct {
		ModuleSHA256 string            `json:"moduleSha256"`
		Cases        map[string]string `json:"cases"`
	}
	if err := json.Unmarshal(text, &digests); err != nil {
		t.Fatal(err)
	}
	if digests.ModuleSHA256 != module(t).SHA256() {
		t.Fatalf("build/vector-digests.json is of another build/engine.wasm: run `%s`", digestsCommand)
	}
	cases := loadVectors(t)
	for _, vector := range cases {
		wanted, ok := digests.Cases[vector.ID()]
		if !ok {
			t.Fatalf("build/vector-digests.json does not have %q: run `%s`", vector.ID(), digestsCommand)
		}
		if digest := digestOf(t, &vector, nil); digest != wanted {
			t.Fatalf(
				"the first case with other requests than JavaScript's is %q: digest %s, JavaScript's is %s",
				vector.ID(),
				digest,
				wanted,
			)
		}
	}
	if len(cases) != len(digests.Cases) {
		t.Fatalf(
			"build/vector-digests.json has %d cases, test/vectors/engine has %d: run `%s`",
			len(digests.Cases),
			len(cases),
			digestsCommand,
		)
	}
}

// Every vector a second time, on an engine that is saved and restored into a fresh instance at each step and each poll.
func TestSavedEnginesGoOnByteForByte(t *testing.T) {
	for _, vector := range loadVectors(t) {
		t.Run(vector.ID(), func(t *testing.T) {
			var plain, restored *stint.SavedEngine
			plainDigest := digestOf(t, &vector, func(engine *stint.Engine) (err error) {
				plain, err = engine.Save(t.Context())
				return err
			})
			restoredDigest := digestOf(t, &vector, func(engine *stint.Engine) (err error) {
				if restored, err = engine.Save(t.Context()); err != nil {
					return err
				}
				return engine.Restore(t.Context(), restored)
			})
			if restoredDigest != plainDigest {
				t.Error("the restored engine hands out other requests")
			}
			if !bytes.Equal(restored.Memory, plain.Memory) || !slices.Equal(restored.Globals, plain.Globals) {
				t.Error("the restored engine ends in another state")
			}
		})
	}
}

func TestAdmissionVectors(t *testing.T) {
	engine := newEngine(t)
	cases, err := vectors.LoadAdmission()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("test/vectors/admission has no case")
	}
	for _, vector := range cases {
		t.Run(vector.ID(), func(t *testing.T) {
			asked := engine
			if vector.Configuration != nil {
				asked = newEngine(t)
				if err := asked.Configure(t.Context(), *vector.Configuration); err != nil {
					t.Fatal(err)
				}
			}
			if err := vector.Play(t.Context(), asked); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestVerdictVectors(t *testing.T) { playAll(t, "verdict", 400, vectors.LoadVerdicts) }

func TestAccountVectors(t *testing.T) { playAll(t, "account", 60, vectors.LoadAccounts) }

func TestLintVectors(t *testing.T) { playAll(t, "lint", 100, vectors.LoadLint) }

func TestForecastVectors(t *testing.T) { playAll(t, "forecast", 80, vectors.LoadForecasts) }

// playAll plays every case of a folder of test/vectors/, which has so many at least, on one engine.
func playAll[Case any, Pointer interface {
	*Case
	ID() string
	Play(ctx context.Context, engine *stint.Engine) error
}](t *testing.T, folder string, least int, load func() ([]Case, error)) {
	engine := newEngine(t)
	cases, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < least {
		t.Fatalf("test/vectors/%s has %d cases, and should have %d or more", folder, len(cases), least)
	}
	for _, vector := range cases {
		t.Run(Pointer(&vector).ID(), func(t *testing.T) {
			if err := Pointer(&vector).Play(t.Context(), engine); err != nil {
				t.Error(err)
			}
		})
	}
}

func loadVectors(t *testing.T) []vectors.Case {
	t.Helper()
	cases, err := vectors.Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("test/vectors/engine has no case")
	}
	return cases
}

// digestOf plays a case; between, where it is not nil, is called between two steps and between two polls.
func digestOf(t *testing.T, vector *vectors.Case, between func(*stint.Engine) error) string {
	t.Helper()
	hash := sha256.New()
	err := vector.Play(t.Context(), vectors.Options{
		NewEngine: module(t).NewEngine,
		Between:   between,
		Observe: func(request stint.Request) {
			parts := []string{request.Method, request.Path, request.Accept, request.ContentType, string(request.Body)}
			for _, part := range parts {
				fmt.Fprintf(hash, "%d:%s", len(part), part)
			}
		},
	})
	if err != nil {
		t.Fatalf("%s: %v", vector.ID(), err)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

package vectors

// This file asks an engine the admission reviews of test/vectors/admission/, whose README.md has the format, and
// compares the answers.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/plainjson"
)

// AdmissionCase is one case of test/vectors/admission/.
type AdmissionCase struct {
	File   string            `json:"-"`
	Name   string            `json:"name"`
	Spec   string            `json:"spec"`
	Review *plainjson.Object `json:"review"`
	// Configuration is that of the engine that is asked; nil: it was not configured.
	Configuration *stint.Configuration `json:"configuration"`
	Expect        struct {
		Allowed  bool              `json:"allowed"`
		Causes   []expectedCause   `json:"causes"`
		Message  *string           `json:"message"`
		Code     *int              `json:"code"`
		Patched  *plainjson.Object `json:"patched"`
		Patch    *bool             `json:"patch"`    // false: none; true is not said.
		Warnings []string          `json:"warnings"` // nil: not looked at.
	} `json:"expect"`
}

type expectedCause struct {
	Field      string  `json:"field"`
	Reason     string  `json:"reason"`
	Message    *string `json:"message"`
	MessageEnd string  `json:"messageEnd"`
}

// admissionResponse is what is read of an answer.
type admissionResponse struct {
	UID       string   `json:"uid"`
	Allowed   bool     `json:"allowed"`
	PatchType string   `json:"patchType"`
	Patch     []byte   `json:"patch"` // Base64 in JSON, as is the API's.
	Warnings  []string `json:"warnings"`
	Status    struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Details struct {
			Causes []cause `json:"causes"`
		} `json:"details"`
	} `json:"status"`
}

type cause struct {
	Field   string `json:"field"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// ID is the case's name among all.
func (c *AdmissionCase) ID() string { return c.File + ": " + c.Name }

// LoadAdmission reads every case, in the order of files and cases.
func LoadAdmission() ([]AdmissionCase, error) {
	paths, err := filepath.Glob(filepath.Join(Repository, "test/vectors/admission/*.json"))
	if err != nil {
		return nil, err
	}
	var cases []AdmissionCase
	for _, path := range paths {
		var ofFile []AdmissionCase
		if err := readStrictly(path, &ofFile); err != nil {
			return nil, err
		}
		for _, vector := range ofFile {
			vector.File = filepath.Base(path)
			cases = append(cases, vector)
		}
	}
	return cases, nil
}

// Reviewer answers an AdmissionReview: an engine, or a handler in front of one.
type Reviewer interface {
	Review(ctx context.Context, admissionReview []byte) ([]byte, error)
}

// Play asks for an answer. The error says all that is not as the case says.
func (c *AdmissionCase) Play(ctx context.Context, reviewer Reviewer) error {
	review := plainjson.NewObject("apiVersion", "admission.k8s.io/v1", "kind", "AdmissionReview", "request", c.Review)
	text, err := reviewer.Review(ctx, []byte(plainjson.Render(review)))
	if err != nil {
		return err
	}
	var answer struct {
		Response admissionResponse `json:"response"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("the answer %s: %w", text, err)
	}
	return errors.Join(
		c.compareVerdict(&answer.Response),
		c.compareCauses(answer.Response.Status.Details.Causes),
		c.comparePatch(&answer.Response),
	)
}

func (c *AdmissionCase) compareVerdict(response *admissionResponse) error {
	var problems []error
	expect := func(isSame bool, format string, arguments ...any) {
		if !isSame {
			problems = append(problems, fmt.Errorf(format, arguments...))
		}
	}
	wantedCode := 422
	if c.Expect.Code != nil {
		wantedCode = *c.Expect.Code
	}
	status := response.Status
	expect(response.UID == c.Review.Text("uid"), "uid is %q, expected %q", response.UID, c.Review.Text("uid"))
	expect(
		response.Allowed == c.Expect.Allowed,
		"allowed is %t, expected %t: %s",
		response.Allowed,
		c.Expect.Allowed,
		status.Message,
	)
	expect(c.Expect.Allowed || status.Code == wantedCode, "code is %d, expected %d", status.Code, wantedCode)
	if c.Expect.Message != nil {
		expect(status.Message == *c.Expect.Message, "message is %q, expected %q", status.Message, *c.Expect.Message)
	}
	if c.Expect.Warnings != nil {
		expect(
			slices.Equal(response.Warnings, c.Expect.Warnings),
			"warnings are %q, expected %q",
			response.Warnings,
			c.Expect.Warnings,
		)
	}
	return errors.Join(problems...)
}

func (c *AdmissionCase) compareCauses(causes []cause) error {
	if !slices.EqualFunc(causes, c.Expect.Causes, cause.is) {
		expected, err := json.Marshal(c.Expect.Causes)
		return errors.Join(fmt.Errorf("causes are %q, expected %s", causes, expected), err)
	}
	return nil
}

func (c cause) is(expected expectedCause) bool {
	return c.Field == expected.Field && c.Reason == expected.Reason &&
		(expected.Message == nil || c.Message == *expected.Message) && strings.HasSuffix(c.Message, expected.MessageEnd)
}

func (c *AdmissionCase) comparePatch(response *admissionResponse) error {
	if isPatch := response.PatchType == "JSONPatch"; isPatch != (response.Patch != nil) {
		return fmt.Errorf("patchType is %q beside a patch of %d bytes", response.PatchType, len(response.Patch))
	}
	if c.Expect.Patch != nil && !*c.Expect.Patch && response.Patch != nil {
		return fmt.Errorf("the patch is %s, expected none", response.Patch)
	}
	if c.Expect.Patched == nil {
		return nil
	}
	patched, err := applyPatch(c.Review.Get("object"), response.Patch)
	if err != nil {
		return err
	}
	if !Match(patched, c.Expect.Patched) {
		return fmt.Errorf(
			"patched it is\n  %s\nexpected is\n  %s",
			plainjson.Render(patched),
			plainjson.Render(c.Expect.Patched),
		)
	}
	return nil
}

func applyPatch(object any, patch []byte) (any, error) {
	if patch == nil {
		return object, nil
	}
	operations, err := plainjson.Parse(patch)
	if err != nil {
		return nil, err
	}
	list, ok := operations.([]any)
	if !ok {
		return nil, fmt.Errorf("the patch is no list: %s", patch)
	}
	return plainjson.ApplyJSONPatch(object, list)
}

package stint_test

// This file has the objects of engine_test.go as JSON, and the calls that its tests make without interest in their
// errors.

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	stint "github.com/stint-dev/stint/bindings/go"
)

func configuration() stint.Configuration {
	return stint.Configuration{
		Instance: "test",
		Sources:  []stint.Source{{ID: jobs, Resource: "jobs"}, {ID: pods, Resource: "pods"}},
	}
}

func configured(t *testing.T) *stint.Engine {
	t.Helper()
	engine := newEngine(t)
	check(t, engine.Configure(t.Context(), configuration()))
	return engine
}

// synced is an engine that knows these Jobs, listed at version 100.
func synced(t *testing.T, objects ...string) *stint.Engine {
	t.Helper()
	engine := configured(t)
	for _, list := range []struct {
		source int32
		items  []string
	}{{jobs, objects}, {pods, nil}} {
		check(t, engine.Ingest(t.Context(), list.source, stint.ListBegin, nil, nowMs))
		check(t, engine.Ingest(t.Context(), list.source, stint.Page, page(list.source, "", list.items), nowMs))
		check(t, engine.Ingest(t.Context(), list.source, stint.ListEnd, nil, nowMs))
	}
	return engine
}

func page(source int32, continueToken string, items []string) []byte {
	kind := map[int32]string{jobs: "JobList", pods: "PodList"}[source]
	return fmt.Appendf(
		nil,
		`{"kind":%q,"metadata":{"resourceVersion":"100","continue":%q},"items":[%s]}`,
		kind,
		continueToken,
		strings.Join(items, ","),
	)
}

func line(eventType, object string) []byte {
	return fmt.Appendf(nil, "{\"type\":%q,\"object\":%s}\n", eventType, object)
}

func job(name string, version int) string {
	return fmt.Sprintf(
		`{"kind":"Job","metadata":{"name":"%[1]s","namespace":"default","uid":"uid-%[1]s","resourceVersion":"%[2]d",`+
			`"generation":1},`+
			`"spec":{"parallelism":3,"completions":3,"backoffLimit":6,"template":{"metadata":{"labels":{"app":"%[1]s"}},`+
			`"spec":{"containers":[{"name":"c","image":"busybox"}],"restartPolicy":"Never"}}},"status":{}}`,
		name,
		version,
	)
}

func pod(name, owner string, version int) string {
	return fmt.Sprintf(
		`{"kind":"Pod","metadata":{"name":"%[1]s","namespace":"default","uid":"uid-%[1]s","resourceVersion":"%[3]d",`+
			`"finalizers":["batch.kubernetes.io/job-tracking"],`+
			`"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"%[2]s","uid":"uid-%[2]s","controller":true}]},`+
			`"status":{"phase":"Running"}}`,
		name,
		owner,
		version,
	)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func poll(t *testing.T, engine *stint.Engine, nowMs int64, maxRequests int) *stint.PollResult {
	t.Helper()
	result, err := engine.Poll(t.Context(), nowMs, maxRequests)
	check(t, err)
	return result
}

func explain(t *testing.T, engine *stint.Engine, job string) *stint.Explanation {
	t.Helper()
	explanation, err := engine.Explain(t.Context(), "default", job)
	check(t, err)
	return explanation
}

func memoryBytes(t *testing.T, engine *stint.Engine) int64 {
	t.Helper()
	metrics, err := engine.Metrics(t.Context())
	check(t, err)
	return metrics["memoryBytes"]
}

func expectWatchVersion(t *testing.T, engine *stint.Engine, wanted int64) {
	t.Helper()
	if version, err := engine.WatchVersion(t.Context(), jobs); err != nil || version != wanted {
		t.Errorf("the watch version is %d, %v; expected %d", version, err, wanted)
	}
}

// expectError: the text is a regular expression.
func expectError(t *testing.T, err error, code stint.Code, text string) {
	t.Helper()
	var refusal *stint.Error
	if !errors.As(err, &refusal) || refusal.Code != code || !regexp.MustCompile(text).MatchString(refusal.Text) {
		t.Errorf("the error is %#v, expected code %d and %s", err, code, text)
	}
}

// moduleOfVersion is a module with nothing but the two version numbers. Each must be below 64, to be one byte of
// LEB128.
func moduleOfVersion(major, minor byte) []byte {
	const globalKind = 3
	i32Constant := func(value byte) []byte { return []byte{0x7f, 0, 0x41, value, 0x0b} }
	export := func(name string, index byte) []byte {
		return append(append([]byte{byte(len(name))}, name...), globalKind, index)
	}
	section := func(id byte, entries ...[]byte) []byte {
		content := slices.Concat(append([][]byte{{byte(len(entries))}}, entries...)...)
		return append([]byte{id, byte(len(content))}, content...)
	}
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(6, i32Constant(major), i32Constant(minor)),
		section(7, export("abi_version", 0), export("abi_minor_version", 1)))
}

package stint

// This file has the words of the ABI as Go types: numbers and member names are those of bindings/ABI.md. Invariant: nothing
// here calls the engine. Milliseconds are whole, on the clock that a name or comment says.

import (
	"fmt"
	"math"
)

// ABIVersion is the major version of the ABI that this package speaks. An engine of another one is refused.
const ABIVersion = 1

// MaxInputBytes is the most that one call takes.
const MaxInputBytes = 64 << 20

// MaxRequestsAPoll is the most requests that one poll hands out: the rest comes with the next.
const MaxRequestsAPoll = 4096

// Never is the next wake-up of an engine that waits for an input alone.
const Never int64 = math.MaxInt64

// IngestKind says what the bytes given to [Engine.Ingest] are.
type IngestKind int32

const (
	ListBegin  IngestKind = iota // A list of this source starts; no bytes.
	Page                         // One whole …List document.
	ListEnd                      // The list is complete: what it did not show is gone; no bytes.
	WatchLines                   // Whole watch events, each ending in a newline.
	StreamLost                   // A list or a watch broke; no bytes.
)

// Code tells why the engine refused a call. A newer engine may know others: they are refusals too.
type Code int32

const (
	CodeNone             Code = -1 // The engine has no code for it: a trap, an engine of another ABI, a save of another module.
	CodeNotConfigured    Code = 1
	CodeBadConfiguration Code = 2 // All of it was refused; nothing has changed.
	CodeUnknownSource    Code = 3
	CodePartialLine      Code = 4 // Watch lines do not end in a newline; nothing was taken.
	CodeBadJSON          Code = 5 // What stood before the error was taken.
	CodeTooLarge         Code = 6 // More than MaxInputBytes; nothing was taken.
	CodeUnknownRequest   Code = 7
	CodeUnreadableObject Code = 8  // Everything was taken but one object or more: log it and go on.
	CodeOutOfOrder       Code = 9  // This kind cannot come now, or a list is older than what its source has shown.
	CodeWrongDocument    Code = 10 // Not what its source shows, or a list without items or resourceVersion: list the source again.
	CodeBadTime          Code = 11 // nowMs is negative, or beyond the year 9999.
)

// Error is what every method of this package returns for a refusal or a trap.
type Error struct {
	Code Code
	Text string // One English sentence, for people: it may change with any version.
	// Cause is what the Wasm runtime said, after a trap. The engine is unusable then: close it, make another and list anew.
	Cause error
}

func (e *Error) Error() string { return e.Text }

func (e *Error) Unwrap() error { return e.Cause }

func noCode(cause error, format string, arguments ...any) *Error {
	return &Error{Code: CodeNone, Text: fmt.Sprintf(format, arguments...), Cause: cause}
}

// Configuration says who an engine is. Limits and defaults: bindings/ABI.md, "configure".
type Configuration struct {
	// Instance tells this engine's event names from those of other engines; at most 32 bytes.
	Instance string   `json:"instance,omitempty"`
	Sources  []Source `json:"sources"`
	// GangScheduling gives Indexed Jobs whose pods all run at once a Workload and a PodGroup; it needs sources of both.
	GangScheduling bool `json:"gangScheduling,omitempty"`
	// ManagedBy: the engine runs the Jobs with this spec.managedBy, and no others; empty: those of upstream's controller.
	ManagedBy string `json:"managedBy,omitempty"`
	// Finalizer is what keeps a pod until it is counted; needed with ManagedBy. Empty: batch.kubernetes.io/job-tracking.
	Finalizer string `json:"finalizer,omitempty"`
	// RemovesFinished: finished Jobs are deleted after their ttlSecondsAfterFinished; nil: unless there is ManagedBy.
	RemovesFinished *bool `json:"removesFinished,omitempty"`
	// Constants are upstream's, by their names in ABI.md; one left out has upstream's value. Milliseconds where the name says so.
	Constants map[string]int64 `json:"constants,omitempty"`
}

// Source is one stream that feeds an engine.
type Source struct {
	ID        int32  `json:"id"`                  // 0 to 63, unique.
	Resource  string `json:"resource"`            // "jobs" or "pods"; with GangScheduling also "workloads" or "podgroups".
	Namespace string `json:"namespace,omitempty"` // What the stream is limited to; empty: all namespaces.
	// IsSelection: the stream shows what a label selector matches, so that what it calls deleted may only match no more.
	IsSelection bool `json:"isSelection,omitempty"`
}

// Request is one that the engine wants to be sent. Settle each exactly once, by ID.
type Request struct {
	ID          int64
	Method      string // An HTTP method: GET, POST, PUT, PATCH or DELETE.
	Path        string // The request target as it goes on the wire: with its query, percent-encoded.
	Accept      string
	ContentType string // Empty: no body.
	Body        []byte
}

// PollResult is what one poll hands out.
type PollResult struct {
	Requests []Request
	// NextWakeUpMs is when poll wants to be called again at the latest, on the clock of now; Never: after the next input.
	NextWakeUpMs int64
	Decisions    []Decision // Those since the last poll.
}

// Decision is one decision as the engine traced it. Times are wall-clock milliseconds since 1970 UTC.
type Decision struct {
	AtMs      int64  `json:"atMs"`
	Namespace string `json:"namespace"`
	Job       string `json:"job"`
	UID       string `json:"uid"`
	Code      string `json:"code"`    // One of ABI.md's "Decision codes".
	Message   string `json:"message"` // The same in one English sentence.
	// NextMs is when something happens next without any input; nil: nothing does.
	NextMs  *int64           `json:"nextMs"`
	Numbers map[string]int64 `json:"numbers"` // What the decision was based on.
}

// Explanation is what an engine knows of one Job. Fields from UID on are set when Found is.
type Explanation struct {
	Namespace string `json:"namespace"`
	Job       string `json:"job"`
	Found     bool   `json:"found"`
	State     string `json:"state"`    // One word for tables, of ABI.md's "explain".
	Sentence  string `json:"sentence"` // What is the case, by which rule and numbers, what comes next.
	// NextMs is when something happens next without any input, in wall-clock milliseconds; nil: nothing does.
	NextMs    *int64     `json:"nextMs"`
	Decisions []Decision `json:"decisions"` // The latest, oldest first.

	UID         string `json:"uid"`
	Parallelism int64  `json:"parallelism"`
	Completions *int64 `json:"completions"` // nil: not set.
	Active      int64  `json:"active"`
	Ready       int64  `json:"ready"`
	Terminating int64  `json:"terminating"`
	Succeeded   int64  `json:"succeeded"`
	Failed      int64  `json:"failed"`

	Code       string           `json:"code"`       // Which rule holds it, of ABI.md's "Decision codes" or "explain".
	Numbers    map[string]int64 `json:"numbers"`    // Those of the code, at this moment.
	DeadlineMs *int64           `json:"deadlineMs"` // When activeDeadlineSeconds end it, in wall-clock milliseconds; nil: they do not.
	Pods       []PodGroup       `json:"pods"`       // By what they wait for or do.

	BackoffLimit int64 `json:"backoffLimit"`
}

// PodGroup is those pods of a Job that do or wait for the same.
type PodGroup struct {
	Reason  string `json:"reason"` // Ready, Running, Pending, Terminating, Ended, Unknown, or what kubelet or scheduler gave.
	Count   int64  `json:"count"`
	Pod     string `json:"pod"`               // The oldest of them.
	SinceMs *int64 `json:"sinceMs"`           // When that was created, or its deletion asked for.
	GraceMs *int64 `json:"graceMs,omitempty"` // Of Terminating: how long it may take.
	Message string `json:"message,omitempty"` // What one of them gave as the message of its wait; or empty.
}

// SavedEngine is everything that an engine was. It restores only into an engine of the same module, which goes on bit for bit.
type SavedEngine struct {
	ModuleSHA256 string // Lower-case hexadecimal.
	Memory       []byte
	Globals      []uint64 // The bits of the exports global:0, global:1 and so on.
}

// MetricFamily is what the engine has counted under one of upstream's names.
type MetricFamily struct {
	Name string `json:"name"`
	// Type is counter, gauge or histogram.
	Type string `json:"type"`
	Help string `json:"help"`
	// Labels are the names of the labels, in the order of the values of each sample.
	Labels []string `json:"labels"`
	// Bounds are the upper bounds of a histogram's buckets, ascending, without +Inf.
	Bounds  []float64      `json:"bounds"`
	Samples []MetricSample `json:"samples"`
}

// MetricSample is one series: Value of a counter or a gauge, the rest of a histogram.
type MetricSample struct {
	Labels []string `json:"labels"`
	Value  float64  `json:"value"`
	// Buckets has for each bound how many observations were not above it.
	Buckets []float64 `json:"buckets"`
	Sum     float64   `json:"sum"`
	Count   float64   `json:"count"`
}

package stint

// This file has what the engine returns as Go types: member names are those of bindings/ABI.md. Invariant: nothing here
// calls the engine. Milliseconds are whole, on the clock that a name or comment says. What is given to it is in abi.go.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Never is the next wake-up of an engine that waits for an input alone.
const Never int64 = math.MaxInt64

// CodeNone is used where the engine has no code: a trap, an engine of another ABI, a save of another module, a context
// that has ended.
const CodeNone Code = -1

// String is the name of the code in bindings/ABI.md, or its number where a newer engine has it.
func (c Code) String() string {
	if c < 0 || int(c) >= len(codeNames) {
		return strconv.Itoa(int(c))
	}
	return codeNames[c]
}

// Error is what every method of this package returns for a refusal or a trap.
type Error struct {
	Code Code
	Text string // One English sentence, for people: it may change with any version.
	// Cause is what the Wasm runtime said, after a trap: the engine is unusable then; close it, make another and list
	// again. For a call that did not begin it is the error of the context.
	Cause error
	// kind is ErrTrap, ErrClosed, ErrNotBegun, or nil for everything else.
	kind error
}

// An error of this package is one of these by errors.Is when the engine has come to its end. Every later call fails
// with the same error.
var (
	ErrTrap   = errors.New("the engine has trapped")
	ErrClosed = errors.New("the engine was closed")
)

// ErrNotBegun is by errors.Is what a call gets whose context has ended. Nothing has changed, and the next call works.
// The error is the context's too: [context.Canceled] or [context.DeadlineExceeded], and its [context.Cause].
var ErrNotBegun = errors.New("the context had ended before the call")

func (e *Error) Error() string { return e.Text }

// Is says whether the error is of the kind [ErrTrap], [ErrClosed] or [ErrNotBegun].
func (e *Error) Is(target error) bool { return e.kind != nil && target == e.kind }

func (e *Error) Unwrap() error { return e.Cause }

// notEnded is an error if the context has ended, and what is named is not to begin any more.
func notEnded(ctx context.Context, name string) error {
	ended := ctx.Err()
	if ended == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != ended {
		ended = fmt.Errorf("%w: %w", ended, cause)
	}
	refused := noCode(ended, "%s was not begun, for its context has ended: %v; nothing has changed", name, ended)
	refused.kind = ErrNotBegun
	return refused
}

func noCode(cause error, format string, arguments ...any) *Error {
	return &Error{Code: CodeNone, Text: fmt.Sprintf(format, arguments...), Cause: cause}
}

// Request is one that the engine wants to be sent. Settle each exactly once, by ID.
type Request struct {
	ID          int64
	Method      string // An HTTP method: GET, POST, PUT, PATCH or DELETE.
	Path        string // The request target as sent on the wire: with its query, percent-encoded.
	Accept      string
	ContentType string // Empty: no body.
	Body        []byte
	// Decision is the ID of the decision that it carries out; 0: of none. Some decisions come after their requests; an ID
	// that never comes stands for the last decision of the Job before it (bindings/ABI.md, "poll").
	Decision uint32
}

// PollResult is what one poll hands out.
type PollResult struct {
	Requests []Request
	// NextWakeUpMs is when poll wants to be called again at the latest, on the clock of now; Never: after the next
	// input.
	NextWakeUpMs int64
	Decisions    []Decision // Those since the last poll.
}

// Decision is one decision as the engine traced it. Times are wall-clock milliseconds since 1970 UTC.
type Decision struct {
	ID        uint32 `json:"id"` // Requests name it. 0: the engine is of ABI 1.1.
	AtMs      int64  `json:"atMs"`
	Namespace string `json:"namespace"`
	Job       string `json:"job"`
	UID       string `json:"uid"`
	Code      string `json:"code"`    // One of the constants Decision…, or one that a newer engine has.
	Message   string `json:"message"` // The same in one English sentence.
	// NextMs is when something happens next without any input; nil: nothing does.
	NextMs  *int64           `json:"nextMs"`
	Numbers map[string]int64 `json:"numbers"` // What the decision was based on.
	// Indexes are, of IndexBackoff, the completion indexes that wait, if there are several: "1,3-5".
	Indexes string `json:"indexes,omitempty"`
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

	Code    string           `json:"code"`    // Which rule holds it: one of the constants Decision… or Explain…
	Numbers map[string]int64 `json:"numbers"` // Those of the code, at this moment.
	// When activeDeadlineSeconds end it, in wall-clock milliseconds; nil: they do not.
	DeadlineMs *int64     `json:"deadlineMs"`
	Pods       []PodGroup `json:"pods"` // By what they wait for or do.

	BackoffLimit int64 `json:"backoffLimit"`
}

// PodGroup is those pods of a Job that do or wait for the same.
type PodGroup struct {
	// Ready, Running, Pending, Terminating, Ended, Unknown, or what kubelet or scheduler gave.
	Reason  string `json:"reason"`
	Count   int64  `json:"count"`
	Pod     string `json:"pod"`               // The oldest of them.
	SinceMs *int64 `json:"sinceMs"`           // When that was created, or its deletion asked for.
	GraceMs *int64 `json:"graceMs,omitempty"` // Of Terminating: how long it may take.
	Message string `json:"message,omitempty"` // What one of them gave as the message of its wait; or empty.
}

// Verdict says whether a Job has ended, and how. bindings/ABI.md, "verdict", says what each field is derived from.
type Verdict struct {
	Word string `json:"verdict"` // One of the constants Verdict…: VerdictSucceeded, VerdictStuck…
	// IsFinished: the Job has really ended, with success or failure.
	IsFinished bool `json:"isFinished"`
	// Decided is how the Job will end, or has: VerdictSucceeded, VerdictFailed; empty: that is open.
	Decided string `json:"decided"`
	// Reason is that of the condition or of the pod that waits; else one of the constants VerdictReason…
	Reason  string `json:"reason"`
	Message string `json:"message"`
	SinceMs *int64 `json:"sinceMs"` // Since when it is so, in wall-clock milliseconds; nil: not known.
	NextMs  *int64 `json:"nextMs"`  // When something happens without any input; nil: nothing that is known.
	// IsNextBound: NextMs is the latest moment, and it may happen before.
	IsNextBound bool   `json:"isNextBound"`
	Sentence    string `json:"sentence"` // One English sentence, for people.
	Evidence    string `json:"evidence"` // The path of the field that decides: job.status.conditions[1].
}

// Account says what happened to a Job. bindings/ABI.md, "account", names the source of each field.
type Account struct {
	Verdict  Verdict   `json:"verdict"`
	Sentence string    `json:"sentence"` // One English sentence about the Job, for people.
	Attempts []Attempt `json:"attempts"` // One for each pod of the Job, by the time when it started.
	Last     *int64    `json:"last"`     // The index in Attempts of the one that failed last; nil: none has.
	Holds    []Hold    `json:"holds"`    // What keeps the Job from going on, the most important first.
	Next     Next      `json:"next"`     // What comes next, or has to happen first.
	Remedies []Remedy  `json:"remedies"` // What to do: at most two.
}

// Hold is one thing that holds a Job.
type Hold struct {
	Code     string `json:"code"` // One of the constants Hold…: HoldCannotStart.
	By       string `json:"by"`   // What the code names: a container, a quota, a node; empty: nothing that is known.
	Reason   string `json:"reason"`
	Message  string `json:"message"`
	Count    int64  `json:"count"`    // How many pods are held; 0: it is about the Job itself.
	Pod      string `json:"pod"`      // The pod that has been held for the longest; empty: none.
	Node     string `json:"node"`     // Its node; empty: none.
	SinceMs  *int64 `json:"sinceMs"`  // In wall-clock milliseconds; nil: not known.
	Sentence string `json:"sentence"` // One English sentence, for people.
}

// Next says what comes next for a Job.
type Next struct {
	AtMs     *int64 `json:"atMs"`     // In wall-clock milliseconds; nil: nothing comes without an input.
	IsBound  bool   `json:"isBound"`  // AtMs is the latest moment, and it may happen before.
	Sentence string `json:"sentence"` // One English clause, for people.
}

// Remedy is one thing to do for a Job.
type Remedy struct {
	Code     string `json:"code"`     // The code of the hold or of the end that it is about.
	Sentence string `json:"sentence"` // What to do: one English clause, which begins with a verb.
	Command  string `json:"command"`  // A command for a shell; job.yaml in it stands for the file with the manifest.
	Kind     string `json:"kind"`     // The kind of the object that Patch is for; empty: there is none.
	// Patch is a strategic merge patch of a Job or a CronJob, a merge patch of another object; null: no manifest is at
	// fault.
	Patch json.RawMessage `json:"patch"`
}

// Attempt says what became of one pod, and who ended it.
type Attempt struct {
	Pod       string `json:"pod"`
	UID       string `json:"uid"`
	Index     *int64 `json:"index"` // The completion index; nil: it has none.
	Node      string `json:"node"`  // Empty: it has none.
	Phase     string `json:"phase"`
	StartMs   *int64 `json:"startMs"`   // In wall-clock milliseconds; nil: not known.
	EndMs     *int64 `json:"endMs"`     // Nil: not known, or it has not ended.
	Restarts  int64  `json:"restarts"`  // How often the kubelet started a container of it again.
	Container string `json:"container"` // The container whose failure decided; empty: none failed.
	Attempt   *int64 `json:"attempt"`   // Which start of that container failed: 0 is the first; nil: none failed.
	ExitCode  *int64 `json:"exitCode"`
	Signal    *int64 `json:"signal"` // The signal that the exit code tells of; nil: it tells of none.
	Reason    string `json:"reason"`
	Message   string `json:"message"`
	EndedBy   string `json:"endedBy"`  // One of the constants End…: EndExited; empty: nothing has ended it yet.
	By        string `json:"by"`       // What the code names: the pod that preempted it, the resource that was low.
	Cause     string `json:"cause"`    // Who or what ended it, as a part of a sentence; empty: nothing.
	Sentence  string `json:"sentence"` // One English sentence, for people.
}

// LintReport is what lint says of a Job.
type LintReport struct {
	Advice []Advice `json:"advice"`
}

// Advice is what one rule of lint says. docs/lint.md has a section for each code.
type Advice struct {
	Code     string `json:"code"`     // One of the constants Lint…: LintNoDeadline, LintLegacySidecar…
	Severity string `json:"severity"` // "warn" or "deny".
	// Field is the path of the field it is about, in the Job: spec.backoffLimit; or in the question: context.cronJob…
	Field    string           `json:"field"`
	Sentence string           `json:"sentence"` // What is wrong: one English sentence, without a capital and a full stop.
	Fix      string           `json:"fix"`      // What to do, in the same form.
	Numbers  map[string]int64 `json:"numbers"`  // The numbers of the sentence.
}

// ForecastAmount is a number of a forecast, and how sure it is.
type ForecastAmount struct {
	// Value is nil where Is is "unbounded" or "unknown".
	Value *int64 `json:"value"`
	// Is: "exact": some outcome reaches it, and none goes beyond; "bound": none goes beyond; "unbounded", "unknown".
	Is string `json:"is"`
	By string `json:"by,omitempty"` // The field that makes it unbounded, or the assumption that is missing; or empty.
}

// ForecastRange is what is least, and what is most.
type ForecastRange struct {
	Least ForecastAmount `json:"least"`
	Most  ForecastAmount `json:"most"`
}

// ForecastTimes is when something happens, in milliseconds from FromMs on.
type ForecastTimes struct {
	EarliestMs ForecastAmount `json:"earliestMs"`
	LatestMs   ForecastAmount `json:"latestMs"`
	// ToleranceMs is what a controller may be early or late; 0: see that of End.
	ToleranceMs int64 `json:"toleranceMs,omitempty"`
}

// ForecastTry is one try of a Job whose pods all fail.
type ForecastTry struct {
	AtMs int64 `json:"atMs"`
	Pods int64 `json:"pods"`
}

// ForecastRetries is what happens if every pod fails, or every container.
type ForecastRetries struct {
	Of        string        `json:"of"` // "pod", or "container" if containers restart.
	Tries     []ForecastTry `json:"tries"`
	Omitted   int64         `json:"omitted"` // How many tries follow those.
	Pods      int64         `json:"pods"`
	GivesUpMs *int64        `json:"givesUpMs"` // nil: never.
	By        *string       `json:"by"`        // The field whose rule fails the Job; nil: none does.
}

// ForecastPodTime is the time of all pods, and what they ask for in that time.
type ForecastPodTime struct {
	MostMs ForecastAmount `json:"mostMs"`
	// CPUSeconds and MemoryByteSeconds are exact decimal text; nil: nothing is asked for, or the time is not known.
	CPUSeconds        *string `json:"cpuSeconds"`
	MemoryByteSeconds *string `json:"memoryByteSeconds"`
}

// Forecast says what a Job will do. bindings/ABI.md, "forecast", says what each field means.
type Forecast struct {
	From            string          `json:"from"` // "creation" or "resumption".
	FromMs          int64           `json:"fromMs"`
	ManagedBy       *string         `json:"managedBy"` // The controller that runs it; nil: the built-in one.
	Pods            ForecastRange   `json:"pods"`
	ContainerStarts ForecastRange   `json:"containerStarts"`
	Peak            ForecastAmount  `json:"peak"` // Pods at once that have not ended.
	Retries         ForecastRetries `json:"retries"`
	End             ForecastTimes   `json:"end"`
	DeletedMs       ForecastTimes   `json:"deletedMs"`
	StatusBytes     ForecastAmount  `json:"statusBytes"`
	PodTime         ForecastPodTime `json:"podTime"`
	Text            string          `json:"text"` // A paragraph, for people.
}

// SavedEngine is everything that an engine was. It restores only into an engine of the same module, which continues bit
// for bit.
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

package stint

// This file has the engine's calls, one method an export of the ABI. Invariants: bytes that go out are copies; after a
// trap, or when it was closed, every method returns that as its error; a call whose context has ended changes nothing.
// The loop that a host runs round it is left to the host.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// Engine is one engine, which is one Wasm instance. It is for one goroutine at a time. The errors of its methods are of
// type *[Error].
//
// The context of a call is looked at before the call begins. If it has ended, the error is [ErrNotBegun] and that of
// the context, and the engine is as it was. A call that has begun runs to its end: one that was broken off would leave
// half a change in the engine's memory. How long it takes is limited by the size of what it is given.
type Engine struct {
	module   *Module
	instance *instance
	end      *Error // What ended the instance, a trap or Close; nil: nothing did.
}

// NewEngine makes a fresh engine. It refuses one of another major version of the ABI, naming both versions. The context
// is for this call alone.
func (m *Module) NewEngine(ctx context.Context) (*Engine, error) {
	instance, err := m.instantiate(ctx)
	if err != nil {
		return nil, err
	}
	return &Engine{module: m, instance: instance}, nil
}

// Close frees the engine: every later call fails with [ErrClosed], and another Close does nothing.
func (e *Engine) Close() error {
	e.end = closed()
	return e.instance.module.Close(context.Background())
}

func closed() *Error {
	return &Error{Code: CodeNone, Text: "this engine is closed: make a new one", kind: ErrClosed}
}

// Configure says who this engine is: once, before anything is ingested. After CodeBadConfiguration nothing has changed.
func (e *Engine) Configure(ctx context.Context, configuration Configuration) error {
	text, err := json.Marshal(configuration)
	if err != nil {
		return &Error{Code: CodeBadConfiguration, Text: fmt.Sprintf("the configuration is no JSON: %v", err), Cause: err}
	}
	return e.check(e.callWithInput(ctx, "configure", text, nil))
}

// Ingest feeds what the API said, as it came: at most [MaxInputBytes]. nowMs is on a clock that never steps back. An
// error with CodeUnreadableObject names the first object that could not be read; the others were taken.
func (e *Engine) Ingest(ctx context.Context, source int32, kind IngestKind, input []byte, nowMs int64) error {
	before := []uint64{api.EncodeI32(source), api.EncodeI32(int32(kind))}
	return e.check(e.callWithInput(ctx, "ingest", input, before, encodeNumber(nowMs)))
}

// WatchVersion is the resourceVersion to watch a source from; -1: list it again (at the start, after a 410, after a
// broken list).
func (e *Engine) WatchVersion(ctx context.Context, source int32) (int64, error) {
	version, err := e.call(ctx, "watch_version", api.EncodeI32(source))
	return decodeNumber(version), err
}

// ListContinue is the continue token of the page last ingested; empty after the last page.
func (e *Engine) ListContinue(ctx context.Context, source int32) (string, error) {
	token, err := e.result(e.call(ctx, "list_continue", api.EncodeI32(source)))
	return string(token), err
}

// Poll asks what to send, when to come back and what was decided. At most maxRequests come, and at most
// [MaxRequestsAPoll]. Call it after every input or burst of inputs, at the wake-up time, and when there is room for
// requests again.
func (e *Engine) Poll(ctx context.Context, nowMs int64, maxRequests int) (*PollResult, error) {
	frame, err := e.timedResult(
		e.call(ctx, "poll", encodeNumber(nowMs), api.EncodeI32(int32(min(maxRequests, MaxRequestsAPoll)))),
	)
	if err != nil {
		return nil, err
	}
	return readPollFrame(frame)
}

// Settle tells the outcome of a request: the HTTP status and the body as it came. status 0: the outcome is unknown, for
// the answer was lost; retryAfterMs -1: the answer named none. With CodeUnreadableObject the request is settled all the
// same.
func (e *Engine) Settle(
	ctx context.Context,
	id int64,
	status int,
	retryAfterMs int64,
	body []byte,
	nowMs int64,
) error {
	before := []uint64{encodeNumber(id), api.EncodeI32(int32(status)), encodeNumber(retryAfterMs)}
	return e.check(e.callWithInput(ctx, "settle", body, before, encodeNumber(nowMs)))
}

// SetClockOffset sets wall time minus now. Timers follow now, timestamps in the API follow wall time.
func (e *Engine) SetClockOffset(ctx context.Context, offsetMs int64) error {
	_, err := e.call(ctx, "clock", encodeNumber(offsetMs))
	return err
}

// Review answers an AdmissionReview: JSON in, JSON out, before Configure too. CodeBadJSON: the input is no review at
// all.
func (e *Engine) Review(ctx context.Context, admissionReview []byte) ([]byte, error) {
	return e.result(e.callWithInput(ctx, "review", admissionReview, nil))
}

// Explain says what is known of one Job, and why it does or does not progress.
func (e *Engine) Explain(ctx context.Context, namespace, job string) (*Explanation, error) {
	text, err := e.result(e.callWithInput(ctx, "explain", []byte(namespace+"/"+job), nil))
	if err != nil {
		return nil, err
	}
	return decodeJSON[*Explanation](text)
}

// ExplainAt is Explain as of nowMs, and not of the last call: how long a wait still lasts, for one. It changes nothing.
func (e *Engine) ExplainAt(ctx context.Context, namespace, job string, nowMs int64) (*Explanation, error) {
	text, err := e.timedResult(e.callWithInput(ctx, "explain_at", []byte(namespace+"/"+job), nil, encodeNumber(nowMs)))
	if err != nil {
		return nil, err
	}
	return decodeJSON[*Explanation](text)
}

// Verdict says whether a Job has really ended, and how, from its conditions. The question is a JSON object with the
// members job (a batch/v1 Job as the API shows it) and, where they are known, pods; nowMs is wall time. It works before
// Configure, and neither reads nor changes what the engine knows. CodeBadJSON: the question cannot be read, or nowMs is
// no time.
func (e *Engine) Verdict(ctx context.Context, question []byte, nowMs int64) (*Verdict, error) {
	return ask[*Verdict](ctx, e, "verdict", "1.3", question, nowMs)
}

// Account tells what happened to a Job: its verdict, and what became of each of its pods and who ended it. The question
// is a JSON object with the members job (a batch/v1 Job as the API shows it) and, where they are known, pods and
// events; nowMs is wall time. It works before Configure, and neither reads nor changes what the engine knows.
// CodeBadJSON: the question cannot be read, or nowMs is no time.
func (e *Engine) Account(ctx context.Context, question []byte, nowMs int64) (*Account, error) {
	return ask[*Account](ctx, e, "account", "1.7", question, nowMs)
}

// Lint gives advice about a Job that the API server takes. The question is a JSON object with the member job (a
// batch/v1 Job) and, where they are known, context and rules: bindings/ABI.md, "lint". nowMs is wall time. It works
// before Configure, and neither reads nor changes what the engine knows. CodeBadJSON: the question cannot be read or
// names a rule that there is not, or nowMs is no time.
func (e *Engine) Lint(ctx context.Context, question []byte, nowMs int64) (*LintReport, error) {
	return ask[*LintReport](ctx, e, "lint", "1.4", question, nowMs)
}

// Forecast says what a Job will do: pods, retries, its end. The question is a JSON object with the members job (a
// batch/v1 Job, as the API shows it or as a user writes it) and assumptions, which may be missing: podMs, how long a
// pod takes, and disruptions; nowMs is wall time. It works before Configure, and neither reads nor changes what the
// engine knows. CodeBadJSON: the question cannot be read, or nowMs is no time.
func (e *Engine) Forecast(ctx context.Context, question []byte, nowMs int64) (*Forecast, error) {
	return ask[*Forecast](ctx, e, "forecast", "1.5", question, nowMs)
}

// ask calls an export that an engine of an earlier minor version, or one that was made smaller, does not have.
func ask[Answer any](
	ctx context.Context,
	e *Engine,
	name, version string,
	question []byte,
	nowMs int64,
) (Answer, error) {
	var none Answer
	if _, ok := e.instance.functions[name]; !ok {
		return none, noCode(nil, "this engine has no %s: it is older than ABI %s, or was built without", name, version)
	}
	text, err := e.result(e.callWithInput(ctx, name, question, nil, encodeNumber(nowMs)))
	if err != nil {
		return none, err
	}
	return decodeJSON[Answer](text)
}

// Metrics says what the engine holds, in numbers. The names are in bindings/ABI.md, "metrics".
func (e *Engine) Metrics(ctx context.Context) (map[string]int64, error) {
	text, err := e.result(e.call(ctx, "metrics"))
	if err != nil {
		return nil, err
	}
	members, err := decodeJSON[map[string]json.RawMessage](text)
	if err != nil {
		return nil, err
	}
	numbers := make(map[string]int64, len(members))
	for name, member := range members {
		var number int64
		if json.Unmarshal(member, &number) == nil {
			numbers[name] = number
		}
	}
	return numbers, nil
}

// MetricFamilies is what the engine has counted, by upstream's names.
func (e *Engine) MetricFamilies(ctx context.Context) ([]MetricFamily, error) {
	text, err := e.result(e.call(ctx, "metrics"))
	if err != nil {
		return nil, err
	}
	metrics, err := decodeJSON[struct {
		Families []MetricFamily `json:"families"`
	}](text)
	return metrics.Families, err
}

// Save copies everything that the engine is; the size is that of its memory.
func (e *Engine) Save(ctx context.Context) (*SavedEngine, error) {
	if err := e.ready(ctx, "save"); err != nil {
		return nil, err
	}
	saved := &SavedEngine{ModuleSHA256: e.module.sha256, Globals: make([]uint64, len(e.instance.globals))}
	saved.Memory = e.copyOut(0, e.instance.memory.Size())
	for i, global := range e.instance.globals {
		saved.Globals[i] = global.Get()
	}
	return saved, nil
}

// Restore makes the engine what was saved, after a trap too. It refuses a save of another module; nothing has changed
// then.
func (e *Engine) Restore(ctx context.Context, saved *SavedEngine) error {
	if e.end != nil && e.end.kind == ErrClosed {
		return e.end
	}
	if err := notEnded(ctx, "restore"); err != nil {
		return err
	}
	if saved.ModuleSHA256 != e.module.sha256 {
		return noCode(
			nil,
			"the save is of module %s, this is module %s: a save restores only into the module it came from",
			saved.ModuleSHA256,
			e.module.sha256,
		)
	}
	// Always a fresh instance: in one that has grown beyond the save, memory would grow otherwise than in the saved
	// engine.
	fresh, err := e.module.instantiate(ctx)
	if err != nil {
		return err
	}
	if err := fresh.fill(saved); err != nil {
		fresh.module.Close(context.Background())
		return err
	}
	used := e.instance
	e.instance, e.end = fresh, nil
	return used.module.Close(context.Background())
}

const pageBytes = 65536

func (i *instance) fill(saved *SavedEngine) error {
	if len(saved.Memory)%pageBytes != 0 || len(saved.Memory) < int(i.memory.Size()) ||
		len(saved.Globals) != len(i.globals) {
		return noCode(
			nil,
			"the save has %d bytes of memory and %d globals, this module has whole pages, %d bytes at least, and %d globals",
			len(saved.Memory),
			len(saved.Globals),
			i.memory.Size(),
			len(i.globals),
		)
	}
	missing := len(saved.Memory) - int(i.memory.Size())
	if _, ok := i.memory.Grow(uint32(missing / pageBytes)); !ok {
		return noCode(nil, "memory cannot grow to the %d bytes of the save", len(saved.Memory))
	}
	i.memory.Write(0, saved.Memory)
	for n, global := range i.globals {
		global.Set(saved.Globals[n])
	}
	return nil
}

// callWithInput calls an export whose parameters ptr and length are between before and after.
func (e *Engine) callWithInput(
	ctx context.Context,
	name string,
	input []byte,
	before []uint64,
	after ...uint64,
) (uint64, error) {
	if err := e.ready(ctx, name); err != nil {
		return 0, err
	}
	if len(input) > MaxInputBytes {
		return 0, &Error{
			Code: CodeTooLarge,
			Text: fmt.Sprintf("%s was given %d bytes; at most %d are allowed in one call", name, len(input), MaxInputBytes),
		}
	}
	address, err := e.run(ctx, "reserve", api.EncodeU32(uint32(len(input))))
	if err != nil {
		return 0, err
	}
	e.instance.memory.Write(api.DecodeU32(address), input)
	return e.run(ctx, name, append(append(before, address, api.EncodeU32(uint32(len(input)))), after...)...)
}

func (e *Engine) call(ctx context.Context, name string, parameters ...uint64) (uint64, error) {
	if err := e.ready(ctx, name); err != nil {
		return 0, err
	}
	return e.run(ctx, name, parameters...)
}

// ready says why a call cannot begin: the engine has come to its end, or the context has.
func (e *Engine) ready(ctx context.Context, name string) error {
	if e.end != nil {
		return e.end
	}
	return notEnded(ctx, name)
}

// run calls an export. It does not look at the context: what belongs to one call of the binding is done whole.
func (e *Engine) run(ctx context.Context, name string, parameters ...uint64) (uint64, error) {
	results, err := e.instance.functions[name].Call(ctx, parameters...)
	if err != nil {
		e.end = e.endOf(err)
		return 0, e.end
	}
	if len(results) == 0 {
		return 0, nil
	}
	return results[0], nil
}

// endOf says what ended the instance: closing the module closes its engines too.
func (e *Engine) endOf(cause error) *Error {
	if e.instance.module.IsClosed() {
		return closed()
	}
	trap := noCode(cause, "the engine stopped: %s; discard it and list again", cmp.Or(e.trapMessage(), cause.Error()))
	trap.kind = ErrTrap
	return trap
}

// trapMessage is the one call that a trapped instance still allows; empty when that fails as well.
func (e *Engine) trapMessage() string {
	address, err := e.instance.functions["trap_message"].Call(context.Background())
	if err != nil {
		return ""
	}
	return string(e.frame(api.DecodeU32(address[0])))
}

// check makes an error of what a call returned, whose result is a code.
func (e *Engine) check(result uint64, err error) error {
	if code := Code(api.DecodeI32(result)); err == nil && code != 0 {
		return e.refusal(code)
	}
	return err
}

// result copies out what a call returned, whose result is the address of a frame; 0 means a refusal.
func (e *Engine) result(address uint64, err error) ([]byte, error) {
	return e.resultOr(CodeBadJSON, address, err)
}

// timedResult is the result of a call that is refused for nothing but its time.
func (e *Engine) timedResult(address uint64, err error) ([]byte, error) {
	return e.resultOr(CodeBadTime, address, err)
}

func (e *Engine) resultOr(refusal Code, address uint64, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	if api.DecodeU32(address) == 0 {
		return nil, e.refusal(refusal)
	}
	return e.frame(api.DecodeU32(address)), nil
}

func (e *Engine) refusal(code Code) error {
	text, err := e.result(e.run(context.Background(), "last_error"))
	if err != nil {
		return err
	}
	return &Error{Code: code, Text: string(text)}
}

// frame copies a u32 length and that many bytes.
func (e *Engine) frame(address uint32) []byte {
	length, _ := e.instance.memory.ReadUint32Le(address)
	return e.copyOut(address+4, length)
}

func (e *Engine) copyOut(address, length uint32) []byte {
	view, _ := e.instance.memory.Read(address, length)
	return bytes.Clone(view)
}

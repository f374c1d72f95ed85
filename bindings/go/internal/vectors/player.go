package vectors

// This file plays one vector: steps go into the engine as bytes, its requests are compared with what the step expects,
// and answered from the server of the vectors. It leaves out where engines come from.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/plainjson"
)

const maxPollsARun = 2000

const gangAPI = "scheduling.k8s.io/v1beta1"

type source struct {
	id         int32
	kind       string
	apiVersion string
}

var sources = map[string]source{
	"jobs": {0, "Job", "batch/v1"}, "pods": {1, "Pod", "v1"},
	"workloads": {2, "Workload", gangAPI}, "podgroups": {3, "PodGroup", gangAPI},
}

var ingestKinds = map[string]stint.IngestKind{
	"listBegin":  stint.ListBegin,
	"page":       stint.Page,
	"listEnd":    stint.ListEnd,
	"watchLines": stint.WatchLines,
	"streamLost": stint.StreamLost,
}

// Options are what a run needs beside the case.
type Options struct {
	NewEngine func(ctx context.Context) (*stint.Engine, error)
	// Between, where it is set, is called between two steps and between two polls.
	Between func(*stint.Engine) error
	// Observe sees each request that the engine hands out, in order.
	Observe func(stint.Request)
}

// Play plays the case to its end. The error says which step was not as the case says, and what was there instead.
func (c *Case) Play(ctx context.Context, options Options) (err error) {
	player := &player{ctx: ctx, options: options, vector: c, server: newServer(c.objects)}
	defer func() { err = errors.Join(err, player.close()) }()
	if err := player.begin(); err != nil {
		return err
	}
	for i, step := range c.Steps {
		if err := player.play(step); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// waiting is a request that a `settle` step answers.
type waiting struct {
	request stint.Request
	podName string
}

type player struct {
	ctx     context.Context // Of all calls of the engine: a player lives no longer than one Play.
	options Options
	vector  *Case
	server  *server
	engine  *stint.Engine
	// sources are those of the engine's configuration.
	sources []stint.Source
	// finalizer is the one that the engine is configured with.
	finalizer string
	later     map[string]waiting
}

// begin replaces the engine by a fresh one.
func (p *player) begin() error {
	if err := p.close(); err != nil {
		return err
	}
	engine, err := p.options.NewEngine(p.ctx)
	if err != nil {
		return err
	}
	p.engine, p.later = engine, map[string]waiting{}
	configuration, err := p.vector.configuration()
	if err != nil {
		return err
	}
	p.sources = configuration.Sources
	p.finalizer = cmp.Or(configuration.Finalizer, trackingFinalizer)
	if err := engine.Configure(p.ctx, configuration); err != nil {
		return err
	}
	return engine.SetClockOffset(p.ctx, clockOffsetMs)
}

// configuration is that of the runner, overridden by the members of the case.
func (c *Case) configuration() (stint.Configuration, error) {
	configuration := stint.Configuration{
		Instance:  "vector",
		Sources:   []stint.Source{{ID: 0, Resource: "jobs"}, {ID: 1, Resource: "pods"}},
		Constants: c.Constants,
	}
	if c.Configuration == nil {
		return configuration, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(c.Configuration))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&configuration); err != nil {
		return configuration, err
	}
	if configuration.GangScheduling {
		configuration.Sources = append(
			configuration.Sources,
			stint.Source{ID: 2, Resource: "workloads"},
			stint.Source{ID: 3, Resource: "podgroups"},
		)
	}
	return configuration, nil
}

func (p *player) close() error {
	if p.engine == nil {
		return nil
	}
	return p.engine.Close()
}

func (p *player) between() error {
	if p.options.Between == nil {
		return nil
	}
	return p.options.Between(p.engine)
}

func (p *player) play(step step) error {
	if err := p.between(); err != nil {
		return err
	}
	if step.At != nil {
		p.server.nowMs = *step.At
	}
	switch {
	case step.Start != nil:
		return p.start(step.Start)
	case step.Restart:
		return errors.Join(p.begin(), p.listAll())
	case step.Add != nil:
		return p.showObjects("ADDED", step.Add, p.server.add, step)
	case step.Change != nil:
		return p.showObjects("MODIFIED", step.Change, p.server.change, step)
	case step.Delete != nil:
		return p.showNames("DELETED", step.Delete, p.server.delete, step)
	case step.Show != nil:
		return p.showNames("MODIFIED", step.Show, p.server.get, step)
	case step.Replay != nil:
		return p.showNames(step.Type, step.Replay, p.server.first, step)
	case step.Bookmark != "":
		return p.bookmark(sources[step.Bookmark], step.EndsInitialEvents)
	case step.Relist != "":
		return p.list(sources[step.Relist], step.Stale, step.Result)
	case step.Ingest != "":
		return p.ingest(sources[step.Ingest], step.Kind, step.Text, step.Result)
	case step.Run != nil:
		return p.poll(step)
	case step.Settle != "":
		return p.settleLater(step.Settle, step.Answer)
	case step.Explain != "":
		return p.explain(step.Explain, step.Expect)
	case step.Metrics != nil:
		return p.metrics(step.Metrics)
	}
	return errors.New("it has none of the known members")
}

func (p *player) start(objects *plainjson.Object) error {
	for name, object := range objects.All() {
		if _, err := p.server.add(name, object); err != nil {
			return err
		}
	}
	return p.listAll()
}

func (p *player) listAll() error {
	for _, source := range p.sources {
		if err := p.list(sources[source.Resource], false, ""); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) list(source source, stale bool, result string) error {
	version, objects := p.server.listVersion(), p.server.objects
	if stale {
		// That of a server which has seen nothing but the first object.
		version, objects = "1", p.server.firstVersions
	}
	page := plainjson.NewObject("kind", source.kind+"List", "apiVersion", source.apiVersion,
		"metadata", plainjson.NewObject("resourceVersion", version), "items", ofKind(objects, source.kind))
	if err := p.ingest(source, "listBegin", "", ""); err != nil {
		return err
	}
	if err := p.ingest(source, "page", plainjson.Render(page), result); err != nil || stale {
		return err
	}
	return p.ingest(source, "listEnd", "", "")
}

func (p *player) bookmark(source source, endsInitialEvents bool) error {
	annotations := &plainjson.Object{}
	if endsInitialEvents {
		annotations.Set("k8s.io/initial-events-end", "true")
	}
	metadata := plainjson.NewObject("resourceVersion", p.server.listVersion(), "annotations", annotations)
	return p.ingestEvent(source, "BOOKMARK", plainjson.NewObject("kind", source.kind, "metadata", metadata), "")
}

func (p *player) showObjects(
	eventType string,
	objects *plainjson.Object,
	store func(string, any) (*plainjson.Object, error),
	step step,
) error {
	for name, value := range objects.All() {
		object, err := store(name, value)
		if err == nil {
			err = p.show(eventType, object, step)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *player) showNames(
	eventType string,
	names []string,
	find func(string) (*plainjson.Object, error),
	step step,
) error {
	for _, name := range names {
		object, err := find(name)
		if err == nil {
			err = p.show(eventType, object, step)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *player) show(eventType string, object *plainjson.Object, step step) error {
	if step.Silent {
		return nil
	}
	for _, source := range sources {
		if source.kind == object.Text("kind") {
			return p.ingestEvent(source, eventType, object, step.Result)
		}
	}
	return fmt.Errorf("no source shows an object of the kind %q", object.Text("kind"))
}

func (p *player) ingestEvent(source source, eventType string, object *plainjson.Object, result string) error {
	line := plainjson.Render(plainjson.NewObject("type", eventType, "object", object)) + "\n"
	return p.ingest(source, "watchLines", line, result)
}

func (p *player) ingest(source source, kind, text, result string) error {
	number, ok := ingestKinds[kind]
	if !ok {
		return fmt.Errorf("the vector names the kind %q, which there is not", kind)
	}
	err := p.engine.Ingest(p.ctx, source.id, number, []byte(text), p.server.nowMs)
	return expectCode(err, result, "ingest of "+kind)
}

func (p *player) poll(step step) error {
	nowMs := *step.Run
	p.server.nowMs = nowMs
	expected, err := p.server.expectedRequests(step.Requests, p.finalizer)
	if err != nil {
		return err
	}
	if step.MaxRequests == 0 {
		step.MaxRequests = stint.MaxRequestsAPoll
	}
	events := []any{}
	for range maxPollsARun {
		result, err := p.engine.Poll(p.ctx, nowMs, step.MaxRequests)
		if err != nil {
			return err
		}
		if len(result.Requests) == 0 && result.NextWakeUpMs > nowMs {
			return errors.Join(
				expected.end(),
				expectEvents(events, step.Events),
				expectWakeUp(result.NextWakeUpMs, step.NextWakeUp),
			)
		}
		for _, request := range result.Requests {
			p.options.Observe(request)
		}
		for _, request := range result.Requests {
			if strings.HasSuffix(request.Path, "/events") || strings.Contains(request.Path, "/events/") {
				err = p.answerEvent(request, &events, step.EventAnswers)
			} else {
				err = p.answer(request, expected)
			}
			if err != nil {
				return err
			}
		}
		if err := p.between(); err != nil {
			return err
		}
	}
	return fmt.Errorf("requests come without end at %d ms", nowMs)
}

// answerEvent answers as the vector says; where it says nothing the event is taken.
func (p *player) answerEvent(request stint.Request, events *[]any, answers []json.RawMessage) error {
	event, err := bodyOf(request)
	if err != nil {
		return err
	}
	number := len(*events)
	*events = append(*events, event)
	if number >= len(answers) {
		return p.settle(request, reply{status: 201, retryAfterMs: -1, body: "{}"}, "")
	}
	answer, err := plainjson.Parse(answers[number])
	if err != nil {
		return err
	}
	return p.settleAs(waiting{request: request}, answer)
}

func (p *player) answer(request stint.Request, expected *expectedRequests) error {
	match, err := expected.take(request)
	if err != nil {
		return err
	}
	asked := waiting{request, match.podName()}
	if match.members.Text("answer") == "later" {
		p.later[match.key()] = asked
		return nil
	}
	return p.settleAs(asked, match.members.Get("answer"))
}

func (p *player) settleLater(key string, text json.RawMessage) error {
	asked, ok := p.later[key]
	if !ok {
		return fmt.Errorf("no request %q is under way", key)
	}
	delete(p.later, key)
	var answer any
	if text != nil {
		var err error
		if answer, err = plainjson.Parse(text); err != nil {
			return err
		}
	}
	return p.settleAs(asked, answer)
}

// settleAs answers as the vector says: nil is as the server does.
func (p *player) settleAs(asked waiting, answer any) error {
	unknown := reply{status: 0, retryAfterMs: -1}
	if answer == "lost" {
		return p.settle(asked.request, unknown, "")
	}
	if told, ok := answer.(*plainjson.Object); ok {
		return p.settle(asked.request, toldReply(told), told.Text("result"))
	}
	reply, err := p.server.handle(asked.request, asked.podName)
	if err != nil {
		return err
	}
	if answer == "lostAfter" {
		reply = unknown
	}
	return p.settle(asked.request, reply, "")
}

func toldReply(told *plainjson.Object) reply {
	status, _ := told.Get("status").(float64)
	reply := failure(int(status), "Failure", fmt.Sprintf("refused with %d", int(status)))
	if retryAfterMs, ok := told.Get("retryAfterMs").(float64); ok {
		reply.retryAfterMs = int64(retryAfterMs)
	}
	if told.Has("body") {
		reply.body = plainjson.Render(told.Get("body"))
	}
	if told.Has("text") {
		reply.body = told.Text("text")
	}
	return reply
}

func (p *player) settle(request stint.Request, reply reply, result string) error {
	err := p.engine.Settle(p.ctx, request.ID, reply.status, reply.retryAfterMs, []byte(reply.body), p.server.nowMs)
	return expectCode(err, result, "settle of "+describe(request))
}

func (p *player) explain(name string, expected *plainjson.Object) error {
	explanation, err := p.engine.ExplainAt(p.ctx, namespace, name, p.server.nowMs)
	if err != nil {
		return err
	}
	return expectMembers(explanation, expected)
}

func (p *player) metrics(expected *plainjson.Object) error {
	metrics, err := p.engine.Metrics(p.ctx)
	if err != nil {
		return err
	}
	families := expected.Object("families")
	numbers := expected.Clone()
	numbers.Delete("families")
	if err := expectMembers(metrics, numbers); err != nil {
		return err
	}
	samples, err := p.samples(families)
	if err != nil {
		return err
	}
	return expectMembers(samples, families)
}

// The samples that are asked for by `name{label=value,…}`; nil for one that is not there.
func (p *player) samples(asked *plainjson.Object) (map[string]any, error) {
	families, err := p.engine.MetricFamilies(p.ctx)
	if err != nil {
		return nil, err
	}
	samples := map[string]any{}
	names := map[string]bool{}
	for _, family := range families {
		names[family.Name] = true
		for _, sample := range family.Samples {
			labels := make([]string, len(family.Labels))
			for i, label := range family.Labels {
				labels[i] = label + "=" + sample.Labels[i]
			}
			name := family.Name
			if len(labels) > 0 {
				name += "{" + strings.Join(labels, ",") + "}"
			}
			if family.Type == "histogram" {
				samples[name] = map[string]any{"buckets": sample.Buckets, "sum": sample.Sum, "count": sample.Count}
			} else {
				samples[name] = sample.Value
			}
		}
	}
	found := map[string]any{}
	for name := range asked.All() {
		if family, _, _ := strings.Cut(name, "{"); !names[family] {
			return nil, fmt.Errorf("%q is of no family that the engine has", name)
		}
		found[name] = samples[name]
	}
	return found, nil
}

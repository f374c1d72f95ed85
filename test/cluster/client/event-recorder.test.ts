/** The event recorder: shape, counting, and its limits. */
import { expect, test } from "vitest";
import {
  EventRecorder,
  MAX_EVENT_WRITES_IN_FLIGHT,
  MAX_PENDING_EVENTS,
} from "../../../cluster/client/event-recorder.ts";
import { failure, Harness } from "../component-harness.ts";

function setUp() {
  const h = new Harness();
  const recorder = new EventRecorder({
    transport: h.transport,
    clock: h.clock,
    random: h.random,
    component: "kubelet",
    host: "n1",
  });
  const about = { apiVersion: "v1", kind: "Pod", object: h.createPod("p"), fieldPath: "spec.containers{c}" };
  const events = () => h.api("GET", "/api/v1/namespaces/default/events").items;
  return { h, recorder, about, events };
}

test("an event names what it is about, who tells it and when", () => {
  const { h, recorder, about, events } = setUp();
  recorder.record(about, "Warning", "BackOff", "again");
  h.clock.advance(0);
  const { uid } = about.object.metadata;
  expect(events()).toMatchObject([
    {
      metadata: { name: expect.stringMatching(/^p\.[0-9a-f]{16}$/), namespace: "default" },
      involvedObject: {
        kind: "Pod",
        apiVersion: "v1",
        namespace: "default",
        name: "p",
        uid,
        fieldPath: "spec.containers{c}",
      },
      type: "Warning",
      reason: "BackOff",
      message: "again",
      count: 1,
      source: { component: "kubelet", host: "n1" },
      reportingComponent: "kubelet",
      reportingInstance: "n1",
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
    },
  ]);
});

test("a repetition raises the count; another message is another event", () => {
  const { h, recorder, about, events } = setUp();
  for (const message of ["a", "a", "b", "a"]) {
    recorder.record(about, "Normal", "R", message);
    h.clock.advance(1000);
  }
  expect(
    events()
      .map(({ message, count }: any) => `${message}x${count}`)
      .sort(),
  ).toEqual(["ax3", "bx1"]);
  expect(events().find(({ message }: any) => message === "a")).toMatchObject({
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:03Z",
  });
});

test("an event that the server has forgotten is written again with its count", () => {
  const { h, recorder, about, events } = setUp();
  recorder.record(about, "Normal", "R", "a");
  h.clock.advance(0);
  h.api("DELETE", `/api/v1/namespaces/default/events/${events()[0].metadata.name}`, {});
  recorder.record(about, "Normal", "R", "a");
  h.clock.advance(0);
  expect(events()).toMatchObject([{ count: 2 }]);
});

test("a failed write is not tried again", () => {
  const { h, recorder, about } = setUp();
  h.fault = () => failure(500, "InternalError");
  recorder.record(about, "Normal", "R", "a");
  h.clock.advance(60_000);
  expect(h.sent("POST", "/events")).toHaveLength(1);
});

test("few writes are under way at once, and what is too much is dropped and counted", () => {
  const { h, recorder, about } = setUp();
  for (let i = 0; i < MAX_PENDING_EVENTS + 3; i++) recorder.record(about, "Normal", "R", `message ${i}`);
  expect(h.sent("POST", "/events")).toHaveLength(MAX_EVENT_WRITES_IN_FLIGHT);
  expect(recorder.dropped).toBe(3);
});

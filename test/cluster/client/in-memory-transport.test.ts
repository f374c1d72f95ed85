/** The in-memory transport: callbacks come later, in order, each once (bindings/js/host.ts). */
import { expect, test } from "vitest";
import { textOf } from "../../../cluster/values/text.ts";
import { Harness, configMap, configMaps } from "../apiserver/harness.ts";

function recording(): {
  log: string[];
  sink: { open(): void; data(chunk: Uint8Array | string): void; end(error?: { status: number }): void };
} {
  const log: string[] = [];
  return {
    log,
    sink: {
      open: () => log.push("open"),
      data: (chunk) =>
        log.push(
          ...textOf(chunk)
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => JSON.parse(line).type),
        ),
      end: (error) => log.push(error ? `end ${error.status}` : "end"),
    },
  };
}

test("an answer never comes inside the call", () => {
  const { cluster, clock } = new Harness();
  const log: number[] = [];
  cluster.transport.send({ method: "GET", path: configMaps, headers: {} }, (response) => log.push(response.status));
  expect(log).toEqual([]);
  clock.runDeferred();
  expect(log).toEqual([200]);
});

test("a stream opens before its first line, and one instant is one chunk", () => {
  const harness = new Harness();
  const { log, sink } = recording();
  let chunks = 0;
  harness.cluster.transport.stream(
    { method: "GET", path: `${configMaps}?watch=1&timeoutSeconds=5`, headers: {} },
    {
      ...sink,
      data: (chunk) => {
        chunks++;
        sink.data(chunk);
      },
    },
  );
  expect(log).toEqual([]);
  harness.clock.runDeferred();
  expect(log).toEqual(["open"]);
  harness.post(configMaps, configMap("a"));
  harness.post(configMaps, configMap("b"));
  harness.clock.advance(5_000);
  expect(log).toEqual(["open", "ADDED", "ADDED", "end"]);
  expect(chunks).toBe(1);
});

test("a closed stream hands on nothing more", () => {
  const harness = new Harness();
  const { log, sink } = recording();
  const close = harness.cluster.transport.stream({ method: "GET", path: `${configMaps}?watch=1`, headers: {} }, sink);
  harness.clock.runDeferred();
  harness.post(configMaps, configMap("a"));
  close();
  harness.clock.advance(7_200_000);
  expect(log).toEqual(["open"]);
});

test("what is no stream ends it with its answer", () => {
  const harness = new Harness();
  const { log, sink } = recording();
  harness.cluster.transport.stream(
    { method: "GET", path: `${configMaps}?watch=1&resourceVersion=x`, headers: {} },
    sink,
  );
  harness.clock.runDeferred();
  expect(log).toEqual(["end 500"]);
});

test("a sink may write from its callback", () => {
  const harness = new Harness();
  const { log, sink } = recording();
  harness.cluster.transport.stream(
    { method: "GET", path: `${configMaps}?watch=1`, headers: {} },
    {
      ...sink,
      data(chunk) {
        sink.data(chunk);
        if (log.length === 2) harness.post(configMaps, configMap("b"));
      },
    },
  );
  harness.post(configMaps, configMap("a"));
  harness.clock.runDeferred();
  expect(log).toEqual(["open", "ADDED", "ADDED"]);
});

test("a watch that is sent as a plain request answers when it ends", () => {
  const harness = new Harness();
  const bodies: unknown[] = [];
  harness.cluster.transport.send(
    { method: "GET", path: `${configMaps}?watch=1&timeoutSeconds=2`, headers: {} },
    (response) => bodies.push(response.body),
  );
  harness.post(configMaps, configMap("a"));
  harness.clock.advance(2_000);
  expect(bodies).toEqual([expect.stringMatching(/^\{"type":"ADDED".*\}\n$/)]);
});

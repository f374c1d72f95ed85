/** A watch whose client has no room for a while: cluster/apiserver/verbs/watch.ts. */
import { expect, test } from "vitest";
import type { StreamBody } from "../../../../cluster/apiserver/verbs/watch.ts";
import { configMap, configMaps, Harness } from "../harness.ts";

/** A client that takes as many lines as it is allowed, and then no more until it is allowed again. */
class SlowClient implements StreamBody {
  readonly lines: string[] = [];
  hasEnded = false;
  #room = 0;
  readonly #resumes: (() => void)[] = [];

  data(chunk: string | Uint8Array): void {
    this.#room--;
    const { type, object } = JSON.parse(String(chunk));
    this.lines.push(`${type} ${object.metadata?.name ?? object.reason ?? object.metadata.resourceVersion}`);
  }

  hasRoom(resume: () => void): boolean {
    if (this.#room > 0) return true;
    this.#resumes.push(resume);
    return false;
  }

  end(): void {
    this.hasEnded = true;
  }

  read(lines: number): void {
    this.#room = lines;
    for (const resume of this.#resumes.splice(0)) resume();
  }

  /** How many calls wait for room. */
  get waiting(): number {
    return this.#resumes.length;
  }
}

function watched(harness: Harness, query = ""): { client: SlowClient; close: () => void } {
  const response = harness.cluster.handle({ method: "GET", path: `${configMaps}?watch=true${query}`, headers: {} });
  if ("body" in response) throw new Error(String(response.body));
  const client = new SlowClient();
  return { client, close: response.subscribe(client) };
}

function withConfigMaps(names: readonly string[], harness = new Harness()): Harness {
  for (const name of names) harness.post(configMaps, configMap(name));
  return harness;
}

test("the state at the start, and what is written while the client reads it, come as there is room", () => {
  const harness = withConfigMaps(["a", "b", "c"]);
  const { client } = watched(
    harness,
    "&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
  );
  expect(client.lines).toEqual([]);
  client.read(2);
  expect(client.lines).toEqual(["ADDED a", "ADDED b"]);
  const { resourceVersion } = harness.get(configMaps).body.metadata;
  harness.merge(`${configMaps}/a`, { data: { x: "1" } });
  harness.delete(`${configMaps}/c`);
  expect(client.lines).toHaveLength(2);
  client.read(100);
  expect(client.lines).toEqual([
    ...["ADDED a", "ADDED b", "ADDED c"],
    `BOOKMARK ${resourceVersion}`,
    ...["MODIFIED a", "DELETED c"],
  ]);
  harness.post(configMaps, configMap("d"));
  expect(client.lines.at(-1)).toBe("ADDED d");
});

test("however much is written, a client without room waits once", () => {
  const harness = new Harness();
  const { client } = watched(harness);
  withConfigMaps(["a", "b", "c", "d"], harness);
  expect([client.waiting, client.lines]).toEqual([1, []]);
  client.read(3);
  expect([client.waiting, client.lines]).toEqual([1, ["ADDED a", "ADDED b", "ADDED c"]]);
  client.read(3);
  expect([client.waiting, client.lines.at(-1)]).toEqual([0, "ADDED d"]);
});

test("a client that misses more than the history has gets 410, and its watch ends", () => {
  const harness = new Harness({ limits: { maxHistoryEvents: 3 } });
  const { client } = watched(harness);
  withConfigMaps(["a", "b", "c", "d"], harness);
  client.read(10);
  expect([client.lines, client.hasEnded]).toEqual([["ERROR Expired"], true]);
  harness.post(configMaps, configMap("e"));
  expect(client.lines).toHaveLength(1);
});

test("no bookmark passes what waits, and nothing comes after the end", () => {
  const harness = withConfigMaps(["a"], new Harness({ limits: { bookmarkIntervalMs: 1_000 } }));
  const { client, close } = watched(harness, "&allowWatchBookmarks=true&timeoutSeconds=60");
  harness.clock.advance(30_000);
  expect(client.lines).toEqual([]);
  close();
  client.read(10);
  expect(client.lines).toEqual([]);
});

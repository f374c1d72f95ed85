/** What the controllers of a cluster have in common: what they watch, and a queue of keys with retries. */
import { beforeEach, describe, expect, test } from "vitest";
import { CONFIG_MAPS, resourcePath, SECRETS, type ApiError } from "../../../cluster/client/client.ts";
import { collectionKey } from "../../../cluster/client/collections.ts";
import type { Part } from "../../../cluster/client/part.ts";
import {
  type ControllerTools,
  type Done,
  keyedController,
  type KeyedControllerSettings,
  type KeyedWork,
} from "../../../cluster/controllers/keyed-controller.ts";
import { failure, Harness } from "../component-harness.ts";

const MAPS = resourcePath(CONFIG_MAPS, "default");

let h: Harness;
let passes: string[];
let problems: ApiError[];
/** Passes that have not ended. */
let open: Map<string, Done>;
let tools: ControllerTools;

beforeEach(() => {
  h = new Harness();
  passes = [];
  problems = [];
  open = new Map();
});

/** Syncs each ConfigMap; a pass ends when the test says so. */
function start(settings: Partial<KeyedControllerSettings> = {}, more: Partial<KeyedWork> = {}): Part {
  const { clock, random, transport } = h;
  const options = { clock, random, transport, onProblem: (error: ApiError) => void problems.push(error) };
  const controller = keyedController(
    options,
    { userAgent: "test-controller", watched: [CONFIG_MAPS, SECRETS], ...settings },
    (given) => {
      tools = given;
      return {
        changed: (_resource, object, type) => {
          if (type === "DELETED") tools.queue.forget(collectionKey(object));
          else tools.queue.add(collectionKey(object));
        },
        sync: (key, done) => {
          passes.push(key);
          open.set(key, done);
        },
        ...more,
      };
    },
  );
  controller.start();
  h.clock.advance(10);
  return controller;
}

function create(name: string): void {
  h.api("POST", MAPS, { metadata: { name } });
}

function end(key: string, outcome: Parameters<Done>[0]): void {
  const done = open.get(key)!;
  open.delete(key);
  done(outcome);
}

describe("what a controller watches", () => {
  test("is listed before anything is synced", () => {
    create("a");
    h.fault = ({ path }) => (path.startsWith("/api/v1/secrets") ? failure(500, "InternalError") : undefined);
    start();
    h.clock.advance(1_000);
    expect(passes).toEqual([]);
    h.fault = () => undefined;
    h.clock.advance(60_000);
    expect(passes).toEqual(["default/a"]);
    expect(tools.known.get(CONFIG_MAPS, "default/a")?.metadata.name).toBe("a");
  });

  test("is asked for in the controller's name", () => {
    start({ userAgent: "some-controller" });
    const agents = new Set(h.requests.map(({ headers }) => headers["user-agent"]));
    expect([...agents]).toEqual(["some-controller"]);
  });

  test("changes which keys wait", () => {
    start();
    create("a");
    h.clock.advance(10);
    end("default/a", "failed");
    h.api("DELETE", `${MAPS}/a`);
    h.clock.advance(2_000_000);
    expect(passes).toEqual(["default/a"]);
  });
});

describe("passes", () => {
  test("go one after the other by default", () => {
    for (const name of ["a", "b"]) create(name);
    start();
    expect(passes).toEqual(["default/a"]);
    end("default/a", "done");
    h.clock.advance(10);
    expect(passes).toEqual(["default/a", "default/b"]);
  });

  test("go at the same time, as many as the controller says", () => {
    for (const name of ["a", "b", "c"]) create(name);
    start({ concurrency: 2 });
    expect(passes).toEqual(["default/a", "default/b"]);
  });

  test("that fail come again, after client-go's delay", () => {
    create("a");
    start();
    end("default/a", "failed");
    h.clock.advance(4);
    expect(passes).toHaveLength(1);
    // A delay is at most twice its base.
    h.clock.advance(6);
    expect(passes).toHaveLength(2);
  });

  test("that fail come again after the controller's own delay", () => {
    create("a");
    start({ retry: { retryInitialMs: 20_000, retryMaxMs: 20_000 } });
    end("default/a", "failed");
    h.clock.advance(19_999);
    expect(passes).toHaveLength(1);
    h.clock.advance(1);
    expect(passes).toHaveLength(2);
  });

  test("begin no more after the stop", () => {
    const controller = start({ concurrency: 2 });
    create("a");
    h.clock.advance(10);
    controller.stop();
    end("default/a", "failed");
    create("b");
    h.clock.advance(60_000);
    expect(passes).toEqual(["default/a"]);
    expect(h.breakStreams("")).toBe(0);
  });
});

describe("what else a controller does", () => {
  test("begins with its start", () => {
    let isStarted = false;
    start({}, { started: () => void (isStarted = true) });
    expect(isStarted).toBe(true);
  });

  test("is a write, whose expected errors end the pass", () => {
    start();
    const error = (status: number): ApiError => ({ status, reason: "", message: "injected", retryAfterMs: 0 });
    const outcome = (status: number): unknown => tools.outcome({ ok: false, error: error(status) }, [404, 409]);
    expect([404, 409].map(outcome)).toEqual(["done", "done"]);
    expect(problems).toEqual([]);
    expect([403, 422, 500, 0].map(outcome)).toEqual(["done", "done", "failed", "failed"]);
    expect(problems.map(({ status }) => status)).toEqual([403, 422, 500, 0]);
    expect(tools.outcome({ ok: true }, [])).toBe("done");
  });

  test("is an event, in the name of a component", () => {
    start();
    create("a");
    const object = h.api("GET", `${MAPS}/a`);
    tools.eventsOf("component").record({ apiVersion: "v1", kind: "ConfigMap", object }, "Normal", "Seen", "is there");
    h.clock.advance(1_000);
    expect(h.events("a")).toEqual(["Normal Seen: is there"]);
    const { items } = h.api("GET", "/api/v1/namespaces/default/events");
    expect(items[0].source.component).toBe("component");
  });
});

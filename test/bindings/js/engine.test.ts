/**
 * The binding itself: what crosses the boundary, in both directions, on the built engine. Leaves out what the
 * controller decides: that is in the vectors; here a decision is only something to carry.
 */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import {
  ABI_VERSION,
  Engine,
  type EngineConfiguration,
  EngineError,
  type EngineRequest,
  ErrorCode,
  IngestKind,
} from "../../../bindings/js/engine.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";

const JOBS = 3;
const PODS = 7;
const SOURCES = [
  { id: JOBS, resource: "jobs" },
  { id: PODS, resource: "pods" },
] as const;
const NOW = Date.UTC(2026, 0, 2);

const decoder = new TextDecoder();
let module: WebAssembly.Module;
let moduleSha256: string;

beforeAll(async () => {
  moduleSha256 = (await buildModule("engine")).sha256;
  module = await WebAssembly.compile(readFileSync(modulePath("engine")));
});

async function configured(extra: Partial<EngineConfiguration> = {}): Promise<Engine> {
  const engine = await Engine.create(module, moduleSha256);
  engine.configure({ instance: "test", sources: SOURCES, ...extra });
  return engine;
}

/** An engine that knows these objects, listed at version 100. */
async function synced({ jobs = [] as unknown[], pods = [] as unknown[] } = {}): Promise<Engine> {
  const engine = await configured();
  list(engine, JOBS, jobs);
  list(engine, PODS, pods);
  return engine;
}

function list(engine: Engine, source: number, items: readonly unknown[]): void {
  engine.ingest(source, IngestKind.listBegin, "", NOW);
  engine.ingest(source, IngestKind.page, listOf(source, items), NOW);
  engine.ingest(source, IngestKind.listEnd, "", NOW);
}

function listOf(source: number, items: readonly unknown[], continueToken = ""): string {
  return JSON.stringify({
    kind: source === JOBS ? "JobList" : "PodList",
    metadata: { resourceVersion: "100", continue: continueToken },
    items,
  });
}

function job(name: string, spec: object = {}, version = 50) {
  return {
    kind: "Job",
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: String(version), generation: 1 },
    spec: {
      parallelism: 3,
      completions: 3,
      backoffLimit: 6,
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "c", image: "busybox" }], restartPolicy: "Never" },
      },
      ...spec,
    },
    status: {},
  };
}

function pod(name: string, owner: string, version = 60, status: object = { phase: "Running" }) {
  return {
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: String(version),
      finalizers: ["batch.kubernetes.io/job-tracking"],
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: owner, uid: `uid-${owner}`, controller: true }],
    },
    status,
  };
}

function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** The error that a call throws. */
function errorOf(call: () => unknown): EngineError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError);
    return error as EngineError;
  }
  throw new Error("nothing was thrown");
}

function bodyOf(request: EngineRequest): unknown {
  return JSON.parse(decoder.decode(request.body));
}

describe("create", () => {
  test("refuses an engine of another major version, naming both", async () => {
    const other = await WebAssembly.compile(moduleOfVersion(ABI_VERSION + 1, 4));
    await expect(Engine.create(other)).rejects.toThrow(
      `this engine speaks ABI ${ABI_VERSION + 1}.4, this binding speaks ABI ${ABI_VERSION}`,
    );
  });

  test("takes bytes and a compiled module", async () => {
    expect((await Engine.create(readFileSync(modulePath("engine")))).metrics()["jobs"]).toBe(0);
    expect((await Engine.create(module)).metrics()["jobs"]).toBe(0);
  });

  test("takes the core, and says what it was built without", async () => {
    const core = await Engine.create(readFileSync(modulePath("core")));
    expect(core.explain("default", "a").found).toBe(false);
    const without = (name: string): string => `this engine has no ${name}: it is older than ABI 1.`;
    expect(() => core.metrics()).toThrow(without("metrics"));
    expect(() => core.lint({ job: {} }, 0)).toThrow(without("lint"));
  });

  test("gives engines that share nothing", async () => {
    const [one, other] = [await synced({ jobs: [job("a")] }), await synced()];
    expect(one.explain("default", "a").found).toBe(true);
    expect(other.explain("default", "a").found).toBe(false);
  });
});

/** A module with nothing but the two version numbers. Each must be below 64, to be one byte of LEB128. */
function moduleOfVersion(major: number, minor: number): Uint8Array<ArrayBuffer> {
  const section = (id: number, bytes: number[]) => [id, bytes.length, ...bytes];
  const constant = (value: number) => [0x7f, 0, 0x41, value, 0x0b];
  const exported = (name: string, index: number) => [name.length, ...new TextEncoder().encode(name), 3, index];
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(6, [2, ...constant(major), ...constant(minor)]),
    ...section(7, [2, ...exported("abi_version", 0), ...exported("abi_minor_version", 1)]),
  ]);
}

describe("configure", () => {
  const sources = JSON.stringify(SOURCES);
  test.each([
    ["[]", "the configuration cannot be read: expected an object (at byte 0)"],
    ['{"kubernetes":"1.32"}', "kubernetes: must be 1.33 to 1.37, not 1.32"],
    ['{"kubernetes":"1.37.2"}', "kubernetes: must be 1.33 to 1.37, not 1.37.2"],
    ['{"kubernetes":1.37}', /^kubernetes: must be a string \(at byte \d+\)$/],
    ['{"sources":[]}', "sources: at least one source of jobs and one of pods are needed"],
    ['{"sources":[{"id":1,"resource":"jobs"}]}', "sources: at least one source of jobs and one of pods are needed"],
    ['{"sources":[{"id":64,"resource":"jobs"}]}', "sources[].id: must be 0 to 63"],
    ['{"sources":[{"resource":"jobs"}]}', "sources[].id: must be 0 to 63"],
    ['{"sources":[{"id":1,"resource":"jobs"},{"id":1,"resource":"pods"}]}', "sources[].id: 1 stands there twice"],
    [
      '{"sources":[{"id":1,"resource":"secrets"}]}',
      'sources[].resource: must be "jobs", "pods", "workloads" or "podgroups"',
    ],
    ['{"sources":[{"id":1,"resource":"jobs","path":"/"}]}', "sources[] has no field path"],
    [
      '{"sources":[{"id":0,"resource":"jobs","namespace":"a"},{"id":1,"resource":"pods","namespace":"b"}]}',
      "sources: jobs of namespace a need a source of pods of it or of all namespaces",
    ],
    [
      '{"sources":[{"id":0,"resource":"jobs"},{"id":1,"resource":"pods","namespace":"b"}]}',
      "sources: jobs of all namespaces need a source of pods of all namespaces",
    ],
    [
      '{"sources":[{"id":0,"resource":"jobs","namespace":"a"},{"id":1,"resource":"pods"}]}',
      "sources: pods of all namespaces need a source of jobs of all namespaces",
    ],
    [
      '{"sources":[{"id":0,"resource":"jobs","namespace":"a"},{"id":1,"resource":"pods","namespace":"a"},{"id":2,"resource":"pods","namespace":"b"}]}',
      "sources: pods of namespace b need a source of jobs of it or of all namespaces",
    ],
    [
      '{"sources":[{"id":0,"resource":"jobs"},{"id":1,"resource":"pods"},{"id":4,"resource":"jobs","namespace":"a"}]}',
      "sources: 0 and 4 both show jobs of namespace a: leave one of the two out",
    ],
    [
      '{"sources":[{"id":0,"resource":"jobs"},{"id":1,"resource":"pods","isSelection":true},{"id":2,"resource":"pods"}]}',
      "sources: 1 and 2 both show pods of all namespaces: leave one of the two out",
    ],
    [
      '{"sources":[{"id":0,"resource":"jobs","namespace":"a"},{"id":1,"resource":"pods","namespace":"a"},{"id":3,"resource":"pods","namespace":"a"}]}',
      "sources: 1 and 3 both show pods of namespace a: leave one of the two out",
    ],
    [
      '{"gangScheduling":true,"sources":[{"id":0,"resource":"jobs"},{"id":1,"resource":"pods"},{"id":2,"resource":"workloads"},{"id":3,"resource":"podgroups","namespace":"a"}]}',
      "sources: jobs of all namespaces need a source of podgroups of all namespaces",
    ],
    [`{"instance":"${"i".repeat(33)}","sources":${sources}}`, "instance: longer than 32 bytes"],
    [`{"größe":1,"sources":${sources}}`, "the configuration has no field größe"],
    [
      `{"sources":${sources},"managedBy":"example.com/queue"}`,
      "finalizer: an engine with managedBy needs one that is not batch.kubernetes.io/job-tracking",
    ],
    [
      `{"sources":${sources},"managedBy":"example.com/queue","finalizer":"batch.kubernetes.io/job-tracking"}`,
      "finalizer: an engine with managedBy needs one that is not batch.kubernetes.io/job-tracking",
    ],
    [
      `{"finalizer":"example.com/tracking","managedBy":"queue","sources":${sources}}`,
      "managedBy: must be a domain, a slash and a path, 63 bytes at most, not queue",
    ],
    [
      `{"finalizer":"example.com/tracking","managedBy":"","sources":${sources}}`,
      "managedBy: must be a domain, a slash and a path, 63 bytes at most, not ",
    ],
    [
      `{"finalizer":"example.com/tracking","managedBy":"example.com/${"q".repeat(52)}","sources":${sources}}`,
      `managedBy: must be a domain, a slash and a path, 63 bytes at most, not example.com/${"q".repeat(28)}`,
    ],
    [
      `{"finalizer":"example.com/tracking","managedBy":"Example.com/queue","sources":${sources}}`,
      /^managedBy: a lowercase RFC 1123 subdomain/,
    ],
    [
      `{"finalizer":"example.com/tracking","managedBy":"example.com/a b","sources":${sources}}`,
      /^managedBy: Invalid path/,
    ],
    [
      `{"finalizer":"example.com/tracking","managedBy":"kubernetes.io/job-controller","sources":${sources}}`,
      "managedBy: kubernetes.io/job-controller is the default: leave it out",
    ],
    [`{"finalizer":"example.com/tracking","managedBy":null,"sources":${sources}}`, "managedBy: must be a string"],
    [`{"finalizer":"tracking","sources":${sources}}`, "finalizer: must be a domain, a slash and a name, not tracking"],
    [`{"finalizer":"example.com/","sources":${sources}}`, "finalizer: name part must be non-empty"],
    [`{"finalizer":7,"sources":${sources}}`, /^finalizer: must be a string \(at byte \d+\)$/],
    [`{"removesFinished":null,"sources":${sources}}`, "removesFinished: must be true or false"],
    [`{"removesFinished":"no","sources":${sources}}`, /^removesFinished: must be true or false \(at byte \d+\)$/],
    [
      `{"sources":${sources},"constants":{"syncBurst":-1}}`,
      "constants.syncBurst: must be a whole number from 0 to 86400000",
    ],
    [
      `{"sources":${sources},"constants":{"maxPodsPerSync":0}}`,
      "constants.maxPodsPerSync: must be a whole number from 1 to 86400000",
    ],
    [
      `{"sources":${sources},"constants":{"syncRetryMaxMs":86400001}}`,
      "constants.syncRetryMaxMs: must be a whole number from 1 to 86400000",
    ],
    [
      `{"sources":${sources},"constants":{"podBackoffBaseMs":"1"}}`,
      /^constants\.podBackoffBaseMs: must be a whole number from 1 to 86400000 \(at byte \d+\)$/,
    ],
    [`{"sources":${sources},"constants":{"podBackofBaseMs":1}}`, "constants has no field podBackofBaseMs"],
  ])("refuses %s and names the field", async (configuration, message) => {
    const engine = await Engine.create(module);
    const error = errorOf(() => engine.configure(JSON.parse(configuration) as EngineConfiguration));
    expect(error.code).toBe(ErrorCode.badConfiguration);
    expect(error.message).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
    // Nothing of it was taken.
    expect(errorOf(() => engine.ingest(1, IngestKind.listBegin, "", NOW)).code).toBe(ErrorCode.notConfigured);
    engine.configure({
      instance: "i".repeat(32),
      sources: SOURCES,
      constants: { syncBurst: 0, syncCoalesceMs: 0, maxPodsPerSync: 1 },
    });
  });

  test("is done once", async () => {
    const engine = await configured();
    expect(errorOf(() => engine.configure({ instance: "", sources: SOURCES }))).toMatchObject({
      code: ErrorCode.badConfiguration,
      message: expect.stringContaining("configured already"),
    });
  });

  test("sets the constants", async () => {
    const engine = await configured({ constants: { maxPodsPerSync: 2 } });
    list(engine, JOBS, [job("a")]);
    list(engine, PODS, []);
    const { decisions } = engine.poll(NOW, 10);
    expect(decisions.map(({ code, numbers }) => [code, numbers["pods"]])).toEqual([["Creating", 2]]);
  });
});

describe("ingest", () => {
  test.each<[string, (engine: Engine) => unknown, ErrorCode, string]>([
    [
      "an unknown source",
      (engine) => engine.ingest(5, IngestKind.listBegin, "", NOW),
      ErrorCode.unknownSource,
      "no source of this id is configured",
    ],
    [
      "a source beyond all ids",
      (engine) => engine.ingest(-1, IngestKind.listBegin, "", NOW),
      ErrorCode.unknownSource,
      "no source of this id is configured",
    ],
    [
      "an unknown kind",
      (engine) => engine.ingest(JOBS, 9 as IngestKind, "", NOW),
      ErrorCode.outOfOrder,
      "kind must be",
    ],
    [
      "a page before list-begin",
      (engine) => engine.ingest(JOBS, IngestKind.page, "{}", NOW),
      ErrorCode.outOfOrder,
      "a page came without list-begin",
    ],
    [
      "list-end before list-begin",
      (engine) => engine.ingest(JOBS, IngestKind.listEnd, "", NOW),
      ErrorCode.outOfOrder,
      "list-end came without a page",
    ],
    [
      "a partial line",
      (engine) => engine.ingest(PODS, IngestKind.watchLines, line("ADDED", {}).slice(0, -1), NOW),
      ErrorCode.partialLine,
      "does not end in a newline",
    ],
    [
      "a broken line",
      (engine) =>
        engine.ingest(
          PODS,
          IngestKind.watchLines,
          line("DELETED", { kind: "Pod" }) + '{"type":"ADDED","object":{\n',
          NOW,
        ),
      ErrorCode.badJson,
      "a watch line is not JSON: the input ends inside an object or array (at byte 69)",
    ],
    [
      "a line of another source",
      (engine) => engine.ingest(JOBS, IngestKind.watchLines, line("ADDED", pod("p", "a")), NOW),
      ErrorCode.wrongDocument,
      "a watched object is a Pod: it must be a Job of batch/v1 (at byte 0)",
    ],
    [
      "a bookmark without a version",
      (engine) => engine.ingest(PODS, IngestKind.watchLines, line("BOOKMARK", { kind: "Pod", metadata: {} }), NOW),
      ErrorCode.wrongDocument,
      "a bookmark has no metadata.resourceVersion",
    ],
    [
      "no watch event",
      (engine) => engine.ingest(PODS, IngestKind.watchLines, "{}\n", NOW),
      ErrorCode.badJson,
      "not a watch event: type or object is missing",
    ],
  ])("refuses %s with a code and a sentence", async (_, call, code, message) => {
    const engine = await configured();
    expect(errorOf(() => call(engine))).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test("refuses a broken page, and the next list works", async () => {
    const engine = await configured();
    engine.ingest(JOBS, IngestKind.listBegin, "", NOW);
    expect(
      errorOf(() =>
        engine.ingest(JOBS, IngestKind.page, '{"kind":"JobList","metadata":{"resourceVersion":"1"},"items":[', NOW),
      ),
    ).toMatchObject({
      code: ErrorCode.badJson,
      message: "a page is not JSON: the input ends inside an object or array (at byte 62)",
    });
    expect(errorOf(() => engine.ingest(JOBS, IngestKind.page, listOf(JOBS, []), NOW)).code).toBe(ErrorCode.outOfOrder);
    expect(engine.watchVersion(JOBS)).toBe(-1);
    list(engine, JOBS, [job("a")]);
    expect(engine.explain("default", "a").found).toBe(true);
  });

  test("returns unreadableObject: the other objects are there", async () => {
    const engine = await configured();
    engine.ingest(JOBS, IngestKind.listBegin, "", NOW);
    expect(
      engine.ingest(JOBS, IngestKind.page, listOf(JOBS, [job("a"), job("b", { parallelism: -1 }), job("c")]), NOW),
    ).toBe(ErrorCode.unreadableObject);
    engine.ingest(JOBS, IngestKind.listEnd, "", NOW);
    expect(["a", "b", "c"].map((name) => engine.explain("default", name).state)).toEqual([
      "Waiting",
      "Unreadable",
      "Waiting",
    ]);
    expect(engine.explain("default", "b").sentence).toContain("spec.parallelism");
  });

  test("takes nothing of another namespace than its source is limited to", async () => {
    const engine = await configured({ sources: SOURCES.map((source) => ({ ...source, namespace: "other" })) });
    list(engine, PODS, []);
    engine.ingest(JOBS, IngestKind.listBegin, "", NOW);
    const stranger = { ...job("a"), status: { active: 1 } };
    expect(engine.ingest(JOBS, IngestKind.page, listOf(JOBS, [stranger]), NOW)).toBe(ErrorCode.unreadableObject);
    engine.ingest(JOBS, IngestKind.listEnd, "", NOW);
    expect(engine.poll(NOW, 10).requests).toEqual([]);
    expect(engine.explain("default", "a").found).toBe(false);
  });

  test("takes text and bytes alike, beyond ASCII", async () => {
    const engine = await configured();
    engine.ingest(JOBS, IngestKind.listBegin, "", NOW);
    engine.ingest(JOBS, IngestKind.page, listOf(JOBS, [job("a", { managedBy: "example.com/größe" })]), NOW);
    engine.ingest(
      JOBS,
      IngestKind.page,
      new TextEncoder().encode(listOf(JOBS, [job("b", { managedBy: "example.com/größe" })])),
      NOW,
    );
    engine.ingest(JOBS, IngestKind.listEnd, "", NOW);
    list(engine, PODS, []);
    const { decisions } = engine.poll(NOW, 10);
    expect(decisions.map(({ message }) => message)).toEqual(
      Array(2).fill("not run: spec.managedBy says that example.com/größe manages this Job"),
    );
  });
});

describe("lists and watches", () => {
  test("return where to continue", async () => {
    const engine = await configured();
    expect(engine.watchVersion(JOBS)).toBe(-1);
    engine.ingest(JOBS, IngestKind.listBegin, "", NOW);
    engine.ingest(JOBS, IngestKind.page, listOf(JOBS, [], 'to"ken/+='), NOW);
    expect(engine.listContinue(JOBS)).toBe('to"ken/+=');
    engine.ingest(JOBS, IngestKind.page, listOf(JOBS, []), NOW);
    expect(engine.listContinue(JOBS)).toBe("");
    engine.ingest(JOBS, IngestKind.listEnd, "", NOW);
    expect(engine.watchVersion(JOBS)).toBe(100);
    engine.ingest(JOBS, IngestKind.watchLines, line("ADDED", job("a", {}, 9007199254740991)), NOW);
    expect(engine.watchVersion(JOBS)).toBe(9007199254740991);
    engine.ingest(JOBS, IngestKind.streamLost, "", NOW);
    expect(engine.watchVersion(JOBS)).toBe(9007199254740991);
    engine.ingest(JOBS, IngestKind.watchLines, line("ERROR", { kind: "Status", code: 410 }), NOW);
    expect(engine.watchVersion(JOBS)).toBe(-1);
  });

  test("of one namespace keep no Job of another waiting", async () => {
    const of = (namespace: string, after: number) =>
      SOURCES.map(({ id, resource }) => ({ id: id + after, resource, namespace }));
    const engine = await configured({ sources: [...of("a", 0), ...of("b", 1)] });
    const template = { metadata: { labels: { app: "x" } }, spec: {} };
    const own = {
      manualSelector: true,
      selector: { matchLabels: { app: "x" } },
      parallelism: 1,
      completions: 1,
      template,
    };
    const known = job("j", own);
    const status = { startTime: "2026-01-01T00:00:00Z" };
    const stored = { ...known, metadata: { ...known.metadata, namespace: "a" }, status };
    for (const [source, items] of [
      [JOBS, [stored]],
      [PODS, []],
      [JOBS + 1, []],
      [PODS + 1, []],
    ] as const) {
      engine.ingest(source, IngestKind.listBegin, "", NOW);
      engine.ingest(source, IngestKind.page, listOf(source === JOBS + 1 ? JOBS : source, items), NOW);
      engine.ingest(source, IngestKind.listEnd, "", NOW);
    }
    const posts: number[] = [];
    for (let now = NOW; now < NOW + 20_000; now += 1_000) {
      for (const { id, method } of engine.poll(now, 10).requests) {
        if (method === "POST") posts.push(now - NOW);
        stored.metadata.resourceVersion = String(200 + now - NOW);
        const answer = method === "GET" ? listOf(PODS, []).replace("100", "110") : JSON.stringify(stored);
        if (method === "POST") engine.settle(id, 0, -1, "", now);
        else engine.settle(id, 200, -1, answer, now);
      }
      if (engine.watchVersion(PODS) >= 0) continue;
      engine.ingest(PODS, IngestKind.listBegin, "", now);
      engine.ingest(PODS, IngestKind.page, listOf(PODS, []).replace("100", "120"), now);
      engine.ingest(PODS, IngestKind.listEnd, "", now);
    }
    // The pods of the other namespace have shown nothing since, and need not.
    expect(posts.length).toBeGreaterThan(1);
    expect(engine.watchVersion(PODS + 1)).toBe(100);
  });

  test("say nothing of sources that are not there", async () => {
    const engine = await configured();
    expect(engine.watchVersion(9)).toBe(-1);
    expect(engine.listContinue(9)).toBe("");
  });
});

describe("poll", () => {
  test("gives requests, the next wake-up and decisions", async () => {
    const engine = await synced({ jobs: [job("a")] });
    const { requests, nextWakeUpMs, decisions } = engine.poll(NOW, 10);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      id: 1,
      method: "POST",
      path: "/api/v1/namespaces/default/pods",
      accept: "application/json",
      contentType: "application/json",
      decision: 1,
    });
    expect(bodyOf(requests[0]!)).toMatchObject({ kind: "Pod", metadata: { generateName: "a-", labels: { app: "a" } } });
    expect(nextWakeUpMs).toBe(Infinity);
    expect(decisions).toEqual([
      {
        id: 1,
        atMs: NOW,
        namespace: "default",
        job: "a",
        uid: "uid-a",
        code: "Creating",
        message: "creating 3 pods: 0 of 3 wanted active, 0 succeeded",
        nextMs: null,
        numbers: { pods: 3, active: 0, wanted: 3, succeeded: 0 },
      },
    ]);
    expect(engine.poll(NOW, 10)).toEqual({ requests: [], nextWakeUpMs: Infinity, decisions: [] });
  });

  test("reads many requests of all lengths from one frame", async () => {
    const names = Array.from({ length: 20 }, (_, i) => "n".repeat(i + 1));
    const engine = await synced({ jobs: names.map((name) => job(name)) });
    const { requests, decisions } = engine.poll(NOW, 100);
    expect(
      requests
        .map((request) => (bodyOf(request) as { metadata: { generateName: string } }).metadata.generateName)
        .sort(),
    ).toEqual(names.map((name) => `${name}-`).sort());
    expect(new Set(requests.map(({ id }) => id)).size).toBe(20);
    expect(decisions).toHaveLength(20);
  });

  test("hands out no more than there is room for, and the rest later", async () => {
    const engine = await synced({ jobs: ["a", "b", "c"].map((name) => job(name)) });
    expect(engine.poll(NOW, 0).requests).toHaveLength(0);
    expect(engine.poll(NOW, 2).requests).toHaveLength(2);
    expect(engine.poll(NOW, 2).requests).toHaveLength(1);
  });

  test("gives copies: later calls leave them alone", async () => {
    const engine = await synced({ jobs: [job("a"), job("b")] });
    const first = engine.poll(NOW, 1);
    const before = decoder.decode(first.requests[0]!.body);
    const explanation = engine.explain("default", "a");
    engine.poll(NOW, 1);
    engine.ingest(JOBS, IngestKind.watchLines, line("ADDED", job("c", {}, 200)), NOW);
    engine.explain("default", "c");
    expect(decoder.decode(first.requests[0]!.body)).toBe(before);
    expect(explanation.job).toBe("a");
  });
});

describe("settle", () => {
  test("takes each id once", async () => {
    const engine = await synced({ jobs: [job("a")] });
    const [request] = engine.poll(NOW, 10).requests;
    expect(engine.settle(request!.id, 403, -1, '{"kind":"Status","message":"no"}', NOW)).toBe(ErrorCode.ok);
    for (const id of [request!.id, 0, -1, 2, 0.5, Number.NaN, Infinity]) {
      expect(
        errorOf(() => engine.settle(id, 200, -1, "", NOW)),
        String(id),
      ).toMatchObject({
        code: ErrorCode.unknownRequest,
        message: expect.stringContaining("no request of this id is under way"),
      });
    }
  });

  test("returns unreadableObject for an answer that holds no object", async () => {
    const engine = await synced({ jobs: [job("a")] });
    const [request] = engine.poll(NOW, 10).requests;
    expect(engine.settle(request!.id, 201, -1, "<html>", NOW)).toBe(ErrorCode.unreadableObject);
    // The pod may be there: its Job is listed before another one is created.
    expect(engine.poll(NOW, 10).decisions.map(({ code }) => code)).toContain("OutcomeUnknown");
  });
});

describe("time", () => {
  test("of timestamps is now plus the offset, time of timers is now", async () => {
    const engine = await configured();
    engine.setClockOffset(NOW);
    engine.ingest(JOBS, IngestKind.listBegin, "", 5_000);
    engine.ingest(JOBS, IngestKind.page, listOf(JOBS, [job("a", { activeDeadlineSeconds: 60 })]), 5_000);
    engine.ingest(JOBS, IngestKind.listEnd, "", 5_000);
    list(engine, PODS, []);
    expect(engine.poll(5_000, 0).decisions[0]!.atMs).toBe(NOW + NOW);
  });

  test("does not step back", async () => {
    const engine = await synced({ jobs: [job("a")] });
    expect(engine.poll(NOW - 1_000_000, 0).decisions[0]!.atMs).toBe(NOW);
  });
});

describe("review", () => {
  test("answers a review, before configure too", async () => {
    const engine = await Engine.create(module);
    const review = {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: {
        uid: "u1",
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { group: "", version: "v1", resource: "configmaps" },
        operation: "CREATE",
        object: {},
      },
    };
    expect(JSON.parse(engine.review(JSON.stringify(review)))).toMatchObject({
      kind: "AdmissionReview",
      response: { uid: "u1", allowed: true },
    });
  });

  test("takes text that is not ASCII as its UTF-8", async () => {
    const engine = await Engine.create(module);
    const review = JSON.stringify({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: {
        uid: "ü€𝄞",
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { group: "", version: "v1", resource: "configmaps" },
        operation: "CREATE",
        object: {},
      },
    });
    expect(JSON.parse(engine.review(review)).response.uid).toBe("ü€𝄞");
    expect(engine.review(review)).toBe(engine.review(new TextEncoder().encode(review)));
  });

  test("throws badJson for what is no review, and says why", async () => {
    const engine = await Engine.create(module);
    for (const input of ["", "{", "[]", '"text"']) {
      const error = errorOf(() => engine.review(input));
      expect(error.code, input).toBe(ErrorCode.badJson);
      expect(error.message, input).not.toBe("");
    }
  });
});

describe("explain and metrics", () => {
  test("describe a Job that does not exist", async () => {
    const engine = await synced();
    for (const name of ["a", "", 'quo"ted', "größe"])
      expect(engine.explain("default", name)).toEqual({
        namespace: "default",
        job: name,
        found: false,
        state: "Unknown",
        sentence: "no such Job is known",
        nextMs: null,
        decisions: [],
      });
  });

  test("count what is held", async () => {
    const engine = await synced({ jobs: [job("a")], pods: [pod("p", "a"), pod("lost", "absent")] });
    engine.poll(NOW, 10);
    const { families, ...numbers } = engine.metrics();
    expect(numbers).toEqual({
      jobs: 1,
      pods: 2,
      waitingPods: 1,
      due: 0,
      requestsUnderWay: 1,
      syncs: 1,
      eventsDropped: 0,
      memoryBytes: engine.memoryBytes,
    });
    expect(families.map(({ name }) => name)).toContain("job_controller_job_syncs_total");
    expect(engine.explain("default", "a")).toMatchObject({
      found: true,
      state: "Running",
      parallelism: 3,
      completions: 3,
      active: 1,
      ready: 0,
      terminating: 0,
      succeeded: 0,
      failed: 0,
    });
  });
});

describe("memory that grows", () => {
  test("during the writing of an input and during a call leaves everything readable", async () => {
    const engine = await synced({ jobs: [job("a")] });
    const { requests } = engine.poll(NOW, 10);
    const before = engine.memoryBytes;
    // Larger than all memory so far: reserve has to grow it between the measuring and the writing of the input.
    const pods = Array.from({ length: 20_000 }, (_, i) => pod(`pod-${i}`, "a", 200 + i));
    const text = listOf(PODS, pods);
    expect(text.length).toBeGreaterThan(before);
    engine.ingest(PODS, IngestKind.listBegin, "", NOW);
    engine.ingest(PODS, IngestKind.page, text, NOW);
    expect(engine.memoryBytes).toBeGreaterThan(before);
    expect(bodyOf(requests[0]!)).toMatchObject({ kind: "Pod" });
    expect(engine.metrics()).toMatchObject({ pods: 20_000, memoryBytes: engine.memoryBytes });
  });
});

describe("a now that is no time", () => {
  test.each([1e300, 253402300800000, Infinity, -Infinity, NaN, -1, 0.5])(
    "%s is refused in every call, and nothing has happened",
    async (now) => {
      const engine = await synced({ jobs: [job("a")] });
      const before = engine.save();
      const refusal = {
        code: ErrorCode.badTime,
        message: "now must be a whole number of milliseconds from 0 to 253402300799999, the end of the year 9999",
      };
      expect(errorOf(() => engine.poll(now, 10))).toMatchObject(refusal);
      expect(errorOf(() => engine.ingest(JOBS, IngestKind.listBegin, "", now))).toMatchObject(refusal);
      expect(errorOf(() => engine.settle(1, 200, -1, "", now))).toMatchObject(refusal);
      expect(errorOf(() => engine.explain("default", "a", now))).toMatchObject(refusal);
      expect(engine.watchVersion(JOBS)).toBe(100);
      engine.restore(before);
      expect(engine.poll(NOW, 10).requests).toHaveLength(1);
    },
  );

  test.each([
    [1e300, 1e300],
    [NaN, -1],
    [-Infinity, Infinity],
    [253402300799999, 5e299],
  ])("offsets of %s and waits of %s ms trap nothing", async (offset, retryAfterMs) => {
    const engine = await synced({ jobs: [job("a")] });
    engine.setClockOffset(offset);
    const { requests } = engine.poll(253402300799999, 10);
    for (const { id } of requests) engine.settle(id, 429, retryAfterMs, "", 253402300799999);
    expect(engine.poll(253402300799999, 10).nextWakeUpMs).toBeGreaterThan(0);
    expect(engine.explain("default", "a").found).toBe(true);
  });
});

describe("a trap", () => {
  test("is an EngineError with code -1 and the engine's own words", async () => {
    const engine = await configured();
    const error = errorOf(() => engine.ingest(PODS, IngestKind.page, new Uint8Array(64 * 1024 * 1024 + 1), NOW));
    expect(error.code).toBe(-1);
    expect(error.message).toMatch(
      /^the engine stopped: an input is larger than 64 MiB: pass smaller pages or fewer lines \(assembly\/abi\/input\.ts:\d+\); discard it and list again$/,
    );
  });

  test("of the machine itself has the runtime's message, and every later call fails with it", async () => {
    const engine = await configured();
    const saved = engine.save();
    const broken = Object.entries(saved.globals).map(
      ([name, value]) => [name, typeof value === "bigint" ? value : 0x7ffffff0] as const,
    );
    engine.restore({ ...saved, globals: Object.fromEntries(broken) });
    const trap = errorOf(() => engine.poll(NOW, 1));
    expect(trap.message).toMatch(/^the engine stopped: .*(out of bounds|unreachable).*; discard it and list again$/);
    for (const call of [
      () => engine.poll(NOW, 1),
      () => engine.metrics(),
      () => engine.watchVersion(JOBS),
      () => engine.save(),
      () => engine.ingest(JOBS, IngestKind.listBegin, "", NOW),
    ]) {
      expect(errorOf(call)).toBe(trap);
    }
    engine.restore(saved);
    expect(engine.poll(NOW, 1).requests).toEqual([]);
  });

  test("leaves other instances alone", async () => {
    const [broken, sound] = [await configured(), await configured()];
    errorOf(() => broken.explain("x".repeat(64 * 1024 * 1024), "y"));
    expect(sound.metrics()["jobs"]).toBe(0);
  });
});

describe("save and restore", () => {
  test("continues byte for byte", async () => {
    const original = await synced({ jobs: [job("a"), job("b")], pods: [pod("p", "a")] });
    original.poll(NOW, 1);
    const copy = await Engine.create(module, moduleSha256);
    copy.restore(original.save());
    const goOn = (engine: Engine) => {
      const first = engine.poll(NOW, 10);
      for (const request of first.requests) engine.settle(request.id, 409, -1, '{"message":"no"}', NOW + 5);
      const more = Array.from({ length: 5_000 }, (_, i) => line("ADDED", pod(`q-${i}`, "b", 300 + i))).join("");
      engine.ingest(PODS, IngestKind.watchLines, more, NOW + 10);
      return [
        first,
        engine.poll(NOW + 100_000, 4096),
        engine.explain("default", "b"),
        engine.metrics(),
        engine.memoryBytes,
      ];
    };
    expect(goOn(copy)).toEqual(goOn(original));
    const [saved, expected] = [copy.save(), original.save()];
    expect(Buffer.compare(saved.memory, expected.memory)).toBe(0);
    expect(saved.globals).toEqual(expected.globals);
  });

  test("starts over in an engine that has grown", async () => {
    const engine = await synced({ jobs: [job("a")] });
    const saved = engine.save();
    engine.ingest(
      PODS,
      IngestKind.watchLines,
      Array.from({ length: 20_000 }, (_, i) => line("ADDED", pod(`q-${i}`, "a", 300 + i))).join(""),
      NOW,
    );
    expect(engine.memoryBytes).toBeGreaterThan(saved.memory.byteLength);
    engine.restore(saved);
    expect(engine.memoryBytes).toBe(saved.memory.byteLength);
    expect(engine.explain("default", "a")).toMatchObject({ found: true, active: 0 });
  });

  test("refuses a save of another module", async () => {
    const engine = await configured();
    expect(errorOf(() => engine.restore({ ...engine.save(), moduleSha256: "another" })).message).toContain(
      "restores only into the module it came from",
    );
  });
});

/**
 * Replays what a real kube-apiserver answered (test/vectors/recordings/api): brings about the state that an
 * exchange starts from, sends the same request and compares status, headers and body, byte for byte but for
 * uids, resourceVersions, times, managedFields and the descriptions of columns.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Engine } from "../../../bindings/js/engine.ts";
import { alwaysAllow } from "../../../cluster/apiserver/access/authorizer.ts";
import { reviewResources } from "../../../cluster/apiserver/access/reviews.ts";
import { trackFields } from "../../../cluster/apiserver/apply/tracking.ts";
import type { ClusterOptions } from "../../../cluster/index.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import { configMap, Harness, job, pod } from "./harness.ts";

/** The version of the server that was recorded. */
const KUBERNETES = "1.36";
await buildModule("engine");
/** The rules of Jobs are the engine's, so these exchanges need the real one. */
const engine = await Engine.create(readFileSync(modulePath("engine")));
engine.configure({ kubernetes: KUBERNETES });
const admission = (review: string): string => engine.review(review);

interface Step {
  readonly method: any;
  readonly path: string;
  readonly body?: unknown;
}

interface Recording {
  readonly name: string;
  readonly given: string;
  /** Requests that bring about the state before; where there are none, `scenarios` does. */
  readonly before?: readonly Step[];
  /** Requests while a watch is open. */
  readonly during?: readonly Step[];
  /** A quota controller acted after each of `before`. Else none did. */
  readonly counts?: boolean;
  readonly request: {
    readonly method: any;
    readonly path: string;
    readonly headers: Record<string, string>;
    readonly body: string | null;
    readonly bodyBase64?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Record<string, string | string[]>;
    readonly body: string;
  };
}

interface Scenario {
  /** Brings about the state before the request; what it answers replaces the request's path or body. */
  readonly given?: (harness: Harness, namespace: string) => void | { readonly path?: string; readonly body?: string };
  /** What happens while a watch is open. */
  readonly during?: (harness: Harness, namespace: string) => void;
  readonly options?: Partial<ClusterOptions>;
}

/** Exchanges that cannot be replayed yet, with the reason. */
const pending: Readonly<Record<string, string>> = {
  "discovery-batch-v1": "CronJobs are not served",
  "job-create-protobuf": "protobuf bodies answer 415",
};

const jobsIn = (namespace: string): string => `/apis/batch/v1/namespaces/${namespace}/jobs`;
const podsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
const configMapsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
const create =
  (name: string, spec: object = {}, metadata: object = {}) =>
  (harness: Harness, namespace: string): void => {
    harness.post(jobsIn(namespace), job(name, spec, metadata));
  };
const suspendedStatus = {
  conditions: [
    {
      type: "Suspended",
      status: "True",
      lastProbeTime: "2026-11-21T09:48:50Z",
      lastTransitionTime: "2026-11-21T09:48:50Z",
      reason: "JobSuspended",
      message: "Job suspended",
    },
  ],
  terminating: 0,
  uncountedTerminatedPods: {},
  ready: 0,
};
/** A suspended Job after the controller has written its status. */
const createSuspended =
  (name: string, metadata: object = {}) =>
  (harness: Harness, namespace: string): void => {
    create(name, {}, metadata)(harness, namespace);
    harness.merge(`${jobsIn(namespace)}/${name}/status`, { status: suspendedStatus });
  };

const scenarios: Readonly<Record<string, Scenario>> = {
  "apply-conflict-with-update-manager": {
    options: { fieldOwners: trackFields },
    given(harness, namespace) {
      const headers = { "content-type": "application/json", "user-agent": "kubectl/v1" };
      harness.send("POST", jobsIn(namespace), job("u", { suspend: true }), headers);
    },
  },
  "ssar-allowed": {
    options: {
      moreResources: reviewResources({
        authorizer: alwaysAllow,
        tokenOwner: () => ({ user: undefined, audiences: [] }),
      }),
    },
  },
  "apply-create": { options: { fieldOwners: trackFields } },
  "configmap-list-page-1": {
    given(harness, namespace) {
      for (let index = 0; index < 7; index++)
        harness.post(configMapsIn(namespace), configMap(`cm${index}`, { labels: { par: String(index % 2) } }));
    },
  },
  "job-create-already-exists": { given: create("j1") },
  "job-create-while-deleting": {
    given(harness, namespace) {
      create("c", {}, { finalizers: ["x/y"] })(harness, namespace);
      harness.delete(`${jobsIn(namespace)}/c`);
    },
  },
  "job-delete-background": { given: create("a") },
  "job-delete-default-orphan": { given: createSuspended("b") },
  "job-delete-uid-precondition": { given: create("e") },
  "job-patch-json-test-failed": { given: create("j") },
  "job-patch-uid-mismatch": { given: create("j") },
  "job-put-manifest-invalid": { given: create("j") },
  "job-put-stale-conflict": {
    given(harness, namespace) {
      create("j", {}, { labels: { own: "1" } })(harness, namespace);
      const before = harness.get(`${jobsIn(namespace)}/j`).body;
      harness.merge(`${jobsIn(namespace)}/j`, { metadata: { annotations: { newer: "1" } } });
      return { body: JSON.stringify(before) };
    },
  },
  "job-put-uid-mismatch": { given: create("j") },
  "job-remove-last-finalizer": {
    given(harness, namespace) {
      createSuspended("c", { finalizers: ["x/y"] })(harness, namespace);
      harness.delete(`${jobsIn(namespace)}/c`);
      harness.merge(`${jobsIn(namespace)}/c`, { metadata: { finalizers: ["x/y"] } });
    },
  },
  "job-status-complete-invalid": {
    given(harness, namespace) {
      create("j")(harness, namespace);
      harness.merge(`${jobsIn(namespace)}/j/status`, { status: { active: 2, ready: 0 } });
    },
  },
  "jobs-table-list": {
    given(harness, namespace) {
      create("j")(harness, namespace);
      harness.merge(`${jobsIn(namespace)}/j`, { metadata: { labels: { viastatus: "1" }, annotations: { a: "b" } } });
      for (let parallelism = 2; parallelism < 6; parallelism++)
        harness.merge(`${jobsIn(namespace)}/j`, { spec: { parallelism } });
      const criteriaMet = { type: "SuccessCriteriaMet", status: "True" };
      harness.merge(`${jobsIn(namespace)}/j/status`, {
        status: { startTime: "2026-11-21T09:00:00Z", conditions: [criteriaMet] },
      });
      harness.merge(`${jobsIn(namespace)}/j/status`, {
        status: {
          completionTime: "2026-11-21T09:01:00Z",
          conditions: [criteriaMet, { type: "Complete", status: "True" }],
        },
      });
      harness.clock.advance(2000);
    },
  },
  "list-continue-expired-410": {
    options: { limits: { maxHistoryEvents: 2 } },
    given(harness, namespace) {
      for (const name of ["a", "b", "c"]) harness.post(configMapsIn(namespace), configMap(name));
    },
  },
  "pod-binding": { given: (harness, namespace) => void harness.post(podsIn(namespace), pod("a")) },
  "pod-create-defaults": { options: { assignsServiceAccount: false } },
  "pod-delete-graceful": {
    options: { assignsServiceAccount: false },
    given(harness, namespace) {
      harness.post(podsIn(namespace), pod("a"));
      harness.post(`${podsIn(namespace)}/a/binding`, { metadata: { name: "a" }, target: { kind: "Node", name: "n1" } });
      harness.strategic(`${podsIn(namespace)}/a/status`, {
        status: {
          phase: "Bogus",
          conditions: [{ type: "Ready", status: "True" }],
          podIP: "10.0.0.1",
          containerStatuses: [
            {
              name: "c",
              state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
              lastState: {},
              ready: true,
              restartCount: 0,
              image: "b",
              imageID: "",
            },
          ],
        },
      });
    },
  },
  "pod-log-unscheduled": {
    given: (harness, namespace) =>
      void harness.post(
        podsIn(namespace),
        pod("m", {
          initContainers: [{ name: "i", image: "b" }],
          containers: [
            { name: "c1", image: "b" },
            { name: "c2", image: "b" },
          ],
        }),
      ),
  },
  "quota-pod-unenforced": { options: { assignsServiceAccount: false } },
  "watch-jobs-table": {
    given(harness, namespace) {
      createSuspended("tw")(harness, namespace);
      harness.clock.advance(1000);
    },
    during: (harness, namespace) => void harness.merge(`${jobsIn(namespace)}/tw`, { spec: { parallelism: 2 } }),
  },
  "watch-selector-transitions": {
    given(harness, namespace) {
      const { body } = harness.post(configMapsIn(namespace), configMap("a", { labels: { k: "1" } }));
      return {
        path: `${configMapsIn(namespace)}?watch=true&labelSelector=k%3D1&resourceVersion=${body.metadata.resourceVersion}`,
      };
    },
    during(harness, namespace) {
      const [a, b] = ["a", "b"].map((name) => `${configMapsIn(namespace)}/${name}`) as [string, string];
      harness.merge(a, { data: { x: "2" } });
      harness.merge(a, { metadata: { labels: { k: "2" } }, data: { x: "3" } });
      harness.merge(a, { data: { x: "4" } });
      harness.merge(a, { metadata: { labels: { k: "1" } } });
      harness.post(configMapsIn(namespace), configMap("b"));
      harness.merge(b, { metadata: { labels: { k: "1" } } });
      harness.delete(b);
    },
  },
  "watch-too-old-410": {
    options: { limits: { maxHistoryEvents: 2 } },
    given(harness, namespace) {
      for (const name of ["a", "b", "c"]) create(name)(harness, namespace);
    },
  },
};

/** The real server checks an update more than once and repeats the causes that it finds; their order is what counts. */
function withoutRepeatedCauses(body: string): string {
  if (!body.includes('"causes":[')) return body;
  const status = JSON.parse(body);
  const texts: string[] = status.details.causes.map((cause: object) => JSON.stringify(cause));
  const unique = [...new Set(texts)];
  return unique.length === texts.length ? body : body.replace(/"causes":\[.*\]\}/, `"causes":[${unique.join(",")}]}`);
}

/** Replaces what differs from run to run, in the text, so that the order of members counts. */
function comparable(body: string): string {
  return withoutRepeatedCauses(body)
    .replace(/"managedFields":\[(?:[^"\]]|"(?:[^"\\]|\\.)*"|\[\])*\]/g, '"managedFields":[]')
    .replaceAll(',"managedFields":[]', "")
    .replaceAll('"managedFields":[]', "")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME")
    .replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"RV"')
    .replace(
      /"continue":"([^"]+)"/g,
      (_, token: string) =>
        `"continue":"${Buffer.from(token, "base64url")
          .toString()
          .replace(/"rv":\d+/, '"rv":RV')}"`,
    )
    .replace(/(too old resource version: \d+) \(\d+\)/, "$1 (RV)")
    .replace(/current: \d+/, "current: RV")
    .replace(/\bx-[a-z0-9]{5}\b/g, "x-HASH")
    .replace(/"description":"(?:[^"\\]|\\.)*"/g, '"description":""');
}

const folder = new URL("../../vectors/recordings/api/", import.meta.url);
const recordings = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Recording);

/** A PATCH is a merge patch. */
function take(harness: Harness, steps: readonly Step[] = [], counts = false): void {
  const mergePatch = { "content-type": "application/merge-patch+json" };
  for (const { method, path, body } of steps) {
    harness.send(method, path, body, method === "PATCH" ? mergePatch : undefined);
    if (counts) harness.clock.runDeferred();
  }
}

function replay({ name, before, during: meanwhile, counts, request, response }: Recording): void {
  const { given, during, options } = scenarios[name] ?? {};
  const harness = new Harness({ admission, kubernetes: KUBERNETES, ...options });
  const namespace = /namespaces\/([^/]+)\//.exec(request.path)?.[1] ?? "default";
  harness.namespace(namespace);
  take(harness, before, counts);
  const { path = request.path, body = request.body ?? undefined } = given?.(harness, namespace) ?? {};
  const isStream = /[?&]watch=true/.test(path);
  if (isStream) {
    const lines = harness.stream(path, request.headers["accept"]);
    during?.(harness, namespace);
    take(harness, meanwhile);
    expect(comparable(lines.text())).toBe(comparable(response.body));
    return;
  }
  const answer = harness.send(request.method, path, body, request.headers);
  expect(comparable(answer.text)).toBe(comparable(response.body));
  expect(answer.status).toBe(response.status);
  for (const [header, value] of Object.entries(response.headers)) {
    expect([answer.headers[header]].flat(), header).toEqual([value].flat());
  }
}

describe("recordings of a real kube-apiserver", () => {
  for (const recording of recordings) {
    const reason = pending[recording.name];
    if (reason === undefined) test(recording.name, () => replay(recording));
    else test.fails(`${recording.name} (pending: ${reason})`, () => replay(recording));
  }

  test("every pending exchange exists", () => {
    expect(Object.keys(pending).filter((name) => !recordings.some((recording) => recording.name === name))).toEqual([]);
  });
});

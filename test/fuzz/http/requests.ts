/**
 * Requests for the HTTP front: what clients send, and what an attacker sends to make it stall. What is drawn
 * depends on the seed and the number of the request alone.
 */
import type { Method } from "../../../bindings/js/host.ts";
import type { ResourceDefinition } from "../../../cluster/apiserver/contract/context.ts";
import { resources } from "../../../cluster/apiserver/registry/resources.ts";
import type { Json, JsonObject } from "../../../cluster/values/types.ts";
import { Chance } from "../../simulation/chance.ts";
import { objects } from "../corpus.ts";
import { drawMutations, mutated } from "../mutations.ts";
import { widened } from "./wide.ts";

export interface HttpRequest {
  /** The kind of attempt, for a report. */
  readonly what: string;
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Where things are made and changed; what is not there is left alone. */
export const NAMESPACES = ["default", "busy", "calm"] as const;
/** Jobs of every namespace, which are there from the start. */
export const JOB_NAMES = Array.from({ length: 12 }, (_, n) => `job-${n}`);
const OTHER_NAMES = ["none", "kube-root-ca.crt", "stint", "a.b-c", "x".repeat(253), "%2e%2e", "ü"] as const;
const MAX_BODY_BYTES = 3 * 1024 * 1024;
const PATCH_TYPES = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
] as const;

type Parts = Omit<HttpRequest, "what">;

interface Kind {
  readonly what: string;
  readonly weight: number;
  make(chance: Chance, index: number): Parts;
}

const KINDS: readonly Kind[] = [
  {
    what: "read",
    weight: 12,
    make: (chance) =>
      request("GET", chance.isHit(0.5) ? collection(chance) + listQuery(chance) : item(chance), {
        headers: accept(chance),
      }),
  },
  {
    what: "watch",
    weight: 8,
    make: (chance) =>
      request(
        "GET",
        `${collection(chance)}${join(listQuery(chance), `watch=1&timeoutSeconds=${chance.pick(["1", "300", "999999999999", "-1", "x"])}`)}`,
        { headers: accept(chance) },
      ),
  },
  { what: "create", weight: 10, make: (chance, index) => create(chance, { name: `f${index}` }) },
  {
    what: "delete",
    weight: 5,
    make: (chance) =>
      request("DELETE", chance.isHit(0.9) ? item(chance) : collection(chance) + listQuery(chance), {
        body: chance.isHit(0.5)
          ? ""
          : JSON.stringify({
              propagationPolicy: chance.pick(["Foreground", "Background", "Orphan", "x"]),
              gracePeriodSeconds: chance.integer(-1, 40),
            }),
      }),
  },
  { what: "subresource", weight: 5, make: subresource },
  { what: "wide object", weight: 14, make: (chance, index) => wideObject(chance, index) },
  { what: "JSON patch", weight: 14, make: jsonPatch },
  { what: "merge patch", weight: 8, make: mergePatch },
  { what: "mutated object", weight: 8, make: (chance) => mutatedObject(chance) },
  { what: "nested", weight: 3, make: nestedBody },
  { what: "odd members", weight: 4, make: oddMembers },
  {
    what: "long selector",
    weight: 4,
    make: (chance) => request("GET", `${collection(chance)}?${longSelector(chance)}`),
  },
  {
    what: "odd headers",
    weight: 3,
    make: (chance) =>
      request("GET", collection(chance), {
        headers: {
          accept: long(chance, ["application/json;as=Table,", "a/b;q=0.1,", ";,=", "*/*;q=1;"]),
          "user-agent": "curl/8",
          "if-none-match": long(chance, ['"a",']),
        },
      }),
  },
  { what: "odd path", weight: 5, make: oddPath },
];

export function drawRequest(seed: number, index: number): HttpRequest {
  const chance = new Chance(seed, `request ${index}`);
  const kind = chance.weighted(KINDS);
  return { what: kind.what, ...kind.make(chance, index) };
}

interface Rest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly type?: string;
}

function request(
  method: Method,
  path: string,
  { headers = {}, body = "", type = "application/json" }: Rest = {},
): Parts {
  return {
    method,
    path,
    headers: { ...(body.length > 0 && { "content-type": type }), ...headers },
    body: Buffer.from(body).subarray(0, MAX_BODY_BYTES),
  };
}

function group({ group: name, version }: ResourceDefinition): string {
  return name === "" ? `/api/${version}` : `/apis/${name}/${version}`;
}

function collectionOf(definition: ResourceDefinition, chance: Chance): string {
  const namespace = definition.isNamespaced && chance.isHit(0.9) ? `/namespaces/${chance.pick(NAMESPACES)}` : "";
  return `${group(definition)}${namespace}/${definition.resource}`;
}

function collection(chance: Chance): string {
  return collectionOf(anyResource(chance), chance);
}

/** Jobs and pods more often than others. */
function anyResource(chance: Chance): ResourceDefinition {
  return chance.isHit(0.5) ? definitionOf(chance.pick(["Job", "Pod"])) : chance.pick(resources);
}

function definitionOf(kind: string): ResourceDefinition {
  return resources.find(({ body }) => body.kind === kind)!;
}

function name(chance: Chance): string {
  return chance.isHit(0.8) ? chance.pick(JOB_NAMES) : chance.pick(OTHER_NAMES);
}

function item(chance: Chance): string {
  return `${collection(chance)}/${name(chance)}`;
}

function job(chance: Chance): string {
  return `${group(definitionOf("Job"))}/namespaces/${chance.pick(NAMESPACES)}/jobs/${chance.pick(JOB_NAMES)}`;
}

function accept(chance: Chance): Record<string, string> {
  return {
    accept: chance.pick([
      "application/json",
      "application/json;as=Table;v=v1;g=meta.k8s.io",
      "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
      "application/yaml",
      "text/html",
    ]),
  };
}

function join(query: string, more: string): string {
  return query === "" ? `?${more}` : `${query}&${more}`;
}

const LABEL_SELECTORS = [
  "job-name",
  "!a",
  "a in (b,c),d notin (e)",
  "batch.kubernetes.io/job-name=job-1",
  "a=b,",
  "a>1",
];

function listQuery(chance: Chance): string {
  const parts: string[] = [];
  if (chance.isHit(0.3)) parts.push(`limit=${chance.pick(["1", "2", "500", "0", "-1", "99999999999999999999"])}`);
  if (chance.isHit(0.3))
    parts.push(`resourceVersion=${chance.pick(["0", "1", String(chance.integer(1, 2_000)), "9".repeat(30), "x"])}`);
  if (chance.isHit(0.2)) {
    const token = { v: "meta.k8s.io/v1", rv: chance.integer(-1, 2_000), start: `/${name(chance)}` };
    parts.push(`continue=${Buffer.from(JSON.stringify(token)).toString("base64url")}`);
  }
  if (chance.isHit(0.2)) parts.push(`labelSelector=${encodeURIComponent(chance.pick(LABEL_SELECTORS))}`);
  if (chance.isHit(0.2)) {
    const selectors = [`metadata.name=${name(chance)}`, "status.phase!=Running", "status.successful=1", "a\\,b=c"];
    parts.push(`fieldSelector=${encodeURIComponent(chance.pick(selectors))}`);
  }
  if (chance.isHit(0.1))
    parts.push(`sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`);
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

function create(chance: Chance, metadata: JsonObject): Parts {
  const definition = anyResource(chance);
  return request(
    "POST",
    `${collectionOf(definition, chance)}${chance.pick(["", "?fieldValidation=Strict", "?dryRun=All"])}`,
    { body: JSON.stringify(soundObject(definition, metadata, chance)) },
  );
}

const TEMPLATE: JsonObject = {
  spec: {
    restartPolicy: "Never",
    containers: [
      {
        name: "main",
        image: "none",
        command: ["true"],
        env: [{ name: "A", value: "1" }],
        resources: { limits: { cpu: "1", memory: "1Gi" } },
      },
    ],
  },
};

/** An object that its kind takes. */
function soundObject({ body }: ResourceDefinition, metadata: JsonObject, chance: Chance): JsonObject {
  const head = { apiVersion: body.apiVersion, kind: body.kind, metadata: { labels: { made: "here" }, ...metadata } };
  switch (body.kind) {
    case "Job":
      return {
        ...head,
        spec: {
          parallelism: chance.integer(0, 3),
          completions: chance.integer(1, 5),
          backoffLimit: 1,
          suspend: chance.isHit(0.5),
          template: TEMPLATE,
        },
      };
    case "Pod":
      return { ...head, ...(TEMPLATE["spec"] && { spec: TEMPLATE["spec"] }) };
    case "ConfigMap":
      return { ...head, data: { a: "b" } };
    case "Lease":
      return { ...head, spec: { holderIdentity: "me", leaseDurationSeconds: 15 } };
    case "Event":
      return {
        ...head,
        involvedObject: { kind: "Job", name: "job-1", namespace: "default" },
        reason: "Fuzzed",
        message: "m",
        type: "Normal",
      };
    default:
      return head;
  }
}

function wideObject(chance: Chance, index: number): Parts {
  const definition = anyResource(chance);
  const isNew = chance.isHit(0.7);
  const sound = soundObject(definition, { name: isNew ? `w${index}` : chance.pick(JOB_NAMES) }, chance);
  const body = JSON.stringify(widened(sound, definition.body.type, chance));
  const path = collectionOf(definition, chance);
  if (isNew) return request("POST", path, { body });
  return request(
    chance.isHit(0.5) ? "PUT" : "PATCH",
    `${path}/${chance.pick(JOB_NAMES)}${chance.isHit(0.2) ? "/status" : ""}`,
    { body, type: chance.pick(PATCH_TYPES.slice(1)) },
  );
}

function mutatedObject(chance: Chance): Parts {
  const object = chance.pick(objects);
  const definition = definitionOf(String(object["kind"])) ?? definitionOf("Job");
  const body = mutated(JSON.stringify(object), drawMutations(chance));
  const path = collectionOf(definition, chance);
  const method = chance.pick(["POST", "PUT", "PATCH"] as const);
  return request(method, method === "POST" ? path : `${path}/${chance.pick(JOB_NAMES)}`, {
    body,
    type: method === "PATCH" ? chance.pick(PATCH_TYPES) : chance.pick(["application/json", "application/yaml", "x"]),
  });
}

const LOG_QUERIES = [
  "",
  "follow=1",
  "tailLines=999999999",
  "limitBytes=1",
  "sinceTime=2026-01-01T00:00:00Z",
  `sinceTime=${"9".repeat(5_000)}`,
];

function subresource(chance: Chance, index: number): Parts {
  const pods = collectionOf(definitionOf("Pod"), chance);
  return chance.pick<() => Parts>([
    () => request("GET", `${pods}/${name(chance)}/log?${chance.pick(LOG_QUERIES)}`),
    () =>
      request("POST", `${pods}/${name(chance)}/binding`, {
        body: JSON.stringify({ metadata: { name: name(chance) }, target: { name: "stint" } }),
      }),
    () =>
      request("POST", `${pods}/${name(chance)}/eviction`, {
        body: JSON.stringify({ apiVersion: "policy/v1", metadata: { name: name(chance) } }),
      }),
    () =>
      request("PUT", `${job(chance)}/status`, {
        body: JSON.stringify({
          metadata: { name: "job-1" },
          status: {
            succeeded: index,
            completedIndexes: Array.from({ length: chance.pick([1, 1_000, 100_000]) }, (_, n) => 2 * n).join(),
          },
        }),
      }),
    () =>
      request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        body: JSON.stringify({ spec: { resourceAttributes: { verb: "get" } } }),
      }),
  ])();
}

/** What patches point at: what is there, what lists are, what a patch itself has made. */
const POINTERS = [
  "/metadata/labels",
  "/metadata/annotations",
  "/spec/template/spec/containers/0/env",
  "/spec/template/spec/containers/0",
  "/spec",
  "/status",
  "/x",
  "/x/a",
  "/x/a/a",
  "/x/0",
  "/x/-",
  "/x/-1",
  "",
  "/",
  "/metadata/labels/a~1b",
  "/y",
] as const;

function jsonPatch(chance: Chance): Parts {
  const attempt = chance.pick([
    randomOperations,
    randomOperations,
    nestedCopies,
    manyOnOne,
    chance.isHit(0.5) ? manyOnOne : nestedCopies,
    deepPaths,
  ]);
  return request("PATCH", job(chance), { body: JSON.stringify(attempt(chance)), type: PATCH_TYPES[0] });
}

function randomOperations(chance: Chance): Json {
  return Array.from({ length: chance.pick([1, 3, 10, 100]) }, () => ({
    op: chance.pick(["add", "add", "add", "copy", "move", "remove", "replace", "test"]),
    path: chance.pick(POINTERS),
    from: chance.pick(POINTERS),
    value: chance.pick<Json>([{}, [], { a: {} }, 1, "s", null, [1, 2, 3], { a: { a: [] } }]),
  }));
}

function nestedCopies(chance: Chance): Json {
  const doublings = Array.from({ length: chance.integer(2, 40) }, (_, n) => ({
    op: "copy",
    from: "/x",
    path: chance.isHit(0.9) ? `/x/c${n}` : `/y${n}`,
  }));
  return [{ op: "add", path: "/x", value: { s: "x".repeat(chance.pick([1, 100, 10_000])) } }, ...doublings];
}

/** Thousands of operations on one large list or object. */
function manyOnOne(chance: Chance): Json {
  const size = chance.pick([100, 10_000, 100_000]);
  const isList = chance.isHit(0.5);
  const value: Json = isList
    ? Array.from({ length: size }, () => 0)
    : Object.fromEntries(Array.from({ length: size }, (_, n) => [`k${n}`, 0]));
  const [op, place] = chance.pick([
    ["add", "0"],
    ["add", "-"],
    ["remove", "0"],
    ["replace", "0"],
    ["test", "0"],
    ["add", "n"],
  ] as const);
  return [
    { op: "add", path: "/x", value },
    ...Array.from({ length: chance.pick([10, 1_000, 9_999]) }, (_, n) => ({
      op,
      path: `/x/${isList ? place : `k${n}`}`,
      value: 0,
    })),
  ];
}

function deepPaths(chance: Chance): Json {
  return [
    { op: "add", path: "/x", value: {} },
    ...Array.from({ length: chance.pick([10, 300, 1_200]) }, (_, n) => ({
      op: "add",
      path: `/x${"/a".repeat(n + 1)}`,
      value: {},
    })),
  ];
}

const DIRECTIVES: readonly ((size: number) => JsonObject)[] = [
  (size) => ({ metadata: { finalizers: texts(size) } }),
  (size) => ({ metadata: { "$deleteFromPrimitiveList/finalizers": texts(size), finalizers: texts(size) } }),
  (size) => ({ metadata: { "$setElementOrder/finalizers": texts(size), finalizers: texts(size).toReversed() } }),
  (size) => ({
    metadata: { labels: { $retainKeys: texts(size), ...Object.fromEntries(texts(size).map((text) => [text, "v"])) } },
  }),
  (size) => ({ metadata: { ownerReferences: keyed(size, "uid") } }),
  (size) => ({ metadata: { ownerReferences: keyed(size, "uid").map((owner) => ({ ...owner, $patch: "delete" })) } }),
  (size) => ({ spec: { template: { spec: { containers: keyed(size, "name") } } } }),
  (size) => ({ spec: { template: { spec: { containers: [{ name: "main", env: keyed(size, "name") }] } } } }),
  (size) => ({
    spec: {
      template: {
        spec: { "$setElementOrder/volumes": keyed(size, "name"), volumes: keyed(size, "name").toReversed() },
      },
    },
  }),
  (size) => ({ status: { conditions: keyed(size, "type") } }),
];

function texts(size: number): string[] {
  return Array.from({ length: size }, (_, n) => `stint.dev/f${n}`);
}

function keyed(size: number, key: string): JsonObject[] {
  return Array.from({ length: size }, (_, n) => ({ [key]: `k${n}` }));
}

function mergePatch(chance: Chance): Parts {
  const body = chance.pick(DIRECTIVES)(chance.pick([1, 30, 1_000, 10_000, 60_000]));
  return request("PATCH", `${job(chance)}${chance.isHit(0.2) ? "/status" : ""}`, {
    body: JSON.stringify(body),
    type: chance.pick(PATCH_TYPES.slice(1)),
  });
}

function nestedBody(chance: Chance): Parts {
  const depth = chance.pick([10, 900, 990, 5_000, 100_000]);
  const [open, close] = chance.pick([
    ['{"a":', "}"],
    ["[", "]"],
    ['[{"a":', "}]"],
  ] as const);
  const body = `{"metadata":{"name":"n"},"x":${open.repeat(depth)}1${close.repeat(chance.isHit(0.8) ? depth : depth - 1)}}`;
  return chance.isHit(0.5)
    ? request("POST", collection(chance), { body })
    : request("PATCH", job(chance), { body, type: chance.pick(PATCH_TYPES) });
}

/** Unknown and repeated members, each of which is a warning or an error. */
function oddMembers(chance: Chance): Parts {
  const count = chance.pick([3, 300, 30_000]);
  const key = "k".repeat(chance.pick([1, 100, 100_000]));
  const members = chance.pick([
    (n: number) => `"${key.slice(0, 1_000_000 / count)}${n}":1`,
    () => `"data":{"a":"1","a":"2"}`,
    () => `"a":1`,
  ]);
  const many = Array.from({ length: count }, (_, n) => members(n)).join();
  const body = `{"metadata":{"name":"odd"},${chance.isHit(0.5) ? many : `"${key}":{${many}}`}}`;
  return request(
    "POST",
    `${collection(chance)}${chance.pick(["", "?fieldValidation=Strict", "?fieldValidation=Ignore"])}`,
    { body },
  );
}

function long(chance: Chance, pieces: readonly string[]): string {
  return chance
    .pick(pieces)
    .repeat(chance.pick([1, 30, 1_000]))
    .slice(0, 15_000);
}

function longSelector(chance: Chance): string {
  return chance.isHit(0.7)
    ? `labelSelector=${encodeURI(long(chance, ["!a,", "a,", "a=b,", "a in (b,c),", "a notin (", "((((", "a", " ", "a>1,", "!"]))}`
    : `fieldSelector=${encodeURI(long(chance, ["metadata.name=a,", "metadata.name!=a,", "\\\\,", "=", ",", "a"]))}`;
}

function oddPath(chance: Chance): Parts {
  const path = chance.pick([
    "/",
    "/api",
    "/apis",
    "/api/v1",
    "/apis/batch/v1",
    "/openapi/v3",
    "/openapi/v3/apis/batch/v1",
    "/version",
    "/readyz",
    "/metrics",
    "/debug/jobs/default/job-1",
    "/debug/jobs/busy/none",
    long(chance, ["/", "/a", "/%2f", "/..", "%", "/api/v1/namespaces"]),
  ]);
  return request(
    chance.pick(["GET", "GET", "GET", "POST", "DELETE"] as const),
    path.startsWith("/") ? path : `/${path}`,
    { headers: accept(chance) },
  );
}

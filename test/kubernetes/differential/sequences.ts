/** Sequences of requests, several for each kind and each in a separate namespace: one for each part of the API. */
import type { Json, JsonObject } from "../../../cluster/index.ts";
import { type Ask, PROTOBUF } from "./ask.ts";
import { KINDS, objectOf, type TriedKind } from "./kinds.ts";
import type { Sequence } from "./play.ts";
import { SERVED_KINDS } from "./served-kinds/served-kinds.ts";

const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const JSON_PATCH = "application/json-patch+json";
const APPLY = "application/apply-patch+yaml";
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const METADATA = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const METADATA_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const YAML = "application/yaml";
/** A watch ends after a second. */
const WATCH = "watch=1&timeoutSeconds=1";

const get = (path: string, accept?: string): Ask => ({ method: "GET", path, ...(accept !== undefined && { accept }) });
const post = (path: string, body: Json, type?: string): Ask => ({
  method: "POST",
  path,
  body,
  ...(type !== undefined && { type }),
});
const put = (path: string, body: Json): Ask => ({ method: "PUT", path, body });
const patch = (type: string, path: string, body: Json): Ask => ({ method: "PATCH", path, body, type });
const merge = (path: string, body: Json): Ask => patch(MERGE, path, body);
const remove = (path: string, body?: Json): Ask => ({ method: "DELETE", path, ...(body !== undefined && { body }) });

/** Paths and objects of a kind. */
class Of {
  readonly tried: TriedKind;
  readonly collection: string;

  constructor(tried: TriedKind) {
    this.tried = tried;
    this.collection = tried.collection;
  }

  name(short: string): string {
    return this.tried.isOfCluster ? `<ns>-${short}` : short;
  }

  path(short: string): string {
    return `${this.collection}/${this.name(short)}`;
  }

  object(short: string, rest?: JsonObject): JsonObject {
    return objectOf(this.tried, this.name(short), rest);
  }

  create(short: string, rest?: JsonObject): Ask {
    return post(this.collection, this.object(short, rest));
  }

  /** The collection without what other sequences have in it. */
  get list(): string {
    return this.tried.isOfCluster ? `${this.collection}?labelSelector=of=<ns>&` : `${this.collection}?`;
  }

  /** The same with a label selector. */
  selected(selector: string): string {
    return `${this.collection}?labelSelector=${this.tried.isOfCluster ? "of%3D<ns>%2C" : ""}${encodeURIComponent(selector)}`;
  }

  /** An object that `list` finds. */
  createListed(short: string, labels: JsonObject = {}): Ask {
    return this.create(short, { metadata: { labels: { of: "<ns>", ...labels } } });
  }
}

const parts: Readonly<Record<string, (of: Of) => readonly Ask[]>> = {
  "what is not there": (of) => [
    get(of.path("a")),
    remove(of.path("a")),
    put(of.path("a"), of.object("a")),
    merge(of.path("b"), {}),
    patch(JSON_PATCH, of.path("b"), []),
    patch(APPLY, `${of.path("c")}?fieldManager=me`, {
      apiVersion: of.tried.apiVersion,
      kind: of.tried.kind,
      metadata: { name: of.name("c") },
    }),
    get(`${of.path("b")}/status`),
    get(`${of.path("b")}/scale`),
    get(`${of.path("b")}/nothing`),
    get(`${of.path("b")}/status/more`),
    get(of.list.replace("?", "/?")),
    get(`${of.collection.replace("v1", "v9")}`),
    get(`${of.collection}x`),
    get(of.path("b"), TABLE),
    get(of.path("b"), PROTOBUF),
    get(of.path("b"), YAML),
    get(`${of.path("b")}?pretty=true`),
    get(of.path("UPPER")),
    get(of.path("%zz")),
    get(of.path("a%2Fb")),
  ],
  "creations": (of) => [
    post(`${of.collection}?dryRun=All`, of.object("a")),
    post(`${of.collection}?dryRun=Some`, of.object("a")),
    post(`${of.collection}?dryRun=`, of.object("d")),
    get(of.path("a")),
    of.create("a"),
    of.create("a"),
    post(`${of.collection}?dryRun=All`, of.object("a")),
    post(of.collection, { ...of.object("b"), kind: "Binding" }),
    post(of.collection, { ...of.object("b"), kind: "Odd" }),
    post(of.collection, { ...of.object("b"), apiVersion: "v2" }),
    post(of.collection, { ...of.object("b"), apiVersion: "apps/v1" }),
    post(of.collection, { ...of.object("b"), apiVersion: 1 }),
    post(of.collection, { ...of.object("b"), kind: null }),
    of.create("b", { metadata: { namespace: "other" } }),
    of.create("", {}),
    post(of.collection, { ...of.object("b"), metadata: {} }),
    post(of.collection, { ...of.object("b"), metadata: null }),
    post(of.collection, { ...of.object("b"), metadata: "odd" }),
    post(of.collection, { ...of.object("b"), metadata: { name: 5 } }),
    of.create("Bad_Name"),
    of.create("x".repeat(254)),
    of.create(".."),
    of.create("a%b"),
    of.create("uid", {
      metadata: { uid: "mine", selfLink: "/x", creationTimestamp: "2020-01-01T00:00:00Z", generation: 9 },
    }),
    of.create("rv", { metadata: { resourceVersion: "5" } }),
    of.create("rv0", { metadata: { resourceVersion: "0" } }),
    of.create("deleting", { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 } }),
    post(of.collection, { ...of.object("b"), metadata: { generateName: "gen-" } }),
    post(`${of.collection}?dryRun=All`, { ...of.object("b"), metadata: { generateName: "Bad_" } }),
    of.create("labels", { metadata: { labels: { "bad key": "x" } } }),
    of.create("labels", { metadata: { labels: { a: "bad value!" } } }),
    of.create("labels", { metadata: { labels: { "/x": "" } } }),
    of.create("labels", { metadata: { labels: { "": "y" } } }),
    of.create("annotations", { metadata: { annotations: { "bad key": "x", "ok": "any value!" } } }),
    of.create("finalizers", { metadata: { finalizers: ["bad", "a/b", "a b/c", "orphan", "foregroundDeletion"] } }),
    of.create("owners", {
      metadata: {
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true },
          { apiVersion: "v1", kind: "Pod", name: "q", uid: "v", controller: true },
          { apiVersion: "", kind: "", name: "", uid: "" },
        ],
      },
    }),
    of.create("owned", {
      metadata: {
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }],
        labels: {},
        annotations: {},
      },
    }),
    of.create("managers", { metadata: { managedFields: [{ manager: "me", operation: "Odd" }] } }),
    of.create("managed", { metadata: { managedFields: [] } }),
    post(of.path("a"), of.object("a")),
    post(`${of.collection}?fieldManager=${"x".repeat(129)}`, of.object("m")),
    post(`${of.collection}?fieldManager=%07`, of.object("m")),
    post(`${of.collection}?fieldManager=me&fieldManager=you`, of.object("m")),
    ...of.tried.others.map((other) =>
      post(`${of.collection}?dryRun=All`, {
        apiVersion: of.tried.apiVersion,
        kind: of.tried.kind,
        metadata: { name: of.name("other") },
        ...other,
      }),
    ),
  ],
  "bodies": (of) => {
    const text = JSON.stringify(of.object("a"));
    const unknown = { ...of.object("a"), odd: 1, metadata: { name: of.name("a"), odder: 2 } };
    const doubled = text.replace('"kind"', `"kind":"${of.tried.kind}","kind"`).replace('"name"', '"name":"x","name"');
    const dry = `${of.collection}?dryRun=All`;
    return [
      ...["", "Ignore", "Warn", "Strict", "Odd", "strict"].map((level) =>
        post(`${dry}&fieldValidation=${level}`, unknown),
      ),
      post(dry, unknown),
      ...["Ignore", "Warn", "Strict"].map((level) => post(`${dry}&fieldValidation=${level}`, doubled)),
      post(dry, text.slice(0, -1)),
      post(dry, `${text} x`),
      post(dry, `${text}${text}`),
      post(dry, `\ufeff${text}`),
      post(dry, ` \n${text}\n `),
      post(dry, ""),
      post(dry, " "),
      post(dry, "[]"),
      post(dry, "null"),
      post(dry, '"text"'),
      post(dry, "5"),
      post(dry, "{}"),
      post(dry, "{"),
      post(dry, `{"metadata":{"name":"a","labels":{"a":"\\ud800"}}}`),
      post(dry, `{"metadata":{"name":"a","labels":[]}}`),
      post(dry, `{"metadata":{"name":"a","labels":{"a":1}}}`),
      post(dry, `{"metadata":{"name":"a","labels":{"a":null,"b":{}}}}`),
      post(dry, `{"metadata":{"name":"a","finalizers":"x"}}`),
      post(dry, `{"metadata":{"name":"a","generation":"x"}}`),
      post(dry, `{"metadata":{"name":"a","generation":1.5}}`),
      post(dry, `{"metadata":{"name":"a","generation":9223372036854775808}}`),
      post(dry, `{"metadata":{"name":"a","creationTimestamp":"odd"}}`),
      post(dry, `{"metadata":{"name":"a","creationTimestamp":5}}`),
      post(dry, `{"Metadata":{"Name":"a"}}`),
      post(dry, text, ""),
      post(dry, text, "application/json; charset=utf-8"),
      post(dry, text, "text/plain"),
      post(dry, text, "application/x-www-form-urlencoded"),
      post(dry, text, "odd"),
      post(dry, text, MERGE),
      post(dry, of.object("a"), PROTOBUF),
      post(dry, text, PROTOBUF),
      { ...post(dry, text), accept: YAML },
      { ...post(dry, text), accept: TABLE },
      { ...post(dry, text), accept: METADATA },
      { ...post(dry, text), accept: PROTOBUF },
      { ...post(dry, text), accept: "text/html" },
      { ...post(dry, text), accept: "" },
      post(`${dry}&pretty=true`, text),
      post(`${dry}&odd=query&dryRun=All`, text),
    ];
  },
  "bodies in YAML": (of) => {
    const dry = `${of.collection}?dryRun=All`;
    const head = `apiVersion: ${of.tried.apiVersion}\nkind: ${of.tried.kind}\nmetadata:\n  name: ${of.name("z")}\n`;
    const doubled = `${head}  labels:\n    a: "1"\n    a: "2"\n`;
    return [
      post(dry, head, YAML),
      post(dry, JSON.stringify(of.object("z")), YAML),
      post(dry, "a: [", YAML),
      post(dry, "", YAML),
      post(dry, "[]", YAML),
      post(dry, `${head}odd: 1\n`, YAML),
      post(`${dry}&fieldValidation=Strict`, `${head}odd: 1\n`, YAML),
      ...["", "Ignore", "Warn", "Strict"].map((level) => post(`${dry}&fieldValidation=${level}`, doubled, YAML)),
      { ...post(dry, doubled, YAML), accept: YAML },
      { ...put(of.path("z"), head), type: YAML },
    ];
  },
  "forms": (of) => [
    of.createListed("a", { x: "y" }),
    ...[
      TABLE,
      METADATA,
      METADATA_LIST,
      YAML,
      PROTOBUF,
      "text/html",
      "*/*",
      "application/*",
      "",
      "application/json;q=0.1, */*",
    ].map((accept) => get(of.path("a"), accept)),
    get(of.path("a"), TABLE.replace("v=v1", "v=v1beta1")),
    get(of.path("a"), TABLE.replace("v=v1", "v=v9")),
    get(of.path("a"), "application/json;as=Odd;v=v1;g=meta.k8s.io"),
    get(of.path("a"), `${TABLE},application/json`),
    get(of.path("a"), `text/html,${METADATA}`),
    get(of.path("a"), "application/json;stream=watch"),
    get(of.path("a"), "application/json;charset=utf-8"),
    get(of.path("a"), `${PROTOBUF};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`),
    get(`${of.path("a")}?includeObject=Object`, TABLE),
    get(`${of.path("a")}?includeObject=None`, TABLE),
    get(`${of.path("a")}?includeObject=Odd`, TABLE),
    get(`${of.path("a")}?pretty=true`),
    get(`${of.path("a")}?pretty=0`),
    get(`${of.path("a")}?pretty=odd`),
    get(`${of.path("a")}?resourceVersion=0`),
    get(`${of.path("a")}?resourceVersion=<rv:${of.name("a")}>`),
    get(`${of.path("a")}?resourceVersion=odd`),
    get(`${of.path("a")}?odd=1&export=true&limit=odd`),
    get(`${of.path("a")}/`),
    get(`${of.path("a")}/status`),
  ],
  "updates": (of) => [
    of.createListed("a"),
    put(of.path("a"), of.object("a")),
    put(of.path("a"), of.object("a")),
    put(
      of.path("a"),
      of.object("a", { metadata: { resourceVersion: `<rv0:${of.name("a")}>`, labels: { of: "<ns>", stale: "1" } } }),
    ),
    put(
      of.path("a"),
      of.object("a", { metadata: { resourceVersion: `<rv:${of.name("a")}>`, labels: { of: "<ns>", fresh: "1" } } }),
    ),
    put(
      of.path("a"),
      of.object("a", { metadata: { resourceVersion: `<rv:${of.name("a")}>`, labels: { of: "<ns>", fresh: "1" } } }),
    ),
    put(of.path("a"), of.object("a", { metadata: { resourceVersion: "0" } })),
    put(of.path("a"), of.object("a", { metadata: { resourceVersion: "odd" } })),
    put(of.path("a"), of.object("a", { metadata: { resourceVersion: "999999999" } })),
    put(of.path("a"), of.object("a", { metadata: { uid: "11111111-1111-1111-1111-111111111111" } })),
    put(of.path("a"), of.object("a", { metadata: { uid: `<uid:${of.name("a")}>` } })),
    put(of.path("a"), of.object("b")),
    put(of.path("a"), { ...of.object("a"), metadata: {} }),
    put(of.path("a"), of.object("a", { metadata: { namespace: "other" } })),
    put(`${of.path("a")}?dryRun=All`, of.object("a", { metadata: { labels: { dry: "1" } } })),
    put(`${of.path("a")}?fieldValidation=Strict`, { ...of.object("a"), odd: 1 }),
    put(`${of.path("a")}?dryRun=Odd&fieldManager=%01`, of.object("a")),
    put(of.path("a"), "{"),
    put(of.path("a"), ""),
    put(
      of.path("a"),
      of.object("a", {
        metadata: {
          resourceVersion: `<rv:${of.name("a")}>`,
          generation: 99,
          creationTimestamp: "2020-01-01T00:00:00Z",
        },
      }),
    ),
    put(
      of.path("a"),
      of.object("a", {
        metadata: { resourceVersion: `<rv:${of.name("a")}>`, finalizers: ["x/y"], labels: { of: "<ns>" } },
      }),
    ),
    put(
      of.path("a"),
      of.object("a", {
        metadata: { resourceVersion: `<rv:${of.name("a")}>`, deletionTimestamp: "2020-01-01T00:00:00Z" },
      }),
    ),
    put(`${of.path("a")}/status`, of.object("a", { metadata: { labels: { by: "status" } } })),
    get(of.path("a")),
  ],
  "changes": (of) => [
    of.create("a", { metadata: { labels: { of: "<ns>" } } }),
    ...of.tried.changes.flatMap((change) => [merge(`${of.path("a")}?dryRun=All`, change), merge(of.path("a"), change)]),
    get(of.path("a")),
    ...(of.tried.statusChanges ?? []).map((change) => merge(`${of.path("a")}/status`, change)),
    get(of.path("a")),
    get(`${of.path("a")}/status`, TABLE),
    get(of.path("a"), TABLE),
  ],
  "changes without labels": (of) => [
    of.create("a"),
    ...of.tried.changes.map((change) => patch(STRATEGIC, of.path("a"), change)),
    get(of.path("a")),
    ...(of.tried.statusChanges ?? []).map((change) => patch(STRATEGIC, `${of.path("a")}/status`, change)),
    get(of.path("a")),
  ],
  "patches": (of) => {
    const a = of.path("a");
    const labels = (values: JsonObject | null): JsonObject => ({ metadata: { labels: values } });
    return [
      of.createListed("a", { x: "y" }),
      ...[MERGE, STRATEGIC].flatMap((type) => [
        patch(type, a, labels({ p: "1" })),
        patch(type, a, labels({ p: "1" })),
        patch(type, a, labels({ p: null })),
        patch(type, a, {}),
        patch(type, a, ""),
        patch(type, a, "{"),
        patch(type, a, "[]"),
        patch(type, a, "null"),
        patch(type, a, '"x"'),
        patch(type, a, labels({ p: 5 })),
        patch(type, a, { metadata: [] }),
        patch(type, a, { metadata: null }),
        patch(type, a, { metadata: { name: "other" } }),
        patch(type, a, { metadata: { namespace: "other" } }),
        patch(type, a, { metadata: { uid: "other" } }),
        patch(type, a, { metadata: { resourceVersion: "1" } }),
        patch(type, a, {
          metadata: { resourceVersion: `<rv:${of.name("a")}>`, annotations: { [type.slice(12, 15)]: "1" } },
        }),
        patch(type, a, { metadata: { resourceVersion: null, annotations: { n: "1" } } }),
        patch(type, a, { metadata: { creationTimestamp: null, generation: 50 } }),
        patch(type, a, { metadata: { finalizers: ["x/y"] } }),
        patch(type, a, { metadata: { finalizers: null } }),
        patch(type, a, { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] } }),
        patch(type, a, { metadata: { ownerReferences: [{ uid: "u", $patch: "delete" }] } }),
        patch(type, a, { kind: "Other" }),
        patch(type, a, { apiVersion: "v9" }),
        patch(type, a, { odd: 1 }),
        patch(type, `${a}?fieldValidation=Strict`, { odd: 1 }),
        patch(type, `${a}?fieldValidation=Ignore`, { odd: 1 }),
        patch(type, `${a}?fieldValidation=Strict`, '{"metadata":{"labels":{"d":"1","d":"2"}}}'),
        patch(type, `${a}?dryRun=All`, labels({ dry: "1" })),
        patch(type, `${a}?force=true`, labels({})),
        patch(type, `${a}?fieldManager=me`, labels({ m: "1" })),
        patch(type, a, labels({ "bad key": "x" })),
      ]),
      patch(STRATEGIC, a, { metadata: { labels: { $patch: "replace", only: "1", of: "<ns>" } } }),
      patch(STRATEGIC, a, { metadata: { labels: { $patch: "delete" } } }),
      patch(STRATEGIC, a, { metadata: { $patch: "odd" } }),
      patch(STRATEGIC, a, { $patch: "replace" }),
      patch(STRATEGIC, a, { metadata: { $retainKeys: ["name"] } }),
      patch(STRATEGIC, a, { metadata: { "$deleteFromPrimitiveList/finalizers": ["x/y"] } }),
      patch(STRATEGIC, a, { metadata: { "$setElementOrder/finalizers": ["x/y"], "finalizers": ["x/y"] } }),
      patch(STRATEGIC, a, { metadata: { finalizers: "x" } }),
      patch(STRATEGIC, a, { metadata: { finalizers: [] } }),
      patch(STRATEGIC, a, { metadata: { ownerReferences: [{ name: "p" }] } }),
      merge(a, { metadata: { finalizers: null } }),
    ];
  },
  "JSON patches": (of) => {
    const a = of.path("a");
    const json = (...operations: Json[]): Ask => patch(JSON_PATCH, a, operations);
    return [
      of.createListed("a", { x: "y" }),
      json({ op: "add", path: "/metadata/labels/p", value: "1" }),
      json(
        { op: "replace", path: "/metadata/labels/p", value: "2" },
        { op: "test", path: "/metadata/labels/p", value: "2" },
      ),
      json({ op: "test", path: "/metadata/labels/p", value: "3" }),
      json({ op: "test", path: "/metadata/labels/none", value: null }),
      json({ op: "remove", path: "/metadata/labels/p" }),
      json({ op: "remove", path: "/metadata/labels/p" }),
      json({ op: "replace", path: "/metadata/labels/none", value: "1" }),
      json({ op: "replace", path: "/none/labels/none", value: "1" }),
      json({ op: "add", path: "/metadata/none/none", value: "1" }),
      json({ op: "add", path: "/metadata/annotations", value: { a: "1" } }),
      json({ op: "copy", from: "/metadata/labels/x", path: "/metadata/annotations/b" }),
      json({ op: "move", from: "/metadata/annotations/b", path: "/metadata/annotations/a~1c" }),
      json({ op: "move", from: "/metadata/annotations/none", path: "/metadata/annotations/z" }),
      json({ op: "copy", from: "/none", path: "/metadata/annotations/z" }),
      json({ op: "odd", path: "/metadata" }),
      json({ path: "/metadata/labels/p", value: "1" }),
      json({ op: "add" }),
      json({ op: "add", path: "" }),
      json({ op: "add", path: "metadata", value: 1 }),
      json({ op: "add", path: "/metadata/labels/p" }),
      json({ op: "add", path: 5, value: 1 }),
      json({ op: "replace", path: "", value: {} }),
      json({ op: "remove", path: "" }),
      json({ op: "add", path: "/metadata/finalizers", value: ["x/a"] }),
      json({ op: "add", path: "/metadata/finalizers/-", value: "x/b" }),
      json({ op: "add", path: "/metadata/finalizers/0", value: "x/c" }),
      json({ op: "add", path: "/metadata/finalizers/9", value: "x/d" }),
      json({ op: "add", path: "/metadata/finalizers/-1", value: "x/d" }),
      json({ op: "remove", path: "/metadata/finalizers/-1" }),
      json({ op: "remove", path: "/metadata/finalizers/odd" }),
      json({ op: "replace", path: "/metadata/finalizers/5", value: "x" }),
      json(
        { op: "test", path: "/metadata/finalizers/0", value: "x/c" },
        { op: "remove", path: "/metadata/finalizers/0" },
      ),
      json({ op: "remove", path: "/metadata/finalizers" }),
      json({ op: "replace", path: "/metadata/name", value: "other" }),
      json({ op: "replace", path: "/metadata/uid", value: "other" }),
      json({ op: "replace", path: "/metadata/resourceVersion", value: "1" }),
      json({ op: "replace", path: "/kind", value: "Odd" }),
      json({ op: "add", path: "/metadata/labels/n", value: 5 }),
      json({ op: "add", path: "/odd", value: 5 }),
      json(5),
      json(),
      patch(JSON_PATCH, a, {}),
      patch(JSON_PATCH, a, ""),
      patch(JSON_PATCH, a, "["),
      patch(JSON_PATCH, a, "null"),
      patch(JSON_PATCH, `${a}?dryRun=All`, [{ op: "add", path: "/metadata/labels/dry", value: "1" }]),
      patch("application/odd", a, {}),
      patch("application/json", a, {}),
      patch("", a, {}),
      patch(`${MERGE}; charset=utf-8`, a, {}),
      patch(PROTOBUF, a, "k8s"),
    ];
  },
  "applies": (of) => {
    const head = { apiVersion: of.tried.apiVersion, kind: of.tried.kind };
    const body = (metadata: JsonObject): JsonObject => ({
      ...of.object("a"),
      ...head,
      metadata: { name: of.name("a"), ...metadata },
    });
    const a = of.path("a");
    return [
      patch(APPLY, a, body({})),
      patch(APPLY, `${a}?fieldManager=me`, body({ labels: { a: "1" } })),
      patch(APPLY, `${a}?fieldManager=me`, body({ labels: { a: "1" } })),
      patch(APPLY, `${a}?fieldManager=you`, body({ labels: { a: "2" } })),
      patch(APPLY, `${a}?fieldManager=you&force=true`, body({ labels: { a: "2" } })),
      patch(APPLY, `${a}?fieldManager=you&force=odd`, body({ labels: { a: "3" } })),
      patch(APPLY, `${a}?fieldManager=me&dryRun=All`, body({ labels: { b: "2" } })),
      patch(APPLY, `${a}?fieldManager=me`, { ...head }),
      patch(APPLY, `${a}?fieldManager=me`, { metadata: { name: of.name("a") } }),
      patch(APPLY, `${a}?fieldManager=me`, body({ name: "other" })),
      patch(APPLY, `${a}?fieldManager=me`, body({ resourceVersion: "1" })),
      patch(APPLY, `${a}?fieldManager=me`, body({ uid: "other" })),
      patch(APPLY, `${a}?fieldManager=me`, body({ managedFields: [{ manager: "x" }] })),
      patch(APPLY, `${a}?fieldManager=me`, ""),
      patch(APPLY, `${a}?fieldManager=me`, "5"),
      patch(APPLY, `${a}?fieldManager=me`, "[]"),
      patch(APPLY, `${a}?fieldManager=me`, { ...body({}), odd: 1 }),
      patch(APPLY, `${a}?fieldManager=me&fieldValidation=Ignore`, { ...body({}), odd: 1 }),
      patch(APPLY, `${a}?fieldManager=me`, { ...body({}), kind: "Odd" }),
      patch(APPLY, `${a}?fieldManager=me`, { ...body({}), apiVersion: "v9" }),
      patch(APPLY, `${a}/status?fieldManager=me`, body({ labels: { s: "1" } })),
      patch(APPLY, `${of.path("b")}?fieldManager=me`, { ...body({}), metadata: { name: of.name("b"), uid: "u" } }),
      get(a),
      remove(a),
    ];
  },
  "lists": (of) => [
    of.createListed("b", { x: "1" }),
    of.createListed("a", { x: "2", n: "5" }),
    of.createListed("c"),
    ...["", "limit=1", "limit=2", "limit=0", "limit=-1", "limit=odd", "limit=9"].map((query) => get(of.list + query)),
    get(`${of.list}limit=1`),
    get(`${of.list}limit=1&continue=<continue>`),
    get(`${of.list}continue=<continue>`),
    get(`${of.list}continue=<continue>&resourceVersion=5`),
    get(`${of.list}continue=<continue>&resourceVersion=0`),
    get(`${of.list}continue=<continue>&resourceVersion=<rv:list>&resourceVersionMatch=Exact`),
    ...[
      "odd",
      "e30",
      "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0",
      "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NX0",
      "bnVsbA",
    ].map((token) => get(`${of.list}limit=1&continue=${token}`)),
    ...[
      ["x=1"],
      ["x==1"],
      ["x!=1"],
      ["x"],
      ["!x"],
      ["x in (1,2)"],
      ["x notin (1)"],
      ["n>4"],
      ["n<4"],
      ["n>x"],
      ["x in ()"],
      ["x in 1"],
      ["x="],
      ["=1"],
      ["x=1,"],
      [",x"],
      ["x=1,n=5"],
      ["bad key"],
      ["x=bad!"],
      ["x y"],
      ["x==="],
      ["()"],
      ["a/b/c=1"],
    ].map(([selector]) => get(of.selected(selector!))),
    ...[
      `metadata.name=${of.name("a")}`,
      `metadata.name==${of.name("a")}`,
      `metadata.name!=${of.name("a")}`,
      "metadata.namespace=<ns>",
      "metadata.namespace!=<ns>",
      "odd=1",
      "metadata.name",
      "metadata.name=a=b",
      "metadata.name>a",
      ",",
      `metadata.name=${of.name("a")},metadata.name=${of.name("b")}`,
      "metadata.labels.x=1",
      "=",
      ...of.tried.fieldSelectors,
    ].map((selector) => get(`${of.list}fieldSelector=${encodeURIComponent(selector).replaceAll("%3Cns%3E", "<ns>")}`)),
    get(of.list, TABLE),
    get(`${of.list}includeObject=None`, TABLE),
    get(`${of.list}includeObject=Object`, TABLE),
    get(`${of.list}limit=1`, TABLE),
    get(of.list, METADATA_LIST),
    get(of.list, METADATA),
    get(of.list, YAML),
    get(of.list, PROTOBUF),
    get(of.list, "text/html"),
    get(`${of.list}pretty=1`),
    ...[
      "resourceVersion=0",
      "resourceVersion=<rv:list>",
      "resourceVersion=odd",
      "resourceVersion=-1",
      "resourceVersion=999999999",
      "resourceVersion=0&limit=1",
      "resourceVersion=<rv:b>&limit=1",
      "resourceVersionMatch=Exact",
      "resourceVersionMatch=NotOlderThan",
      "resourceVersionMatch=Odd",
      `resourceVersion=<rv:${of.name("a")}>&resourceVersionMatch=Exact`,
      `resourceVersion=<rv:${of.name("a")}>&resourceVersionMatch=NotOlderThan`,
      "resourceVersion=0&resourceVersionMatch=Exact",
      "resourceVersion=0&resourceVersionMatch=NotOlderThan",
      `resourceVersion=<rv:${of.name("b")}>&resourceVersionMatch=Odd`,
      "sendInitialEvents=true",
      "timeoutSeconds=odd",
      "timeoutSeconds=-1",
      "allowWatchBookmarks=odd",
      "watch=0",
      "watch=false",
      "odd=1",
    ].map((query) => get(of.list + query)),
  ],
  "deletions": (of) => [
    of.createListed("a"),
    remove(`${of.path("a")}?dryRun=All`),
    remove(`${of.path("a")}?dryRun=Odd`),
    remove(of.path("a"), { preconditions: { uid: "other" } }),
    remove(of.path("a"), { preconditions: { resourceVersion: "1" } }),
    remove(of.path("a"), { propagationPolicy: "Odd" }),
    remove(of.path("a"), { propagationPolicy: "Orphan", orphanDependents: true }),
    remove(of.path("a"), { kind: "Odd" }),
    remove(of.path("a"), { apiVersion: "v1", kind: "DeleteOptions", odd: 1, dryRun: ["All"] }),
    remove(of.path("a"), { gracePeriodSeconds: -1, dryRun: ["All"] }),
    remove(of.path("a"), { gracePeriodSeconds: "x" }),
    remove(of.path("a"), "{"),
    remove(of.path("a"), "[]"),
    remove(`${of.path("a")}?gracePeriodSeconds=odd`),
    remove(`${of.path("a")}?propagationPolicy=Odd`),
    remove(`${of.path("a")}?orphanDependents=odd&dryRun=All`),
    { method: "DELETE", path: of.path("a"), body: "{}", type: "text/plain" },
    { method: "DELETE", path: of.path("a"), body: "dryRun: [All]", type: YAML },
    {
      method: "DELETE",
      path: of.path("a"),
      body: { apiVersion: "v1", kind: "DeleteOptions", dryRun: ["All"] },
      type: PROTOBUF,
    },
    remove(of.path("a"), { preconditions: { uid: `<uid:${of.name("a")}>`, resourceVersion: `<rv:${of.name("a")}>` } }),
    get(of.path("a")),
    ...["Foreground", "Background", "Orphan"].flatMap((propagationPolicy) => [
      of.createListed(propagationPolicy.toLowerCase()),
      remove(of.path(propagationPolicy.toLowerCase()), { propagationPolicy }),
      get(of.path(propagationPolicy.toLowerCase())),
    ]),
    of.create("held", { metadata: { finalizers: ["x/y"], labels: { of: "<ns>" } } }),
    { ...remove(of.path("held")), accept: TABLE },
    remove(of.path("held")),
    remove(of.path("held"), { gracePeriodSeconds: 0 }),
    of.create("held"),
    merge(of.path("held"), { metadata: { finalizers: ["x/y", "x/z"] } }),
    merge(of.path("held"), { metadata: { labels: { z: "1" }, deletionTimestamp: null } }),
    merge(`${of.path("held")}?dryRun=All`, { metadata: { finalizers: null } }),
    merge(of.path("held"), { metadata: { finalizers: null } }),
    get(of.path("held")),
  ],
  "deletions of collections": (of) => [
    of.createListed("a", { x: "1" }),
    of.createListed("b", { x: "2" }),
    of.createListed("c", { x: "2" }),
    remove(`${of.list}dryRun=All`),
    remove(`${of.list}limit=1&dryRun=All`),
    remove(`${of.list}fieldSelector=odd%3D1`),
    remove(`${of.list}resourceVersion=odd`),
    remove(`${of.collection}?labelSelector=a%3D%3D%3D`),
    remove(`${of.list}fieldSelector=metadata.name%3D${of.name("b")}`),
    remove(of.list, { preconditions: { uid: "other" } }),
    remove(of.list, { kind: "Odd" }),
    remove(of.list, "{"),
    get(of.list),
    remove(of.list),
    get(of.list),
    remove(of.list),
    { ...remove(of.list), accept: TABLE },
    { ...remove(of.list), accept: METADATA_LIST },
  ],
  "methods": (of) => [
    of.createListed("a"),
    ...["PUT", "PATCH", "HEAD", "OPTIONS"].map((method) => ({ method, path: of.collection })),
    ...["POST", "HEAD", "OPTIONS"].map((method) => ({ method, path: of.path("a") })),
    ...["POST", "DELETE", "HEAD"].map((method) => ({ method, path: `${of.path("a")}/status` })),
    { method: "TRACE", path: of.path("a") },
    ...(of.tried.isOfCluster
      ? []
      : [
          { method: "POST", path: of.collection.replace("/namespaces/<ns>", ""), body: of.object("x") },
          { method: "DELETE", path: of.collection.replace("/namespaces/<ns>", "") },
          { method: "GET", path: of.path("a").replace("/namespaces/<ns>", "") },
          { method: "GET", path: `${of.collection.replace("/namespaces/<ns>", "")}?labelSelector=of%3D<ns>` },
          { method: "GET", path: of.collection.replace("<ns>", "none-such") },
          {
            method: "POST",
            path: of.collection.replace("<ns>", "none-such"),
            body: { ...of.object("x"), metadata: { name: "x" } },
          },
          { method: "GET", path: of.collection.replace("<ns>", "Bad_Name") },
        ]),
    get(of.collection.replace("/v1/", "/v1//")),
    get(`/${of.collection}`),
    get(of.collection.replace("/apis/", "/Apis/").replace("/api/", "/Api/")),
  ],
  "watches": (of) => [
    of.createListed("a", { x: "1" }),
    of.createListed("b", { x: "2" }),
    merge(of.path("a"), { metadata: { labels: { x: "3" } } }),
    remove(of.path("b"), { propagationPolicy: "Background", gracePeriodSeconds: 0 }),
    ...[
      `resourceVersion=<rv0:${of.name("a")}>`,
      `resourceVersion=<rv:${of.name("a")}>`,
      "",
      "resourceVersion=1",
      "resourceVersion=odd",
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
      "sendInitialEvents=true",
      "sendInitialEvents=true&resourceVersionMatch=Exact",
      "resourceVersionMatch=NotOlderThan",
      "continue=x",
      "timeoutSeconds=odd",
      `fieldSelector=metadata.name%3D${of.name("a")}&resourceVersion=<rv0:${of.name("a")}>`,
      "fieldSelector=odd%3D1",
    ].map((query) => get(`${of.list}${WATCH}&${query}`)),
    ...(of.tried.isOfCluster
      ? []
      : [get(`${of.collection}?labelSelector=x%3D1&${WATCH}&resourceVersion=<rv0:${of.name("a")}>`)]),
    get(`${of.list}${WATCH}&resourceVersion=<rv0:${of.name("a")}>`, TABLE),
    get(`${of.list}${WATCH}&resourceVersion=<rv0:${of.name("a")}>`, METADATA),
    get(`${of.list}${WATCH}&resourceVersion=<rv0:${of.name("a")}>`, "application/json;stream=watch"),
    get(`${of.list}${WATCH}`, YAML),
    get(`${of.list}${WATCH}`, "text/html"),
    get(`${of.path("a")}?${WATCH}&resourceVersion=<rv0:${of.name("a")}>`),
    get(`${of.path("a").replace("/v1/", "/v1/watch/")}?timeoutSeconds=1&resourceVersion=<rv0:${of.name("a")}>`),
  ],
};

const pods = "/api/v1/namespaces/<ns>/pods";
const podOf = (name: string, spec: JsonObject = {}): Ask =>
  post(pods, { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...spec } });
const bind = (name: string, target: Json, rest: JsonObject = {}): Ask =>
  post(`${pods}/${name}/binding`, { metadata: { name }, target, ...rest });
const evict = (name: string, rest: JsonObject = {}): Ask =>
  post(`${pods}/${name}/eviction`, { metadata: { name }, ...rest });
const node = { kind: "Node", name: "n" };

const special: readonly Sequence[] = [
  {
    name: "bindings of pods",
    asks: [
      podOf("a"),
      bind("none", node),
      bind("a", { kind: "Odd", name: "n" }),
      bind("a", { kind: "Node" }),
      bind("a", null),
      bind("a", node, { metadata: { name: "b" } }),
      bind("a", node, { metadata: { name: "a", uid: "other" } }),
      bind("a", node, { odd: 1 }),
      post(`${pods}/a/binding?dryRun=All`, { metadata: { name: "a" }, target: node }),
      post(`${pods}/a/binding`, "{"),
      post(`${pods}/a/binding`, { kind: "Pod", apiVersion: "v1" }),
      bind("a", node, { metadata: { name: "a", annotations: { b: "1" } } }),
      bind("a", node),
      get(`${pods}/a`),
      get(`${pods}/a`, TABLE),
      get(`${pods}/a/binding`),
      podOf("g", { schedulingGates: [{ name: "x/y" }] }),
      bind("g", node),
      get(`${pods}/g`, TABLE),
      podOf("b"),
      post("/api/v1/namespaces/<ns>/bindings", { metadata: { name: "b" }, target: node }),
      get("/api/v1/namespaces/<ns>/bindings"),
      remove(`${pods}/a`),
      remove(`${pods}/a`, { gracePeriodSeconds: 5 }),
      remove(`${pods}/a`, { gracePeriodSeconds: 50 }),
      bind("a", node),
      evict("a"),
      get(`${pods}/a`, TABLE),
      remove(`${pods}/a`, { gracePeriodSeconds: 0 }),
      get(`${pods}/a`),
    ],
  },
  {
    name: "evictions",
    asks: [
      evict("none"),
      podOf("a"),
      evict("a", { metadata: { name: "b" } }),
      evict("a", { deleteOptions: { preconditions: { uid: "other" } } }),
      evict("a", { deleteOptions: { dryRun: ["All"] } }),
      evict("a", { deleteOptions: { propagationPolicy: "Odd" } }),
      evict("a", { apiVersion: "policy/v1beta1", kind: "Eviction" }),
      get(`${pods}/a`),
      podOf("b"),
      bind("b", node),
      post(`${pods}/b/eviction?dryRun=All`, { metadata: { name: "b" } }),
      evict("b", { odd: 1 }),
      get(`${pods}/b`),
      evict("b"),
      get(`${pods}/b`, TABLE),
      evict("b", { deleteOptions: { gracePeriodSeconds: 0 } }),
      get(`${pods}/b`),
      get(`${pods}/b/eviction`),
      podOf("c"),
      post(`${pods}/c/eviction`, {}),
      post(`${pods}/c/eviction`, ""),
    ],
  },
  {
    name: "logs",
    asks: [
      podOf("a"),
      get(`${pods}/a/log`),
      get(`${pods}/none/log`),
      get(`${pods}/a/log?container=x`),
      get(`${pods}/a/log?tailLines=-1`),
      get(`${pods}/a/log?tailLines=x`),
      get(`${pods}/a/log?sinceSeconds=0`),
      get(`${pods}/a/log?limitBytes=0`),
      get(`${pods}/a/log?sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z`),
      get(`${pods}/a/log?stream=Stdout`),
      podOf("two", {
        containers: [
          { name: "c", image: "i" },
          { name: "d", image: "i" },
        ],
      }),
      get(`${pods}/two/log`),
      get(`${pods}/two/log?container=d`),
      { method: "POST", path: `${pods}/a/log` },
      bind("a", { kind: "Node", name: "missing" }),
      get(`${pods}/a/log`),
    ],
  },
  {
    name: "a namespace that ends",
    asks: [
      post("/api/v1/namespaces", { metadata: { name: "<ns>-x" } }),
      remove("/api/v1/namespaces/<ns>-x"),
      remove("/api/v1/namespaces/<ns>-x"),
      post("/api/v1/namespaces/<ns>-x/configmaps", { metadata: { name: "a" } }),
      post("/api/v1/namespaces/<ns>-x/pods", {
        metadata: { name: "a" },
        spec: { containers: [{ name: "c", image: "i" }] },
      }),
      post("/apis/batch/v1/namespaces/<ns>-x/cronjobs", { metadata: { name: "a" }, spec: {} }),
      get("/api/v1/namespaces/<ns>-x", TABLE),
      merge("/api/v1/namespaces/<ns>-x", { metadata: { labels: { a: "b" } } }),
      put("/api/v1/namespaces/<ns>-x/finalize", { metadata: { name: "other" }, spec: {} }),
      {
        method: "PUT",
        path: "/api/v1/namespaces/<ns>-x/finalize",
        body: { metadata: { name: "<ns>-x" }, spec: { finalizers: ["kubernetes", "a/b"] } },
      },
      { method: "PUT", path: "/api/v1/namespaces/<ns>-x/finalize", body: { metadata: { name: "<ns>-x" }, spec: {} } },
      get("/api/v1/namespaces/<ns>-x"),
      get("/api/v1/namespaces/<ns>-x/finalize"),
      remove("/api/v1/namespaces/default"),
      remove("/api/v1/namespaces/kube-system"),
      { method: "DELETE", path: "/api/v1/namespaces" },
    ],
  },
  {
    name: "paths",
    asks: [
      "/apis/none",
      "/apis/none/v1/x",
      "/apis/batch/v9",
      "/api/v9",
      "/api/v1/none",
      "/api/v1/namespaces/<ns>/none",
      "/api/v1/pods/x",
      "/api/v1/namespaces/<ns>/pods/a/b/c/d",
      "/none",
      "/api/v1/namespaces/<ns>/namespaces",
      "/api/v1/namespaces/<ns>/nodes",
      "/apis/batch/v1/jobs?limit=1&labelSelector=of%3D<ns>",
      "/api/v1/proxy/x",
      "/healthz",
      "/livez",
      "/readyz",
      "/api/v1/componentstatuses/x/y",
    ]
      .map((path) => get(path))
      .concat([
        { method: "POST", path: "/api/v1" },

        { method: "PUT", path: "/version" },
        { method: "HEAD", path: "/healthz" },
        { method: "HEAD", path: "/api" },
      ]),
  },
  {
    name: "an update that creates, of something that must be there",
    asks: [
      put("/apis/coordination.k8s.io/v1/namespaces/<ns>/leases/a", { metadata: { name: "a", uid: "u" } }),
      put("/apis/coordination.k8s.io/v1/namespaces/<ns>/leases/a?dryRun=All", { metadata: { name: "a", uid: "u" } }),
    ],
  },
  {
    name: "large bodies",
    asks: [
      post("/api/v1/namespaces/<ns>/configmaps", {
        metadata: { name: "big" },
        data: { a: "x".repeat(1024 * 1024 + 1) },
      }),
      post("/api/v1/namespaces/<ns>/configmaps", {
        metadata: { name: "bigger" },
        data: { a: "x".repeat(4 * 1024 * 1024) },
      }),
      post("/api/v1/namespaces/<ns>/secrets", {
        metadata: { name: "big" },
        stringData: { a: "x".repeat(1024 * 1024 + 1) },
      }),
      post("/api/v1/namespaces/<ns>/configmaps", {
        metadata: { name: "notes", annotations: { a: "x".repeat(262145) } },
      }),
      post("/api/v1/namespaces/<ns>/configmaps", { metadata: { name: "fits" }, data: { a: "x".repeat(1000) } }),
      merge("/api/v1/namespaces/<ns>/configmaps/fits", { data: { b: "x".repeat(1024 * 1024) } }),
      get("/api/v1/namespaces/<ns>/configmaps/fits", TABLE),
    ],
  },
];

const PARTS = Object.keys(parts);
/** What depends on the kind. */
const PARTS_OF_SERVED = ["creations", "updates", "changes", "changes without labels", "applies", "deletions"];

function sequencesOf(tried: TriedKind, names: readonly string[]): readonly Sequence[] {
  const of = new Of(tried);
  return names.map((part) => ({ name: `${tried.apiVersion} ${tried.kind}: ${part}`, asks: parts[part]!(of) }));
}

export const SEQUENCES: readonly Sequence[] = [
  ...KINDS.flatMap((tried) => sequencesOf(tried, PARTS)),
  ...SERVED_KINDS.flatMap((tried) => sequencesOf(tried, PARTS_OF_SERVED)),
  ...special,
];

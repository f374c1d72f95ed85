/**
 * Short sequences of requests that our server once answered otherwise than the real one. Their answers are recorded, so
 * `npm test` asks them without a real server (test/cluster/apiserver/fixed-differences.test.ts).
 */
import type { Json, JsonObject } from "../../../cluster/index.ts";
import type { Ask } from "./ask.ts";
import type { Sequence } from "./play.ts";

const MAPS = "/api/v1/namespaces/<ns>/configmaps";
const PODS = "/api/v1/namespaces/<ns>/pods";
const JOBS = "/apis/batch/v1/namespaces/<ns>/jobs";
const CRON_JOBS = "/apis/batch/v1/namespaces/<ns>/cronjobs";
const EVENTS = "/apis/events.k8s.io/v1/namespaces/<ns>/events";
const CORE_EVENTS = "/api/v1/namespaces/<ns>/events";
const CONTROLLERS = "/api/v1/namespaces/<ns>/replicationcontrollers";
const SECRETS = "/api/v1/namespaces/<ns>/secrets";
const NODE = "/api/v1/nodes/<ns>-n";

const get = (path: string, accept?: string): Ask => ({ method: "GET", path, ...(accept !== undefined && { accept }) });
const post = (path: string, body: Json): Ask => ({ method: "POST", path, body });
const put = (path: string, body: Json): Ask => ({ method: "PUT", path, body });
const remove = (path: string, body?: Json): Ask => ({ method: "DELETE", path, ...(body !== undefined && { body }) });
const patch =
  (type: string) =>
  (path: string, body: Json): Ask => ({ method: "PATCH", path, body, type: `application/${type}-patch+json` });
const [merge, strategic, json] = [patch("merge"), patch("strategic-merge"), patch("json")];

const ADDRESS = { type: "Hostname", address: "a" };
const container = { name: "c", image: "busybox" };
const template = { spec: { restartPolicy: "Never", containers: [container] } };
const labelled = { ...template, metadata: { labels: { app: "b" } } };
const kept = { metadata: { labels: { app: "b" } }, spec: { containers: [container] } };
const job = (name: string, spec: JsonObject): Json => ({ metadata: { name }, spec: { template, ...spec } });
const cronJob = (spec: JsonObject): JsonObject => ({
  schedule: "0 0 1 1 *",
  jobTemplate: { spec: { template, ...spec } },
});
/** Good ones, and each way in which one is bad. */
const ALIASES = [
  ...["10.0.0.1", "2001:db8::1", "::", "::1.2.3.4", "1:2:3:4:5:6:7:8", "FE80:0:0:0:0:0:0:0abc", "1::2:3:4:5:6:7"],
  ...[
    "",
    "x",
    "010.0.0.1",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "1.2.3.-4",
    "1.2.3.4 ",
    "fe80::1%eth0",
    "::ffff:1.2.3.4",
  ],
  ...["::ffff:102:304", "::ffff:01.2.3.4", "1::2::3", "1:2:3:4:5:6:7::8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", ":1::"],
  ...["12345::", "g::", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1.2.3.4::", ":", ":::"],
].map((ip) => ({ ip, hostnames: ["a"] }));
const aliased = (hostAliases: Json): JsonObject => ({ spec: { ...template.spec, hostAliases } });
const partial = (kind: string, version: string): string => `application/json;as=${kind};v=${version};g=meta.k8s.io`;

export const FIXED: readonly Sequence[] = [
  {
    name: "methods that no resource has",
    asks: [
      post(MAPS, { metadata: { name: "a" } }),
      { method: "OPTIONS", path: MAPS },
      { method: "HEAD", path: `${MAPS}/a` },
      { method: "HEAD", path: `${MAPS}/a/status` },
      { method: "TRACE", path: `${MAPS}/a` },
    ],
  },
  {
    name: "forms of lists, and selectors that cannot be read",
    asks: [
      post(MAPS, { metadata: { name: "a" } }),
      get(MAPS, "text/html"),
      get(`${MAPS}?watch=1`, "text/html"),
      get(`${MAPS}/a`, partial("Table", "v1beta1")),
      get(`${MAPS}/a`, partial("PartialObjectMetadata", "v1beta1")),
      get(`${MAPS}?limit=1&continue=e30`),
      get(`${MAPS}?labelSelector=n%3Ex`),
      get(`${MAPS}?labelSelector=a%2Fb%2Fc%3D1`),
      get(`${MAPS}?fieldSelector=metadata.name%3Da%3Db`),
      get(`${MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact`),
      get(`${MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=Odd`),
    ],
  },
  {
    name: "patches that cannot be read",
    asks: [
      post(PODS, { metadata: { name: "a", labels: { x: "y" } }, spec: { containers: [container] } }),
      merge(`${PODS}/a`, "null"),
      strategic(`${PODS}/a`, "null"),
      json(`${PODS}/a`, "null"),
      json(`${PODS}/a`, "[5]"),
      json(`${PODS}/a`, [{ op: "add", path: 5, value: 1 }]),
      merge(`${PODS}/a?fieldValidation=Strict`, '{"metadata":{"labels":{"d":"1","d":"2"}}}'),
      strategic(`${PODS}/a?fieldValidation=Strict`, '{"metadata":{"labels":{"d":"1","d":"2"}}}'),
      strategic(`${PODS}/a`, '{"metadata":{"labels":{"d":"1","d":"2"}}}'),
      strategic(`${PODS}/a`, { metadata: { labels: { p: 5 } } }),
      strategic(`${PODS}/a`, { metadata: [] }),
      strategic(`${PODS}/a`, { metadata: { finalizers: "x" } }),
      strategic(`${PODS}/a`, { metadata: { $patch: "odd" } }),
      strategic(`${PODS}/a`, { metadata: { ownerReferences: [{ name: "p" }] } }),
      get(`${PODS}/a`),
    ],
  },
  {
    name: "deletions",
    asks: [
      post(JOBS, job("a", { suspend: true })),
      remove(`${JOBS}/a?dryRun=All`),
      remove(`${JOBS}/a`, { kind: "Odd" }),
      remove(`${JOBS}/a`, "[]"),
      remove(`${JOBS}/a`),
      get(`${JOBS}/a`),
      post(MAPS, { metadata: { name: "a" } }),
      post(MAPS, { metadata: { name: "b" } }),
      remove(`${MAPS}?resourceVersion=odd`),
      remove(`${MAPS}?limit=1`),
      get(MAPS),
    ],
  },
  {
    name: "rules of Nodes",
    asks: [
      post("/api/v1/nodes", { metadata: { name: "<ns>-n" }, spec: { podCIDR: "10.1.0.0/24" } }),
      merge(NODE, { spec: { podCIDR: "10.2.0.0/24" } }),
      merge(NODE, { spec: { providerID: "a" } }),
      merge(NODE, { spec: { providerID: "b" } }),
      merge(NODE, { spec: { taints: [{ key: "k", effect: "Odd" }] } }),
      merge(NODE, { spec: { taints: [{ key: "bad key" }] } }),
      merge(`${NODE}/status`, { status: { capacity: { cpu: "4" } } }),
      merge(`${NODE}/status`, {
        status: {
          addresses: [
            { type: "Hostname", address: "a" },
            { type: "Hostname", address: "a" },
          ],
        },
      }),
    ],
  },
  {
    name: "updates of Pods",
    asks: [
      post(PODS, { metadata: { name: "a" }, spec: { containers: [container] } }),
      put(`${PODS}/a`, { metadata: { name: "a" }, spec: { containers: [container] } }),
      put(`${PODS}/a`, { metadata: { name: "a" }, spec: { containers: [{ ...container, image: "other" }] } }),
      merge(`${PODS}/a`, { spec: { containers: [{ name: "c", image: "third" }] } }),
      merge(`${PODS}/a`, { spec: { activeDeadlineSeconds: 10, tolerations: null, priority: null } }),
      merge(`${PODS}/a`, { spec: { activeDeadlineSeconds: null } }),
      merge(`${PODS}/a/status`, { status: { podIP: "10.0.0.1" } }),
      merge(`${PODS}/a/status`, { status: { podIP: "10.0.0.2" } }),
      merge(`${PODS}/a/status`, { status: { podIP: "nonsense" } }),
    ],
  },
  {
    name: "what a new object may have",
    asks: [
      post(MAPS, { metadata: { name: "a", generation: 9 } }),
      merge(`${MAPS}/a`, { metadata: { generation: 10 } }),
      post(MAPS, { metadata: { name: "x".repeat(254) } }),
      post(MAPS, { metadata: { name: "f", finalizers: ["bad", "a b/c", "orphan", "foregroundDeletion"] } }),
      post(MAPS, {
        metadata: {
          name: "o",
          ownerReferences: [
            { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true },
            { apiVersion: "v1", kind: "Pod", name: "q", uid: "v", controller: true },
            { apiVersion: "", kind: "", name: "", uid: "" },
          ],
        },
      }),
      post(`${MAPS}?fieldManager=%07%01`, { metadata: { name: "m" } }),
      post(MAPS, '{"metadata":{"name":"a","creationTimestamp":5}}'),
      post(`${JOBS}?dryRun=All`, job("a", { podFailurePolicy: { rules: [] } })),
      post(CRON_JOBS, { metadata: {}, spec: cronJob({}) }),
      post(CRON_JOBS, { metadata: { name: "a" }, spec: cronJob({ podFailurePolicy: { rules: [] } }) }),
      post(EVENTS, { metadata: { name: "a" }, regarding: { kind: "Pod", namespace: "other", name: "p" } }),
      post(SECRETS, { metadata: { name: "a" }, stringData: { a: "b" } }),
      merge(`${SECRETS}/a`, { type: "kubernetes.io/tls" }),
    ],
  },
  {
    name: "parameters of reads",
    asks: [
      post(MAPS, { metadata: { name: "a" } }),
      get(`${MAPS}/a?pretty=odd`),
      get(`${MAPS}/a?pretty=t`),
      get(`${MAPS}?timeoutSeconds=odd`),
    ],
  },
  {
    name: "Events and Leases that belong to nothing",
    asks: [
      put(`${EVENTS}/a`, { metadata: { name: "a", uid: "11111111-1111-1111-1111-111111111111" } }),
      post(EVENTS, {
        metadata: { name: "Bad_Name" },
        eventTime: "2020-01-01T00:00:00.000000Z",
        reportingController: "a.b/c",
        reportingInstance: "i",
        action: "Do",
        reason: "R",
        type: "Normal",
        regarding: { namespace: "<ns>" },
      }),
      post(CORE_EVENTS, { metadata: { name: "b" }, involvedObject: { namespace: "<ns>" } }),
      remove(`${CORE_EVENTS}/b`, { propagationPolicy: "Foreground" }),
      get(`${CORE_EVENTS}/b`),
    ],
  },
  {
    name: "status of a Namespace",
    asks: [
      post("/api/v1/namespaces", { metadata: { name: "<ns>-x", namespace: "other" } }),
      put("/api/v1/namespaces/<ns>-x", { metadata: { name: "<ns>-x", namespace: "other", labels: { a: "b" } } }),
      merge("/api/v1/namespaces/<ns>-x/status", { status: { phase: "Terminating" } }),
      merge("/api/v1/namespaces/<ns>-x/status", { status: { phase: "Odd" } }),
      remove("/api/v1/namespaces/<ns>-x"),
      remove("/api/v1/namespaces/<ns>-x", { propagationPolicy: "Orphan" }),
    ],
  },
  {
    name: "Pods that wait, and Pods that end twice",
    asks: [
      post(PODS, { metadata: { name: "g" }, spec: { containers: [container], schedulingGates: [{ name: "x/y" }] } }),
      post(PODS, { metadata: { name: "a" }, spec: { containers: [container] } }),
      post(`${PODS}/a/binding`, { metadata: { name: "a" }, target: { kind: "Node", name: "n" } }),
      remove(`${PODS}/a`, { gracePeriodSeconds: 5 }),
      post(`${PODS}/a/eviction`, { metadata: { name: "a" } }),
      get(`${PODS}/a`),
      post("/api/v1/nodes", { metadata: { name: "<ns>-n" } }),
      strategic(`${NODE}/status`, { status: { addresses: [ADDRESS, ADDRESS] } }),
    ],
  },
  {
    name: "Jobs that lose their last label",
    asks: [
      post(JOBS, { metadata: { name: "a", labels: { x: "1" } }, spec: { template, suspend: true } }),
      merge(`${JOBS}/a`, { metadata: { labels: null } }),
      merge(`${JOBS}/a`, { metadata: { labels: { y: "2" } } }),
      get(`${JOBS}/a`),
      post(JOBS, { metadata: { name: "b", labels: { x: "1" } }, spec: { template: labelled, suspend: true } }),
      json(`${JOBS}/b`, [{ op: "remove", path: "/metadata/labels" }]),
      merge(`${JOBS}/b/status`, { metadata: { labels: null }, status: { ready: 0 } }),
      merge(`${JOBS}/b`, { metadata: { labels: { app: null } } }),
      merge(`${JOBS}/b`, { metadata: { labels: { app: "c" } } }),
      post(CRON_JOBS, { metadata: { name: "a", labels: { x: "1" } }, spec: cronJob({}) }),
      merge(`${CRON_JOBS}/a`, { metadata: { labels: null } }),
      post(CONTROLLERS, { metadata: { name: "a", labels: { x: "1" } }, spec: { template: kept } }),
      merge(`${CONTROLLERS}/a`, { metadata: { labels: null } }),
    ],
  },
  {
    name: "host aliases of Pods and of templates",
    asks: [
      post(PODS, { metadata: { name: "a" }, spec: { containers: [container], hostAliases: ALIASES } }),
      post(PODS, {
        metadata: { name: "b" },
        spec: {
          containers: [{ name: "C", image: "busybox" }],
          hostAliases: [{ hostnames: ["Upper.Case", "a_b", ""] }],
        },
      }),
      post(JOBS, job("a", { suspend: true, template: aliased(ALIASES) })),
      post(JOBS, job("a", { suspend: true, template: aliased([{ ip: "::1", hostnames: ["db.example.com", "db"] }]) })),
      merge(`${JOBS}/a`, { spec: { template: aliased([{ ip: "localhost" }]) } }),
      merge(`${JOBS}/a/status`, { status: { ready: 0 } }),
      post(CRON_JOBS, { metadata: { name: "a" }, spec: cronJob({ template: aliased([{ ip: "10.0.0" }]) }) }),
      post(CONTROLLERS, {
        metadata: { name: "a" },
        spec: { template: { ...kept, spec: { ...kept.spec, hostAliases: [{ ip: "10.0.0.256" }] } } },
      }),
    ],
  },
];

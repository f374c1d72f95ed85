/**
 * Requests that admission plugins change or refuse, in sequences that begin in a separate namespace. Beside them
 * are refusals by the rules of a kind.
 */
import type { Request } from "../both-servers.ts";

export interface Review {
  readonly name: string;
  readonly requests: readonly Request[];
}

const CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";

type Post = (resource: string, name: string, rest: object) => Request;

/** A sequence in a new namespace. */
function inNamespace(name: string, requests: (post: Post) => readonly Request[]): Review {
  const namespace = name.replaceAll(/[^a-z0-9]+/g, "-");
  const post: Post = (resource, object, rest) => ({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/${resource}`,
    body: { metadata: { name: object }, ...rest },
  });
  const created: Request = { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } };
  // The controller that makes the account `default` takes its time.
  const account = post("serviceaccounts", "own", { automountServiceAccountToken: false });
  return { name, requests: [created, account, ...requests(post)] };
}

const spec = (rest: object, container: object = {}): object => ({
  serviceAccountName: "own",
  containers: [{ name: "c", image: "example.com/i:1", ...container }],
  ...rest,
});
const resources = (requests: object, limits: object = {}): object => ({ resources: { requests, limits } });
const limitRange = (...limits: object[]): object => ({ spec: { limits } });
const priorityClass = (name: string, rest: object): Request => ({
  method: "POST",
  path: CLASSES,
  body: { metadata: { name }, ...rest },
});
const removed = (path: string): Request => ({ method: "DELETE", path });

export const reviews: readonly Review[] = [
  inNamespace("defaults of limits", (post) => [
    post(
      "limitranges",
      "l",
      limitRange({ type: "Container", default: { cpu: "500m", memory: "1Gi" }, defaultRequest: { cpu: "100m" } }),
    ),
    post("pods", "bare", { spec: spec({ initContainers: [{ name: "i", image: "example.com/i:1" }] }) }),
    post("pods", "partly", { spec: spec({}, resources({ cpu: "200m" })) }),
    post("pods", "fully", { spec: spec({}, resources({ cpu: "1", memory: "1" }, { cpu: "2", memory: "2" })) }),
  ]),
  inNamespace("most of a container", (post) => [
    post("limitranges", "l", limitRange({ type: "Container", max: { cpu: "1" }, default: { memory: "1Gi" } })),
    post("pods", "more", { spec: spec({}, resources({}, { cpu: "2" })) }),
    post("pods", "request", { spec: spec({}, resources({ cpu: "1500m" }, { cpu: "500m" })) }),
    post("pods", "as-much", { spec: spec({}, resources({}, { cpu: "1000m" })) }),
  ]),
  inNamespace("least of a container", (post) => [
    post("limitranges", "l", limitRange({ type: "Container", min: { memory: "64Mi" } })),
    post("pods", "less", { spec: spec({}, resources({ memory: "32Mi" })) }),
    post("pods", "none", { spec: spec({}) }),
  ]),
  inNamespace("ratio of a container", (post) => [
    post("limitranges", "l", limitRange({ type: "Container", maxLimitRequestRatio: { cpu: "2" } })),
    post("pods", "none", { spec: spec({}) }),
    post("pods", "no-limit", { spec: spec({}, resources({ cpu: "1" })) }),
    post("pods", "more", { spec: spec({}, resources({ cpu: "300m" }, { cpu: "1" })) }),
    post("pods", "as-much", { spec: spec({}, resources({ cpu: "500m" }, { cpu: "1" })) }),
  ]),
  inNamespace("limits of a pod", (post) => [
    post("limitranges", "l", limitRange({ type: "Pod", max: { memory: "1Gi" }, min: { memory: "1Mi" } })),
    post("pods", "none", { spec: spec({}) }),
    post("pods", "sum", {
      spec: spec({
        containers: ["a", "b"].map((name) => ({
          name,
          image: "example.com/i:1",
          ...resources({}, { memory: "600Mi" }),
        })),
      }),
    }),
    post("pods", "fits", { spec: spec({}, resources({}, { memory: "1Gi" })) }),
  ]),
  inNamespace("limits of a claim", (post) => {
    const claim = (storage: string): object => ({
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage } } },
    });
    return [
      post(
        "limitranges",
        "l",
        limitRange({ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } }),
      ),
      post("persistentvolumeclaims", "less", claim("500Mi")),
      post("persistentvolumeclaims", "more", claim("3Gi")),
      post("persistentvolumeclaims", "fits", claim("2Gi")),
    ];
  }),
  inNamespace("limits that contradict each other", (post) => [
    post("limitranges", "a", limitRange({ type: "Container", min: { cpu: "2" }, max: { cpu: "1" } })),
    post("limitranges", "b", limitRange({ type: "Pod", default: { cpu: "1" } })),
    post("limitranges", "c", limitRange({ type: "PersistentVolumeClaim", max: { "example.com/other": "1" } })),
    post("limitranges", "d", limitRange({ type: "Pod", max: { cpu: "1" } }, { type: "Pod", max: { cpu: "1" } })),
    post("limitranges", "e", limitRange({ type: "Container", defaultRequest: { cpu: "2" }, default: { cpu: "1" } })),
  ]),
  inNamespace("priorities", (post) => [
    priorityClass("high", { value: 1000 }),
    priorityClass("never", { value: 10, preemptionPolicy: "Never" }),
    post("pods", "high", { spec: spec({ priorityClassName: "high" }) }),
    post("pods", "never", { spec: spec({ priorityClassName: "never" }) }),
    post("pods", "same", { spec: spec({ priorityClassName: "high", priority: 1000 }) }),
    post("pods", "another", { spec: spec({ priorityClassName: "high", priority: 7 }) }),
    post("pods", "own", { spec: spec({ priority: 7 }) }),
    post("pods", "policy", { spec: spec({ preemptionPolicy: "Never" }) }),
    post("pods", "unknown", { spec: spec({ priorityClassName: "none" }) }),
    post("pods", "system", { spec: spec({ priorityClassName: "system-node-critical" }) }),
    post("pods", "plain", { spec: spec({}) }),
    priorityClass("usual", { value: 5, globalDefault: true }),
    priorityClass("usual-too", { value: 6, globalDefault: true }),
    { method: "PATCH", path: `${CLASSES}/high`, body: { globalDefault: true } },
    { method: "PATCH", path: `${CLASSES}/usual`, body: { globalDefault: true, description: "d" } },
    post("pods", "usual", { spec: spec({}) }),
    { method: "PATCH", path: `${CLASSES}/high`, body: { value: 3, preemptionPolicy: "Never" } },
    ...["high", "never", "usual"].map((name) => removed(`${CLASSES}/${name}`)),
    post("pods", "plain-again", { spec: spec({}) }),
  ]),
  {
    name: "priority classes that are refused",
    requests: [
      priorityClass("system-own", { value: 1 }),
      priorityClass("too-high", { value: 1_000_000_001 }),
      priorityClass("policy", { value: 1, preemptionPolicy: "Maybe" }),
      { method: "GET", path: `${CLASSES}/system-node-critical` },
      { method: "GET", path: `${CLASSES}/system-cluster-critical` },
      { method: "PATCH", path: `${CLASSES}/system-node-critical`, body: { value: 1 } },
    ],
  },
  inNamespace("tokens", (post) => {
    const token = (spec: object, metadata: object = {}): Request => {
      const request = post("serviceaccounts/own/token", "own", { spec: { audiences: ["a"], ...spec } });
      return { ...request, body: { ...(request.body as object), metadata } };
    };
    const bound = (kind: string, name: string, rest: object = {}): Request =>
      token({ boundObjectRef: { kind, apiVersion: "v1", name, ...rest } });
    const another = "00000000-0000-4000-8000-000000000000";
    return [
      post("pods", "p", { spec: spec({ nodeName: "none" }) }),
      post("secrets", "s", {}),
      token({}),
      token({ audiences: ["a", "b"], expirationSeconds: 600 }),
      token({ expirationSeconds: 599 }),
      token({ expirationSeconds: 2 ** 32 + 1 }),
      token({}, { name: "other" }),
      token({}, { uid: another }),
      bound("Pod", "p"),
      bound("Pod", "p", { uid: another }),
      bound("Pod", "none"),
      bound("Secret", "s"),
      bound("Node", "none"),
      bound("ConfigMap", "none"),
      post("serviceaccounts/none/token", "none", { spec: { audiences: ["a"] } }),
      post("serviceaccounts", "other", {}),
      {
        ...post("serviceaccounts/other/token", "other", {}),
        body: { spec: { audiences: ["a"], boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p" } } },
      },
    ];
  }),
  inNamespace("services", (post) => {
    const service = (name: string, spec: object): Request => post("services", name, { spec });
    const patch = (name: string, spec: object): Request => {
      const { path } = post("services", name, {});
      return { method: "PATCH", path: `${path}/${name}`, body: { spec } };
    };
    const ports = [{ port: 80 }];
    return [
      service("no-ports", {}),
      service("port", { ports: [{ port: 0 }] }),
      service("two", { ports: [{ port: 80 }, { port: 80 }] }),
      service("names", {
        ports: [
          { name: "a", port: 80 },
          { name: "a", port: 81, protocol: "ICMP" },
        ],
      }),
      service("kind", { type: "Special", ports }),
      service("affinity", { ports, sessionAffinity: "Some" }),
      service("node-port-of-cluster-ip", { ports: [{ port: 80, nodePort: 30_001 }] }),
      service("node-port-range", { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] }),
      service("node-port", { type: "NodePort", ports: [{ port: 80, nodePort: 30_002 }] }),
      service("node-port-taken", { type: "NodePort", ports: [{ port: 80, nodePort: 30_002 }] }),
      service("address", { clusterIP: "10.96.0.30", ports }),
      service("address-taken", { clusterIP: "10.96.0.30", ports }),
      service("address-range", { clusterIP: "10.0.0.1", ports }),
      service("dual", { ports, ipFamilyPolicy: "RequireDualStack" }),
      service("headless-node-port", { type: "NodePort", clusterIP: "None", ports }),
      service("no-external-name", { type: "ExternalName" }),
      service("a.b", { ports }),
      patch("address", { clusterIP: "10.96.0.31", clusterIPs: ["10.96.0.31"] }),
      patch("address", { type: "NodePort" }),
      patch("address", { type: "ClusterIP" }),
      patch("address", { type: "ExternalName", externalName: "a.example.com" }),
      service("address-again", { clusterIP: "10.96.0.30", ports }),
    ];
  }),
  {
    name: "budgets that are refused",
    requests: [
      { minAvailable: 1, maxUnavailable: 1 },
      { minAvailable: -1 },
      { maxUnavailable: "101%" },
      { maxUnavailable: "some" },
      { minAvailable: "50%", unhealthyPodEvictionPolicy: "Never" },
    ].map((spec) => ({
      method: "POST",
      path: "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
      body: { metadata: { name: "b" }, spec },
    })),
  },
  inNamespace("accounts of pods", (post) => [
    post("pods", "unknown", { spec: spec({ serviceAccountName: "none" }) }),
    post("serviceaccounts", "pulls", {
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: "a" }, { name: "b" }],
    }),
    post("pods", "pulls", { spec: spec({ serviceAccountName: "pulls" }) }),
    post("pods", "own-pulls", { spec: spec({ serviceAccountName: "pulls", imagePullSecrets: [{ name: "c" }] }) }),
  ]),
];

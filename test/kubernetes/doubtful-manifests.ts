/**
 * Manifests for which admission has something to say, and some that look as if it had: data for admission.test.ts,
 * which asks a real API server and the engine the same. Without answers.
 */

type Fields = Readonly<Record<string, unknown>>;

export interface DoubtfulManifest {
  readonly what: string;
  readonly kind: "Job" | "Pod";
  readonly manifest: Fields;
  /**
   * What differs on purpose: the first cell of a row of docs/differences.md. Only status, reasons and fields are
   * compared then.
   */
  readonly difference?: string;
}

const CONTAINER = { name: "main", image: "example.com/nothing" };
const NAME = "doubtful";
const LONG = 300;
/** Characters of a name that the name of a test has at most. */
const SHOWN = 40;
const long = (length = LONG): string => "a".repeat(length);

const job = (what: string, spec: Fields, metadata: Fields = {}): DoubtfulManifest => ({
  what,
  kind: "Job",
  manifest: {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: NAME, ...metadata },
    spec: { template: template({}), ...spec },
  },
});
const template = (podSpec: Fields, metadata: Fields = {}): Fields => ({
  metadata,
  spec: { restartPolicy: "Never", containers: [CONTAINER], ...podSpec },
});
const ofPodSpec = (what: string, podSpec: Fields): DoubtfulManifest => job(what, { template: template(podSpec) });
const ofContainer = (what: string, container: Fields, podSpec: Fields = {}): DoubtfulManifest =>
  ofPodSpec(what, { containers: [{ ...CONTAINER, ...container }], ...podSpec });
const pod = (what: string, spec: Fields, metadata: Fields = {}): DoubtfulManifest => ({
  what,
  kind: "Pod",
  manifest: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: NAME, ...metadata },
    spec: { containers: [CONTAINER], ...spec },
  },
});
const named = (name: string, spec: Fields = {}, metadata: Fields = {}): DoubtfulManifest => {
  const shown = name.length > SHOWN ? `of ${name.length} ${name[0]}` : JSON.stringify(name);
  const others = [...Object.keys(metadata), ...Object.keys(spec)];
  return job(`the name ${shown}${others.length === 0 ? "" : ` with ${others.join(", ")}`}`, spec, {
    ...metadata,
    name,
  });
};

const variable = (what: string, valueFrom: Fields, others: Fields = {}): DoubtfulManifest =>
  ofContainer(`a variable from ${what}`, { env: [{ name: "A", valueFrom, ...others }] });
const fieldRef = (fieldPath: string, others: Fields = {}): DoubtfulManifest =>
  variable(
    `the field ${JSON.stringify(fieldPath)}${Object.keys(others).length === 0 ? "" : ` ${JSON.stringify(others)}`}`,
    { fieldRef: { fieldPath, ...others } },
  );
const resourceRef = (resource: string, others: Fields = {}): DoubtfulManifest =>
  variable(`the resource ${JSON.stringify(resource)} ${JSON.stringify(others)}`, {
    resourceFieldRef: { resource, ...others },
  });
const file = (what: string, item: Fields): DoubtfulManifest =>
  ofPodSpec(`a file of the downward API: ${what}`, { volumes: [{ name: "v", downwardAPI: { items: [item] } }] });
const toleration = (one: Fields): DoubtfulManifest =>
  ofPodSpec(`the toleration ${JSON.stringify(one)}`, { tolerations: [one] });
const indexed = (what: string, spec: Fields, metadata: Fields = {}): DoubtfulManifest =>
  job(what, { completionMode: "Indexed", completions: 5, parallelism: 2, ...spec }, metadata);
const success = (rule: Fields, spec: Fields = {}): DoubtfulManifest =>
  indexed(`the success rule ${JSON.stringify(rule)}`, { successPolicy: { rules: [rule] }, ...spec });
const failure = (rule: Fields, spec: Fields = {}): DoubtfulManifest =>
  job(`the failure rule ${JSON.stringify(rule)}`, { podFailurePolicy: { rules: [rule] }, ...spec });

const NAMES: readonly DoubtfulManifest[] = [
  named("A_b"),
  named("-a"),
  named("a."),
  named("a b"),
  named("ä"),
  named(""),
  named("a".repeat(63)),
  named("a".repeat(64)),
  named("a".repeat(253)),
  named("a".repeat(254)),
  named("A".repeat(LONG)),
  named("A_b", { template: template({}, { labels: { app: "x" } }) }),
  named("a".repeat(64), { template: template({}, { labels: { app: "x" } }) }),
  named("a".repeat(64), {}, { labels: { app: "x" } }),
  named("a".repeat(64), { template: template({}, { labels: { app: "x" } }) }, { labels: { app: "x" } }),
  named("a".repeat(62), { completionMode: "Indexed", completions: 100 }),
  named("a.b", { completionMode: "Indexed", completions: 1 }),
  job("a generated name that is no name", {}, { name: undefined, generateName: "A_" }),
  job(
    "a generated name of labels that a template has",
    { template: template({}, { labels: { app: "a b" } }) },
    { name: undefined, generateName: "good-" },
  ),
  job("a long generated name", {}, { name: undefined, generateName: "a".repeat(LONG) }),
  pod("a Pod with a bad name", {}, { name: "A_b" }),
  pod("a Pod with a long name", {}, { name: "a".repeat(LONG) }),
];

const METADATA: readonly DoubtfulManifest[] = [
  job("a label key of two slashes", {}, { labels: { "a/b/c": "x" } }),
  job("a label value with a space", {}, { labels: { a: "x y" } }),
  job("a long label value", {}, { labels: { a: "x".repeat(64) } }),
  job("an empty label key", {}, { labels: { "": "x" } }),
  job("an annotation key with a space", {}, { annotations: { "a b": "x" } }),
  job("an annotation key in capitals", {}, { annotations: { "EXAMPLE.com/A": "x" } }),
  ...["a/", "/a", "A_b/c", `${long()}/a`, `a/${long()}`, long(64)].map((key) =>
    job(`a label key of ${key.length} characters, ${key.slice(0, SHOWN)}`, {}, { labels: { [key]: "x" } }),
  ),
  job("a finalizer without a domain", {}, { finalizers: ["mine"] }),
  job("finalizers that exclude each other", {}, { finalizers: ["orphan", "foregroundDeletion"] }),
  job("an owner without anything", {}, { ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] }),
  job(
    "two controllers",
    {},
    {
      ownerReferences: ["a", "b"].map((name) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name,
        uid: name,
        controller: true,
      })),
    },
  ),
  job("labels and annotations of the template that are none", {
    template: template({}, { labels: { "a b": "c d" }, annotations: { "e f": "" } }),
  }),
  job("a label of the template that belongs to the controller", {
    template: template({}, { labels: { "job-name": "other" } }),
  }),
  job("a selector of its own without manualSelector", { selector: { matchLabels: { app: "x" } } }),
  job("a selector that matches nothing", { manualSelector: true, selector: { matchLabels: { app: "x" } } }),
  job("manualSelector without a selector", { manualSelector: true }),
  job("a selector with an operator that is none", {
    manualSelector: true,
    selector: { matchExpressions: [{ key: "a", operator: "Near", values: ["x"] }] },
  }),
  job("a selector with values for Exists", {
    manualSelector: true,
    selector: { matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] },
  }),
];

const JOBS: readonly DoubtfulManifest[] = [
  ...[
    "parallelism",
    "completions",
    "backoffLimit",
    "activeDeadlineSeconds",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ].map((field) => job(`negative ${field}`, { [field]: -1 })),
  job("maxFailedIndexes alone", { maxFailedIndexes: 1 }),
  job("a limit per index without Indexed", { backoffLimitPerIndex: 1 }),
  job("a completion mode that is none", { completionMode: "Sometimes" }),
  job("Indexed without completions", { completionMode: "Indexed", parallelism: 2 }),
  indexed("too many pods at once", { completions: 200_000, parallelism: 100_001 }),
  indexed("too many indexes for a limit per index", {
    completions: 200_000,
    parallelism: 20_000,
    backoffLimitPerIndex: 1,
    maxFailedIndexes: 20_000,
  }),
  indexed("more failed indexes than indexes", { backoffLimitPerIndex: 1, maxFailedIndexes: 6 }),
  job("managedBy without a domain", { managedBy: "me" }),
  job("managedBy empty", { managedBy: "" }),
  job("managedBy long", { managedBy: `example.com/${"a".repeat(60)}` }),
  job("managedBy with characters that no path has", { managedBy: "Example.com/a b" }),
  job("replacement of failed pods that is none", { podReplacementPolicy: "Never" }),
  job("replacement of terminating pods with a failure policy", {
    podReplacementPolicy: "TerminatingOrFailed",
    podFailurePolicy: { rules: [] },
  }),
  {
    ...job("a success policy without Indexed", { successPolicy: { rules: [{ succeededCount: 1 }] } }),
    difference: "Struct values in messages of admission",
  },
  indexed("a success policy without rules", { successPolicy: { rules: [] } }),
  indexed("too many success rules", {
    successPolicy: { rules: Array.from({ length: 21 }, () => ({ succeededCount: 1 })) },
  }),
  success({}),
  success({ succeededIndexes: "" }),
  success({ succeededIndexes: null }),
  success({ succeededIndexes: "", succeededCount: 0 }),
  success({ succeededIndexes: "", succeededCount: 1 }),
  success({ succeededIndexes: "", succeededCount: 6 }),
  success({ succeededIndexes: "0-2", succeededCount: 4 }),
  success({ succeededIndexes: "5" }),
  success({ succeededIndexes: "3-1" }),
  success({ succeededIndexes: "1-2-3" }),
  success({ succeededIndexes: "1,1" }),
  success({ succeededIndexes: "a" }),
  success({ succeededIndexes: "1,", succeededCount: 1 }),
  success({ succeededIndexes: "+1" }),
  success({ succeededCount: -1 }),
  success({ succeededCount: 6 }),
  failure({ action: "Ignore" }),
  failure({ action: "", onExitCodes: { operator: "", values: [] } }),
  failure({ action: "Retry", onExitCodes: { operator: "Near", values: [1] } }),
  failure({ action: "FailIndex", onExitCodes: { operator: "In", values: [1] } }),
  failure({ action: "FailJob", onExitCodes: { operator: "In", values: [0, 3, 2, 2] } }),
  failure({ action: "FailJob", onExitCodes: { containerName: "other", operator: "NotIn", values: [0] } }),
  failure({ action: "Count", onExitCodes: { operator: "In", values: [1] }, onPodConditions: [{ type: "A" }] }),
  failure({ action: "Count", onPodConditions: [{ type: "a b", status: "Maybe" }] }),
  failure(
    { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
    { template: template({ restartPolicy: "OnFailure" }) },
  ),
  ofPodSpec("restartPolicy Always", { restartPolicy: "Always" }),
  ofPodSpec("restartPolicy that is none", { restartPolicy: "Sometimes" }),
  ofPodSpec("restartPolicy left out", { restartPolicy: undefined }),
];

const PODS: readonly DoubtfulManifest[] = [
  ofPodSpec("no containers", { containers: [] }),
  ofContainer("a container without name and image", { name: "", image: "" }),
  ofContainer("a container with a bad name", { name: "A_b" }),
  ofPodSpec("two containers of one name", { containers: [CONTAINER, CONTAINER] }),
  ofPodSpec("an init container with the name of a container", { initContainers: [CONTAINER] }),
  ofPodSpec("an init container with a probe", {
    initContainers: [{ ...CONTAINER, name: "init", readinessProbe: { exec: { command: ["true"] } } }],
  }),
  ofContainer("a container with a long name", { name: long() }),
  ofContainer("a port with a long name", { ports: [{ name: long(), containerPort: 1 }] }),
  ofPodSpec("long names elsewhere", {
    hostname: long(),
    subdomain: long(),
    nodeName: long(),
    serviceAccountName: long(),
    priorityClassName: long(),
    volumes: [{ name: long(), emptyDir: {} }],
  }),
  // One at a time: in which order a server goes through a map is chance.
  ...["a b", "example.com/a", "Kubernetes.io/x", "requests.example.com/a", "cpus", "/a", `${long(250)}/a`].map((name) =>
    ofContainer(`the resource ${name.slice(0, SHOWN)}`, { resources: { limits: { [name]: "1" } } }),
  ),
  ofContainer("an image with spaces around it", { image: " example.com/nothing " }),
  ofContainer("an image pull policy that is none", { imagePullPolicy: "Sometimes" }),
  ofContainer("a message policy that is none", { terminationMessagePolicy: "Sometimes" }),
  ofContainer("ports out of range", {
    ports: [{ containerPort: 0 }, { containerPort: 65_536 }, { containerPort: 1, hostPort: -1 }],
  }),
  ofContainer("ports with bad names and protocols", {
    ports: [
      { name: "a--b", containerPort: 1 },
      { name: "x", containerPort: 2 },
      { name: "x", containerPort: 3, protocol: "ICMP" },
    ],
  }),
  ofContainer("a variable without a name", { env: [{ name: "", value: "x" }] }),
  ofContainer("a variable with = in its name", { env: [{ name: "A=B", value: "x" }] }),
  ofContainer("a request above its limit", { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }),
  ofContainer("a negative request", { resources: { requests: { memory: "-1" } } }),
  ofContainer("a resource that is none", { resources: { requests: { space: "1" } } }),
  ofContainer("a mount of no volume", { volumeMounts: [{ name: "v", mountPath: "/v" }] }),
  ofContainer(
    "two mounts at one place",
    {
      volumeMounts: [
        { name: "v", mountPath: "/v" },
        { name: "v", mountPath: "/v" },
      ],
    },
    { volumes: [{ name: "v", emptyDir: {} }] },
  ),
  ofContainer(
    "a mount without a path",
    { volumeMounts: [{ name: "v", mountPath: "" }] },
    { volumes: [{ name: "v", emptyDir: {} }] },
  ),
  ofContainer("restart rules without a policy", {
    restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [1] } }],
  }),
  ofContainer("a probe without a handler", { livenessProbe: { periodSeconds: -1 } }),
  ofContainer("a hook with two handlers", {
    lifecycle: { preStop: { exec: { command: ["true"] }, sleep: { seconds: 1 } } },
  }),
  ofPodSpec("two volumes of one name", {
    volumes: [
      { name: "v", emptyDir: {} },
      { name: "v", emptyDir: {} },
    ],
  }),
  ofPodSpec("a volume with a bad name", { volumes: [{ name: "A_b", emptyDir: {} }] }),
  ofPodSpec("a DNS policy that is none", { dnsPolicy: "Sometimes" }),
  ofPodSpec("a deadline of 0", { activeDeadlineSeconds: 0 }),
  ofPodSpec("a node selector with a space", { nodeSelector: { a: "x y" } }),
  ofPodSpec("a host name with a dot", { hostname: "a.b", subdomain: "A" }),
  ofPodSpec("a node name in capitals", { nodeName: "NODE" }),
  ofPodSpec("a scheduling gate twice", { schedulingGates: [{ name: "a" }, { name: "a" }, { name: "b c" }] }),
  ofPodSpec("an ephemeral container", { ephemeralContainers: [{ ...CONTAINER, name: "debug" }] }),
  pod("a Pod with a toleration that is none", { tolerations: [{ key: "a", operator: "Near" }] }),
  pod("a Pod with a field that is none", {
    containers: [{ ...CONTAINER, env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.nothing" } } }] }],
  }),
];

const DOWNWARD: readonly DoubtfulManifest[] = [
  ...[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
    "spec.host",
  ].map((path) => fieldRef(path)),
  ...["metadata.labels", "metadata.annotations", "spec.restartPolicy", "spec.schedulerName", "status.phase"].map(
    (path) => fieldRef(path),
  ),
  ...["", "metadata.foo", "spec", ".metadata.name", "metadata.name ", "status.nothing"].map((path) => fieldRef(path)),
  ...[
    "metadata.labels['a']",
    "metadata.labels['example.com/a']",
    "metadata.annotations['EXAMPLE.com/A']",
    "metadata.labels['EXAMPLE.com/a']",
    "metadata.labels['a b']",
    "metadata.annotations['']",
  ].map((path) => fieldRef(path)),
  ...["metadata.name['a']", "['a']", "metadata.labels['a", "metadata.labels[a]", "metadata.labels['a']['b']"].map(
    (path) => fieldRef(path),
  ),
  fieldRef("metadata.name", { apiVersion: "v2" }),
  fieldRef("metadata.name", { apiVersion: "" }),
  variable("a field and a value", { fieldRef: { fieldPath: "metadata.foo" } }, { value: "x" }),
  variable("nothing", {}),
  variable("nothing, with a value", {}, { value: "x" }),
  variable("two places", { fieldRef: { fieldPath: "metadata.name" }, resourceFieldRef: { resource: "limits.cpu" } }),
  ...["limits.cpu", "requests.memory", "limits.ephemeral-storage", "limits.hugepages-2Mi", "requests.hugepages-"].map(
    (resource) => resourceRef(resource),
  ),
  ...["", "cpu", "limits.gpu", "limits.CPU"].map((resource) => resourceRef(resource)),
  ...["0", "1", "1m", "1k", "2", "1000m", "0.001"].map((divisor) => resourceRef("limits.cpu", { divisor })),
  ...["1", "1k", "1Ki", "1000", "1024", "1m", "2Mi"].map((divisor) => resourceRef("limits.memory", { divisor })),
  ...["1Gi", "3"].flatMap((divisor) =>
    ["requests.ephemeral-storage", "limits.hugepages-2Mi"].map((resource) => resourceRef(resource, { divisor })),
  ),
  resourceRef("limits.cpu", { containerName: "other" }),
  variable("a ConfigMap without a key", { configMapKeyRef: { name: "c", key: "" } }),
  variable("a ConfigMap without a name", { configMapKeyRef: { key: "k" } }),
  variable("a ConfigMap with a key that is none", { configMapKeyRef: { name: "c", key: "a/b" } }),
  variable("a Secret without a key", { secretKeyRef: { name: "s", key: "" } }),
  variable("a Secret with a key that is none", { secretKeyRef: { name: "s", key: ".." } }),
  ofContainer("variables from nothing", { envFrom: [{}] }),
  ofContainer("variables from a ConfigMap and a Secret", {
    envFrom: [{ configMapRef: { name: "a" }, secretRef: { name: "b" } }],
  }),
  ofContainer("variables with a prefix that is none", { envFrom: [{ prefix: "a=", configMapRef: { name: "A_b" } }] }),
  ...[long(), "a/b", "..", "...", ".", "..a"].map((key) =>
    variable(`a ConfigMap with the key ${key.slice(0, SHOWN)}`, { configMapKeyRef: { name: "c", key } }),
  ),
  variable("a ConfigMap with a long name", { configMapKeyRef: { name: long(), key: "k" } }),
  ofContainer("variables from a Secret with a name that ends in a hyphen", {
    envFrom: [{ secretRef: { name: "a-" } }, { secretRef: {} }],
  }),
  ofPodSpec("a projected volume with a field that is none", {
    volumes: [
      {
        name: "v",
        projected: { sources: [{ downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "spec.host" } }] } }] },
      },
    ],
  }),
  ofPodSpec("a downward API volume with a mode that is none", {
    volumes: [{ name: "v", downwardAPI: { defaultMode: -1 } }],
  }),
  file("none", { path: "a" }),
  file("of labels", { path: "a", fieldRef: { fieldPath: "metadata.labels" } }),
  file("of the node's name", { path: "a", fieldRef: { fieldPath: "spec.nodeName" } }),
  file("of a resource without a container", { path: "a", resourceFieldRef: { resource: "limits.cpu" } }),
  file("of a resource", {
    path: "a",
    resourceFieldRef: { containerName: "main", resource: "limits.cpus", divisor: "7" },
  }),
  file("of two", {
    path: "a",
    fieldRef: { fieldPath: "metadata.name" },
    resourceFieldRef: { containerName: "main", resource: "limits.cpu" },
  }),
  file("at no path", { path: "", fieldRef: { fieldPath: "metadata.name" } }),
  ...["/a", "..", "..a", "a/../b", "a/..", "../.."].map((path) =>
    file(`at ${path}`, { path, fieldRef: { fieldPath: "metadata.name" } }),
  ),
  file("outside", { path: "../a", fieldRef: { fieldPath: "metadata.name" } }),
  file("with a mode that is none", { path: "a", mode: 512, fieldRef: { fieldPath: "metadata.name" } }),
];

const TOLERATIONS: readonly DoubtfulManifest[] = [
  toleration({}),
  toleration({ operator: "Exists" }),
  toleration({ operator: "Equal" }),
  toleration({ key: "a" }),
  toleration({ key: "a", value: "x" }),
  toleration({ key: "a", value: "x y" }),
  toleration({ key: "a", value: `${"x".repeat(64)} ` }),
  toleration({ key: "a", operator: "Exists", value: "x" }),
  toleration({ key: "a b", operator: "Exists" }),
  toleration({ key: "a", operator: "Near" }),
  toleration({ key: "a", operator: "exists" }),
  toleration({ key: "a", operator: "Lt", value: "5" }),
  toleration({ key: "a", operator: "Gt", value: "x" }),
  toleration({ key: "a", operator: "Exists", effect: "NoRun" }),
  toleration({ key: "a", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 5 }),
  toleration({ key: "a", operator: "Exists", tolerationSeconds: 5 }),
  toleration({ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: -5 }),
  toleration({ operator: "Near", effect: "NoRun", value: "x y", tolerationSeconds: 1 }),
];

export const DOUBTFUL_MANIFESTS: readonly DoubtfulManifest[] = [
  ...NAMES,
  ...METADATA,
  ...JOBS,
  ...PODS,
  ...DOWNWARD,
  ...TOLERATIONS,
];

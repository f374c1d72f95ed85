/** Sequences of writes, one for each rule of server-side apply and of managedFields. */
import type { Json, JsonObject } from "../../../cluster/index.ts";
import type { Kind, Sequence, Step } from "./play.ts";

type Extra = Partial<Step>;

/** The steps of a manager: `by("me").apply("Job", { spec })`. */
function by(as: string | undefined) {
  const step =
    (verb: Step["verb"]) =>
    (kind: Kind, body?: Json, extra: Extra = {}): Step => ({
      ...(as !== undefined && { as }),
      verb,
      kind,
      ...(body !== undefined && { body }),
      ...extra,
    });
  return {
    apply: step("apply"),
    create: step("create"),
    update: step("update"),
    merge: step("merge"),
    strategic: step("strategic"),
    json: step("json"),
    delete: step("delete"),
  };
}

const [me, you, they] = [by("me"), by("you"), by("they")];
const kubectl = by("kubectl");
const force = { query: "force=true" };
const onStatus = { subresource: "status" };
const get = (kind: Kind): Step => ({ verb: "get", kind });

const container = (rest: JsonObject = {}): JsonObject => ({ name: "c", image: "busybox", ...rest });
const podSpec = (rest: JsonObject = {}): JsonObject => ({ containers: [container()], ...rest });
const jobPod = (rest: JsonObject = {}): JsonObject => ({ restartPolicy: "Never", ...podSpec(rest) });
/** A suspended Job, whose template may change until it starts. */
const job = (spec: JsonObject = {}, pod: JsonObject = jobPod(), metadata?: JsonObject): JsonObject => ({
  ...(metadata && { metadata }),
  spec: { suspend: true, template: { spec: pod }, ...spec },
});
const map = (data: JsonObject, metadata?: JsonObject): JsonObject => ({ data, ...(metadata && { metadata }) });
const labels = (values: JsonObject | null): JsonObject => ({ metadata: { labels: values } });
/** The first write to a Job without labels always changes something: it stores those of the template. */
const labelled = (metadata: JsonObject = {}): JsonObject => job({}, jobPod(), { ...metadata, labels: { a: "b" } });
const withContainers = (...containers: JsonObject[]): JsonObject => job({}, jobPod({ containers }));

const owner = (uid: string, name = uid): JsonObject => ({ apiVersion: "v1", kind: "Pod", name, uid });
const lastApplied = (value: JsonObject): JsonObject => ({
  "kubectl.kubernetes.io/last-applied-configuration": `${JSON.stringify(value)}\n`,
});

const plain: readonly Sequence[] = [
  { name: "an apply creates", steps: [me.apply("ConfigMap", map({ a: "1" })), get("ConfigMap")] },
  {
    name: "the same apply again changes nothing",
    steps: [me.apply("ConfigMap", map({ a: "1" })), me.apply("ConfigMap", map({ a: "1" })), get("ConfigMap")],
  },
  {
    name: "an apply changes its own value",
    steps: [me.apply("ConfigMap", map({ a: "1" })), me.apply("ConfigMap", map({ a: "2" }))],
  },
  {
    name: "an apply adds a value",
    steps: [me.apply("ConfigMap", map({ a: "1" })), me.apply("ConfigMap", map({ a: "1", b: "2" }))],
  },
  {
    name: "what is left out goes",
    steps: [me.apply("ConfigMap", map({ a: "1", b: "2" })), me.apply("ConfigMap", map({ a: "1" }))],
  },
  {
    name: "all data is left out",
    steps: [me.apply("ConfigMap", map({ a: "1", b: "2" })), me.apply("ConfigMap", {}), get("ConfigMap")],
  },
  {
    name: "empty data is applied",
    steps: [me.apply("ConfigMap", map({ a: "1" })), me.apply("ConfigMap", map({}))],
  },
  { name: "an object without anything", steps: [me.apply("ConfigMap", {}), me.apply("ConfigMap", {})] },
  {
    name: "what is left out stays when another applier owns it",
    steps: [
      me.apply("ConfigMap", map({ a: "1", b: "2" })),
      you.apply("ConfigMap", map({ b: "2" })),
      me.apply("ConfigMap", map({ a: "1" })),
    ],
  },
  {
    name: "what is left out stays when an updater owns it",
    steps: [
      me.apply("ConfigMap", map({ a: "1", b: "2" })),
      you.merge("ConfigMap", map({ b: "3" })),
      me.apply("ConfigMap", map({ a: "1" })),
    ],
  },
  {
    name: "the last of two appliers leaves a value out",
    steps: [
      me.apply("ConfigMap", map({ a: "1" })),
      you.apply("ConfigMap", map({ a: "1" })),
      me.apply("ConfigMap", {}),
      you.apply("ConfigMap", {}),
    ],
  },
  {
    name: "two appliers share a value",
    steps: [me.apply("ConfigMap", map({ a: "1" })), you.apply("ConfigMap", map({ a: "1" })), get("ConfigMap")],
  },
  {
    name: "two appliers conflict",
    steps: [me.apply("ConfigMap", map({ a: "1" })), you.apply("ConfigMap", map({ a: "2" })), get("ConfigMap")],
  },
  {
    name: "a forced apply takes over",
    steps: [
      me.apply("ConfigMap", map({ a: "1" })),
      you.apply("ConfigMap", map({ a: "2" }), force),
      me.apply("ConfigMap", map({ a: "1" })),
    ],
  },
  {
    name: "a forced apply takes everything",
    steps: [
      me.apply("ConfigMap", map({ a: "1", b: "1" })),
      you.apply("ConfigMap", map({ a: "2", b: "2" }), force),
      get("ConfigMap"),
    ],
  },
  {
    name: "an apply conflicts with an updater",
    steps: [you.create("ConfigMap", map({ a: "1" })), me.apply("ConfigMap", map({ a: "2" }))],
  },
  {
    name: "an apply conflicts with two fields of an updater",
    steps: [you.create("ConfigMap", map({ a: "1", b: "1" })), me.apply("ConfigMap", map({ a: "2", b: "2" }))],
  },
  {
    name: "an apply conflicts with a manager of each operation",
    steps: [
      me.apply("ConfigMap", map({ a: "1" })),
      you.merge("ConfigMap", map({ a: "1", b: "1" })),
      they.apply("ConfigMap", map({ b: "2" })),
      they.apply("ConfigMap", map({ a: "2" })),
    ],
  },
  {
    name: "a forced apply takes from an updater",
    steps: [you.create("ConfigMap", map({ a: "1", b: "1" })), me.apply("ConfigMap", map({ a: "2" }), force)],
  },
  {
    name: "an apply with the values of an updater",
    steps: [you.create("ConfigMap", map({ a: "1" })), me.apply("ConfigMap", map({ a: "1" })), get("ConfigMap")],
  },
  {
    name: "one name applies and updates",
    steps: [
      me.apply("ConfigMap", map({ a: "1" })),
      me.merge("ConfigMap", map({ a: "2", b: "2" })),
      me.apply("ConfigMap", map({ a: "1" })),
      me.apply("ConfigMap", map({ a: "1" }), force),
    ],
  },
  {
    name: "an update takes an applied value",
    steps: [me.apply("ConfigMap", map({ a: "1" })), you.merge("ConfigMap", map({ a: "2" })), get("ConfigMap")],
  },
  {
    name: "an update removes an applied value",
    steps: [
      me.apply("ConfigMap", map({ a: "1", b: "1" })),
      you.merge("ConfigMap", map({ a: null })),
      me.apply("ConfigMap", map({ a: "1", b: "1" })),
    ],
  },
  {
    name: "an update removes everything",
    steps: [me.apply("ConfigMap", map({ a: "1" })), you.json("ConfigMap", [{ op: "remove", path: "/data" }])],
  },
  {
    name: "an update with the same value takes nothing",
    steps: [me.apply("ConfigMap", map({ a: "1" })), you.merge("ConfigMap", map({ a: "1" })), get("ConfigMap")],
  },
  {
    name: "an empty patch changes nothing",
    steps: [me.create("ConfigMap", map({ a: "1" })), you.merge("ConfigMap", {}), get("ConfigMap")],
  },
  {
    name: "a PUT owns what it changes",
    steps: [me.create("ConfigMap", map({ a: "1", b: "1" })), you.update("ConfigMap", map({ a: "2", c: "3" }))],
  },
  {
    name: "a PUT without managedFields keeps them",
    steps: [
      me.create("ConfigMap", map({ a: "1" })),
      you.update("ConfigMap", { data: { a: "2" }, metadata: { managedFields: null } }),
    ],
  },
  {
    name: "a second update of one manager",
    steps: [
      me.create("ConfigMap", map({ a: "1" })),
      you.merge("ConfigMap", map({ b: "1" })),
      you.merge("ConfigMap", map({ c: "1" })),
      you.merge("ConfigMap", map({ b: null })),
    ],
  },
  {
    name: "the creator changes another field",
    steps: [me.create("ConfigMap", map({ a: "1" })), me.merge("ConfigMap", map({ b: "1" }))],
  },
  {
    name: "nobody is left",
    steps: [me.create("ConfigMap", map({ a: "1" })), you.json("ConfigMap", [{ op: "remove", path: "/data" }])],
  },
  {
    name: "a writer without a name",
    steps: [by(undefined).create("ConfigMap", map({ a: "1" })), by(undefined).merge("ConfigMap", map({ b: "1" }))],
  },
  {
    name: "labels and annotations",
    steps: [
      me.apply("ConfigMap", { metadata: { labels: { a: "1" }, annotations: { "x/y": "1" } } }),
      you.apply("ConfigMap", { metadata: { labels: { b: "1" }, annotations: { "x/z": "1" } } }),
      me.apply("ConfigMap", { metadata: { labels: { a: "2" } } }),
      you.apply("ConfigMap", { metadata: { labels: { a: "1" } } }),
    ],
  },
  {
    name: "null leaves a map as it is",
    steps: [me.apply("ConfigMap", labels({ a: "1" })), you.apply("ConfigMap", labels(null)), get("ConfigMap")],
  },
  {
    name: "null for a value",
    steps: [me.apply("ConfigMap", labels({ a: "1" })), me.apply("ConfigMap", labels({ a: null }))],
  },
  {
    name: "immutable ConfigMaps",
    steps: [
      me.apply("ConfigMap", { data: { a: "1" }, immutable: true }),
      me.apply("ConfigMap", { data: { a: "2" }, immutable: true }),
      me.apply("ConfigMap", { data: { a: "1" } }),
    ],
  },
  {
    name: "binary data",
    steps: [me.apply("ConfigMap", { binaryData: { a: "AAEC" } }), me.apply("ConfigMap", { binaryData: { b: "AAEC" } })],
  },
  {
    name: "keys with special characters",
    steps: [
      me.apply("ConfigMap", { metadata: { annotations: { "a.b/c": "<&>\u2028" } }, data: { "a.b": "1", "a_b": "2" } }),
      you.apply("ConfigMap", map({ "a.b": "2" })),
    ],
  },
  {
    name: "strings of a Secret",
    steps: [
      me.apply("Secret", { stringData: { a: "1" } }),
      me.apply("Secret", { stringData: { a: "2" } }, force),
      me.apply("Secret", { data: { b: "MQ==" } }),
      you.apply("Secret", { data: { b: "Mg==" } }),
    ],
  },
  {
    name: "a Secret that was created with strings",
    steps: [me.create("Secret", { stringData: { a: "1" } }), you.apply("Secret", { data: { a: "Mg==" } })],
  },
  {
    name: "a Lease",
    steps: [
      me.apply("Lease", { spec: { holderIdentity: "a", renewTime: "2026-01-02T03:04:05.000000Z" } }),
      you.merge("Lease", { spec: { holderIdentity: "b" }, metadata: {} }),
      me.update("Lease", { spec: { holderIdentity: "c", leaseTransitions: 2 } }),
    ],
  },
];

const refusals: readonly Sequence[] = [
  { name: "no manager", steps: [by(undefined).apply("ConfigMap", map({ a: "1" }))] },
  { name: "a manager that is too long", steps: [by("m".repeat(129)).apply("ConfigMap", map({ a: "1" }))] },
  { name: "a manager of 128 characters", steps: [by("m".repeat(128)).apply("ConfigMap", map({ a: "1" }))] },
  { name: "a manager that cannot be printed", steps: [by("a\nb").apply("ConfigMap", map({ a: "1" }))] },
  { name: "an updater that cannot be printed", steps: [by("a\nb").create("ConfigMap", map({ a: "1" }))] },
  {
    name: "an updater that is too long",
    steps: [me.create("ConfigMap", {}), by("m".repeat(129)).merge("ConfigMap", map({ a: "1" }))],
  },
  {
    name: "force for another patch",
    steps: [me.create("ConfigMap", {}), me.merge("ConfigMap", map({ a: "1" }), force)],
  },
  {
    name: "managedFields in the body",
    steps: [
      me.apply("ConfigMap", { metadata: { managedFields: [] } }),
      me.apply("ConfigMap", { metadata: { managedFields: null } }),
      me.apply("ConfigMap", {
        metadata: { managedFields: [{ manager: "x", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1" }] },
      }),
    ],
  },
  {
    name: "another kind",
    steps: [me.apply("ConfigMap", { apiVersion: "v1", kind: "Secret", metadata: { name: "x" } })],
  },
  { name: "another version", steps: [me.apply("ConfigMap", { apiVersion: "v2", kind: "ConfigMap" })] },
  { name: "another group", steps: [me.apply("Job", { apiVersion: "x.io/v1", kind: "Job" })] },
  { name: "no kind", steps: [me.apply("ConfigMap", { apiVersion: "v1" })] },
  { name: "no version", steps: [me.apply("ConfigMap", '{"kind":"ConfigMap"}')] },
  { name: "another name", steps: [me.apply("ConfigMap", { metadata: { name: "other" } })] },
  {
    name: "another name for an object that is there",
    steps: [me.create("ConfigMap", {}), me.apply("ConfigMap", { metadata: { name: "other" } })],
  },
  { name: "no name", steps: [me.apply("ConfigMap", { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } })] },
  {
    name: "no name for an object that is there",
    steps: [
      me.create("ConfigMap", {}),
      me.apply("ConfigMap", { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } }),
    ],
  },
  { name: "another namespace", steps: [me.apply("ConfigMap", { metadata: { namespace: "kube-system" } })] },
  {
    name: "another namespace for an object that is there",
    steps: [me.create("ConfigMap", {}), me.apply("ConfigMap", { metadata: { namespace: "kube-system" } })],
  },
  { name: "its namespace", steps: [me.apply("ConfigMap", { metadata: { namespace: "default" } })] },
  { name: "a uid for an object that is not there", steps: [me.apply("ConfigMap", { metadata: { uid: "u" } })] },
  {
    name: "another uid",
    steps: [me.create("ConfigMap", {}), me.apply("ConfigMap", { metadata: { uid: "u" }, data: { a: "1" } })],
  },
  {
    name: "a version for an object that is not there",
    steps: [me.apply("ConfigMap", { metadata: { resourceVersion: "1" } })],
  },
  {
    name: "an old version",
    steps: [
      me.create("ConfigMap", {}),
      me.apply("ConfigMap", { metadata: { resourceVersion: "1" }, data: { a: "1" } }),
      get("ConfigMap"),
    ],
  },
  {
    name: "a version that is no number",
    steps: [
      me.create("ConfigMap", {}),
      me.apply("ConfigMap", { metadata: { resourceVersion: "x" }, data: { a: "1" } }),
    ],
  },
  {
    name: "a subresource of an object that is not there",
    steps: [me.apply("Job", { status: {} }, onStatus)],
  },
  {
    name: "an object that is gone",
    steps: [me.create("ConfigMap", {}), me.delete("ConfigMap"), me.apply("ConfigMap", {})],
  },
  { name: "a field that is unknown", steps: [me.apply("ConfigMap", { foo: 1 })] },
  { name: "an unknown field of metadata", steps: [me.apply("ConfigMap", { metadata: { foo: 1 } })] },
  { name: "an unknown field of a Job", steps: [me.apply("Job", job({ foo: 1 }))] },
  { name: "an unknown field of a container", steps: [me.apply("Job", withContainers(container({ foo: 1 })))] },
  {
    name: "an unknown field that is not to be validated",
    steps: [me.apply("ConfigMap", { foo: 1 }, { query: "fieldValidation=Ignore" })],
  },
  { name: "a text for a number", steps: [me.apply("Job", job({ parallelism: "2" }))] },
  { name: "an object for a number", steps: [me.apply("Job", job({ parallelism: { a: 1 } }))] },
  { name: "a list for a number", steps: [me.apply("Job", job({ parallelism: [1] }))] },
  { name: "a boolean for a number", steps: [me.apply("Job", job({ parallelism: true }))] },
  { name: "a number for a text", steps: [me.apply("ConfigMap", map({ a: 1 }))] },
  { name: "a fraction for a text", steps: [me.apply("ConfigMap", map({ a: 1.5 }))] },
  { name: "a boolean for a text", steps: [me.apply("ConfigMap", map({ a: true }))] },
  { name: "an object for a text", steps: [me.apply("ConfigMap", map({ a: { b: "c" } }))] },
  { name: "a list for a text", steps: [me.apply("ConfigMap", map({ a: ["b"] }))] },
  { name: "a text for a boolean", steps: [me.apply("Job", job({ suspend: "yes" }))] },
  { name: "a number for a boolean", steps: [me.apply("Job", job({ suspend: 1 }))] },
  { name: "a text for a map", steps: [me.apply("ConfigMap", labels("a" as never))] },
  { name: "a list for a map", steps: [me.apply("ConfigMap", labels(["a"] as never))] },
  { name: "a map for a list", steps: [me.apply("ConfigMap", { metadata: { finalizers: { a: "b" } } })] },
  { name: "a text for a list", steps: [me.apply("ConfigMap", { metadata: { finalizers: "a" } })] },
  { name: "a text for a struct", steps: [me.apply("Job", { spec: "a" })] },
  { name: "a list for a quantity", steps: [me.apply("Pod", { spec: podSpec({ overhead: { cpu: ["1"] } }) })] },
  { name: "a container twice", steps: [me.apply("Job", withContainers(container(), container()))] },
  { name: "a finalizer twice", steps: [me.apply("ConfigMap", { metadata: { finalizers: ["a/b", "a/b"] } })] },
  { name: "a null in a set", steps: [me.apply("ConfigMap", { metadata: { finalizers: [null] } })] },
  { name: "a map in a set", steps: [me.apply("ConfigMap", { metadata: { finalizers: [{ a: "b" }] } })] },
  { name: "a null among containers", steps: [me.apply("Job", withContainers(null as never))] },
  { name: "a text among containers", steps: [me.apply("Job", withContainers("c" as never))] },
  { name: "a container without a name", steps: [me.apply("Job", withContainers({ image: "busybox" }))] },
  { name: "text that is no YAML", steps: [me.apply("ConfigMap", "a: b: c")] },
  { name: "YAML that is a list", steps: [me.apply("ConfigMap", "- a")] },
  { name: "YAML that is a text", steps: [me.apply("ConfigMap", "a")] },
  { name: "an empty body", steps: [me.apply("ConfigMap", "")] },
  { name: "an unknown validation level", steps: [me.apply("ConfigMap", {}, { query: "fieldValidation=Hard" })] },
  { name: "an unknown dry run", steps: [me.apply("ConfigMap", {}, { query: "dryRun=Some" })] },
  { name: "an invalid label", steps: [me.apply("ConfigMap", labels({ a: "not valid" }))] },
  { name: "an invalid name", steps: [me.apply("ConfigMap", {}, { name: "Not_Valid" })] },
  { name: "an invalid Job", steps: [me.apply("Job", job({ parallelism: -1 }))] },
  {
    name: "a change of a Job that is forbidden",
    steps: [me.apply("Job", job({ completions: 2 })), me.apply("Job", job({ completions: 3 }))],
  },
];

const yaml = (data: string): string => `apiVersion: v1\nkind: ConfigMap\n${data}`;
const texts: readonly Sequence[] = [
  { name: "YAML", steps: [me.apply("ConfigMap", yaml("data:\n  a: b # a comment\n  c: |\n    d\n"))] },
  { name: "a key twice", steps: [me.apply("ConfigMap", yaml("data:\n  a: '1'\n  a: '2'\n"))] },
  {
    name: "a key twice, strictly",
    steps: [me.apply("ConfigMap", yaml("data:\n  a: '1'\n  a: '2'\n"), { query: "fieldValidation=Strict" })],
  },
  {
    name: "a key twice, that nobody looks at",
    steps: [me.apply("ConfigMap", yaml("data:\n  a: '1'\n  a: '2'\n"), { query: "fieldValidation=Ignore" })],
  },
  {
    name: "a key twice in JSON",
    steps: [me.apply("ConfigMap", '{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","a":"2"}}')],
  },
  { name: "yes is a boolean", steps: [me.apply("ConfigMap", yaml("data:\n  a: yes\n"))] },
  { name: "y in YAML", steps: [me.apply("ConfigMap", yaml("data:\n  a: y\n"))] },
  { name: "a date is a text", steps: [me.apply("ConfigMap", yaml("data:\n  a: 2026-01-02\n"))] },
  { name: "anchors", steps: [me.apply("ConfigMap", yaml("data: &d\n  a: b\nmetadata:\n  labels: *d\n"))] },
  { name: "null data", steps: [me.apply("ConfigMap", yaml("data:\n"))] },
  { name: "two documents", steps: [me.apply("ConfigMap", yaml("data:\n  a: b\n---\na: b\n"))] },
];

const jobs: readonly Sequence[] = [
  { name: "a Job is created", steps: [me.create("Job", job()), get("Job")] },
  { name: "a Job is applied", steps: [me.apply("Job", job()), get("Job")] },
  {
    name: "a Job with labels of its own",
    steps: [me.create("Job", job({ template: { metadata: { labels: { a: "b" } }, spec: jobPod() } }))],
  },
  {
    name: "a Job with a selector of its own",
    steps: [
      me.create(
        "Job",
        job({
          manualSelector: true,
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: jobPod() },
        }),
      ),
    ],
  },
  {
    name: "an applied Job with a selector of its own",
    steps: [
      me.apply(
        "Job",
        job({
          manualSelector: true,
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: jobPod() },
        }),
      ),
      you.apply("Job", { spec: { manualSelector: true } }),
    ],
  },
  { name: "the status of a new Job is nobody's", steps: [me.create("Job", { ...job(), status: { active: 3 } })] },
  {
    name: "the applied status of a new Job is nobody's",
    steps: [me.apply("Job", { ...job(), status: { active: 3 } })],
  },
  {
    name: "a Job is resumed by another manager",
    steps: [me.apply("Job", job()), you.merge("Job", { spec: { suspend: false } }), me.apply("Job", job())],
  },
  {
    name: "a default is not taken for a conflict",
    steps: [
      me.create("Job", job()),
      you.apply("Job", { spec: { parallelism: 2 } }),
      you.apply("Job", { spec: { parallelism: 2 } }, force),
    ],
  },
  {
    name: "an applied value goes back to its default",
    steps: [me.apply("Job", job({ backoffLimit: 3 })), me.apply("Job", job()), get("Job")],
  },
  {
    name: "the owner of parallelism leaves it out",
    steps: [me.apply("Job", job()), you.apply("Job", { spec: { parallelism: 3 } }), you.apply("Job", { spec: {} })],
  },
  {
    name: "parallelism and completions",
    steps: [
      me.apply("Job", job({ parallelism: 2, completions: 4 })),
      me.apply("Job", job({ parallelism: 3, completions: 4 })),
      me.apply("Job", job({ completions: 4 })),
    ],
  },
  {
    name: "everything under the template is left out",
    steps: [
      me.create("Job", job()),
      you.apply("Job", { spec: { template: { metadata: { annotations: { a: "b" } } } } }),
      you.apply("Job", {}, force),
    ],
  },
  {
    name: "the template loses everything",
    steps: [
      me.apply("Job", job()),
      you.apply("Job", { spec: { suspend: true } }),
      me.apply("Job", { spec: { suspend: true } }),
    ],
  },
  {
    name: "a policy is one value",
    steps: [
      me.apply(
        "Job",
        job({
          podFailurePolicy: {
            rules: [{ action: "Count", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
          },
        }),
      ),
      you.apply("Job", {
        spec: { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }] } },
      }),
    ],
  },
  {
    name: "a Job with a time limit",
    steps: [
      me.apply("Job", job({ activeDeadlineSeconds: 10 })),
      you.apply("Job", { spec: { activeDeadlineSeconds: 20 } }, force),
      me.apply("Job", job()),
    ],
  },
  {
    name: "node selectors are one value",
    steps: [
      me.apply("Job", job({}, jobPod({ nodeSelector: { a: "1" } }))),
      you.apply("Job", { spec: { template: { spec: { nodeSelector: { b: "1" } } } } }),
      you.apply("Job", { spec: { template: { spec: { nodeSelector: { b: "1" } } } } }, force),
    ],
  },
  {
    name: "tolerations are one value",
    steps: [
      me.apply("Job", job({}, jobPod({ tolerations: [{ key: "a", operator: "Exists" }] }))),
      you.apply("Job", { spec: { template: { spec: { tolerations: [{ key: "b", operator: "Exists" }] } } } }, force),
      me.apply("Job", job()),
    ],
  },
  {
    name: "affinity",
    steps: [
      me.apply(
        "Job",
        job(
          {},
          jobPod({
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
                },
              },
            },
          }),
        ),
      ),
      you.apply("Job", {
        spec: {
          template: {
            spec: {
              affinity: {
                podAntiAffinity: {
                  preferredDuringSchedulingIgnoredDuringExecution: [
                    { weight: 1, podAffinityTerm: { topologyKey: "z" } },
                  ],
                },
              },
            },
          },
        },
      }),
    ],
  },
  {
    name: "a quantity in another form is another value",
    steps: [
      me.apply("Job", { ...labelled(), ...withContainers(container({ resources: { requests: { cpu: "500m" } } })) }),
      you.apply("Job", withContainers({ name: "c", resources: { requests: { cpu: "0.5" } } })),
      me.apply("Job", { ...labelled(), ...withContainers(container({ resources: { requests: { cpu: "0.5" } } })) }),
      get("Job"),
    ],
  },
  {
    name: "resources",
    steps: [
      me.apply("Job", withContainers(container({ resources: { requests: { cpu: "1" }, limits: { memory: "1Gi" } } }))),
      you.apply("Job", withContainers({ name: "c", resources: { limits: { cpu: "2" } } })),
      me.apply("Job", withContainers(container({ resources: {} }))),
    ],
  },
  {
    name: "an empty struct",
    steps: [
      me.apply("Job", { ...labels({ a: "b" }), ...job({}, jobPod({ volumes: [{ name: "v", emptyDir: {} }] })) }),
      me.apply("Job", job({}, jobPod({ volumes: [{ name: "v", emptyDir: { medium: "Memory" } }] }))),
      me.apply("Job", { ...labels({ a: "b" }), ...job({}, jobPod({ volumes: [{ name: "v", emptyDir: {} }] })) }),
    ],
  },
  {
    name: "a volume changes its source",
    steps: [
      me.apply("Job", job({}, jobPod({ volumes: [{ name: "v", emptyDir: {} }] }))),
      me.apply(
        "Job",
        job({}, jobPod({ volumes: [{ name: "v", configMap: { name: "m", items: [{ key: "a", path: "b" }] } }] })),
      ),
    ],
  },
  {
    name: "a strategic patch of a Job",
    steps: [
      me.create("Job", job()),
      you.strategic("Job", {
        spec: { template: { spec: { containers: [{ name: "c", env: [{ name: "A", value: "1" }] }] } } },
      }),
    ],
  },
];

const env = (...pairs: [string, string][]): JsonObject[] => pairs.map(([name, value]) => ({ name, value }));
const onlyEnv = (...pairs: [string, string][]): JsonObject => withContainers({ name: "c", env: env(...pairs) });
const port = (containerPort: number, rest: JsonObject = {}): JsonObject => ({ containerPort, ...rest });

const lists: readonly Sequence[] = [
  {
    name: "two managers of one container",
    steps: [
      me.apply("Job", withContainers(container())),
      you.apply("Job", onlyEnv(["A", "1"])),
      you.apply("Job", onlyEnv(["B", "1"])),
    ],
  },
  {
    name: "a container of another manager",
    steps: [
      me.apply("Job", labelled()),
      you.apply("Job", withContainers({ name: "d", image: "busybox" })),
      me.apply("Job", labelled()),
      you.apply("Job", withContainers({ name: "c", image: "busybox" })),
    ],
  },
  {
    name: "a container is left out",
    steps: [
      me.apply("Job", withContainers(container(), { name: "d", image: "busybox" })),
      me.apply("Job", withContainers(container())),
    ],
  },
  {
    name: "a container that another manager has a field of is left out",
    steps: [
      me.apply("Job", withContainers(container(), { name: "d", image: "busybox" })),
      you.apply("Job", withContainers({ name: "d", env: env(["A", "1"]) })),
      me.apply("Job", withContainers(container())),
    ],
  },
  {
    name: "the image of another manager",
    steps: [me.apply("Job", job()), you.apply("Job", withContainers({ name: "c", image: "other" }))],
  },
  {
    name: "order is taken over",
    steps: [
      me.apply("Job", withContainers(container({ env: env(["A", "1"], ["B", "1"], ["C", "1"]) }))),
      me.apply("Job", withContainers(container({ env: env(["C", "1"], ["A", "1"], ["B", "1"]) }))),
      you.apply("Job", onlyEnv(["B", "1"], ["X", "1"], ["A", "1"])),
      you.apply("Job", onlyEnv(["X", "1"], ["Y", "1"])),
      they.apply("Job", onlyEnv(["Z", "1"], ["B", "1"], ["Y", "1"], ["C", "1"])),
    ],
  },
  {
    name: "order among others",
    steps: [
      me.create("Job", withContainers(container({ env: env(["A", "1"], ["B", "1"], ["C", "1"], ["D", "1"]) }))),
      you.apply("Job", onlyEnv(["D", "1"], ["X", "1"], ["B", "1"])),
      you.apply("Job", onlyEnv(["X", "1"], ["D", "1"])),
    ],
  },
  {
    name: "variables are keyed",
    steps: [
      me.apply("Job", withContainers(container({ env: env(["A", "1"], ["B", "1"]) }))),
      you.apply("Job", onlyEnv(["B", "2"])),
      you.apply("Job", onlyEnv(["B", "2"]), force),
      me.apply("Job", withContainers(container({ env: env(["A", "1"]) }))),
    ],
  },
  {
    name: "a variable gets a source",
    steps: [
      me.apply("Job", withContainers(container({ env: env(["A", "1"]) }))),
      me.apply(
        "Job",
        withContainers(container({ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "m", key: "k" } } }] })),
      ),
      you.apply(
        "Job",
        withContainers({ name: "c", env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "m", key: "l" } } }] }),
      ),
    ],
  },
  {
    name: "ports have the default protocol in their key",
    steps: [
      me.apply(
        "Job",
        withContainers(container({ ports: [port(80), port(443, { protocol: "TCP" }), port(80, { protocol: "UDP" })] })),
      ),
      you.apply("Job", withContainers({ name: "c", ports: [port(80, { name: "web" })] })),
      me.apply("Job", withContainers(container({ ports: [port(443)] }))),
      you.apply("Job", withContainers({ name: "c", ports: [port(80, { protocol: "TCP", name: "other" })] })),
    ],
  },
  {
    name: "a port twice by its default",
    steps: [me.apply("Job", withContainers(container({ ports: [port(80), port(80, { protocol: "TCP" })] })))],
  },
  {
    name: "a port without a number",
    steps: [me.apply("Job", withContainers(container({ ports: [{ name: "web" }] })))],
  },
  {
    name: "ports are written in the order of their numbers",
    steps: [me.create("Job", withContainers(container({ ports: [port(8080), port(443), port(80), port(9)] })))],
  },
  {
    name: "mounts by path",
    steps: [
      me.apply(
        "Job",
        job(
          {},
          {
            restartPolicy: "Never",
            volumes: [{ name: "v", emptyDir: {} }],
            containers: [
              container({
                volumeMounts: [
                  { name: "v", mountPath: "/a" },
                  { name: "v", mountPath: "/b" },
                ],
              }),
            ],
          },
        ),
      ),
      you.apply("Job", withContainers({ name: "c", volumeMounts: [{ name: "v", mountPath: "/b", readOnly: true }] })),
    ],
  },
  {
    name: "spread constraints by two keys",
    steps: [
      me.apply(
        "Job",
        job(
          {},
          jobPod({
            topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
          }),
        ),
      ),
      you.apply(
        "Job",
        job(
          {},
          { topologySpreadConstraints: [{ maxSkew: 2, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" }] },
        ),
      ),
    ],
  },
  {
    name: "pull secrets",
    steps: [
      me.apply("Job", job({}, jobPod({ imagePullSecrets: [{ name: "a" }] }))),
      you.apply("Job", job({}, { imagePullSecrets: [{ name: "b" }, {}] })),
    ],
  },
  {
    name: "host aliases",
    steps: [
      me.apply("Job", job({}, jobPod({ hostAliases: [{ ip: "10.0.0.1", hostnames: ["a"] }] }))),
      you.apply(
        "Job",
        job(
          {},
          {
            hostAliases: [
              { ip: "10.0.0.1", hostnames: ["b"] },
              { ip: "10.0.0.2", hostnames: ["b"] },
            ],
          },
        ),
        force,
      ),
    ],
  },
  {
    name: "a command is one value",
    steps: [
      me.apply("Job", withContainers(container({ command: ["a", "b"], args: ["c"] }))),
      you.apply("Job", withContainers({ name: "c", command: ["a"] })),
      me.apply("Job", withContainers(container())),
    ],
  },
  {
    name: "finalizers are a set",
    steps: [
      me.apply("ConfigMap", { metadata: { finalizers: ["a/a", "a/b"] } }),
      you.apply("ConfigMap", { metadata: { finalizers: ["a/b", "a/c"] } }),
      me.apply("ConfigMap", { metadata: { finalizers: ["a/a"] } }),
      you.merge("ConfigMap", { metadata: { finalizers: ["a/c"] } }),
      you.merge("ConfigMap", { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "owners by uid",
    steps: [
      me.apply("ConfigMap", { metadata: { ownerReferences: [owner("1"), owner("2")] } }),
      you.apply("ConfigMap", { metadata: { ownerReferences: [owner("2", "other"), owner("3")] } }),
      you.apply("ConfigMap", { metadata: { ownerReferences: [owner("3")] } }),
      me.apply("ConfigMap", { metadata: { ownerReferences: [owner("2")] } }),
    ],
  },
  {
    name: "an empty list",
    steps: [
      me.apply("ConfigMap", { metadata: { finalizers: ["a/a"] } }),
      me.apply("ConfigMap", { metadata: { finalizers: [] } }),
    ],
  },
  {
    name: "a null list",
    steps: [
      me.apply("ConfigMap", { metadata: { finalizers: ["a/a"] } }),
      you.apply("ConfigMap", { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "exit codes are a set",
    steps: [
      me.apply(
        "Job",
        job({ podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [2, 1] } }] } }),
      ),
      me.apply(
        "Job",
        job({ podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1, 1] } }] } }),
      ),
    ],
  },
  {
    name: "init containers",
    steps: [
      me.apply("Job", job({}, jobPod({ initContainers: [{ name: "i", image: "busybox" }] }))),
      you.apply("Job", job({}, { initContainers: [{ name: "j", image: "busybox" }, { name: "i" }] })),
      me.apply("Job", job()),
    ],
  },
  {
    name: "a duplicate that an update made",
    steps: [
      me.create("Job", withContainers(container({ env: env(["A", "1"], ["A", "2"]) }))),
      you.apply("Job", onlyEnv(["B", "1"])),
      you.apply("Job", onlyEnv(["A", "3"])),
      you.apply("Job", onlyEnv(["A", "3"]), force),
    ],
  },
  {
    name: "a duplicate goes with an update",
    steps: [
      me.create("Job", withContainers(container({ env: env(["A", "1"], ["A", "2"], ["B", "1"]) }))),
      you.update("Job", {
        spec: { template: { spec: { containers: [container({ env: env(["A", "1"], ["B", "1"]) })] } } },
      }),
      you.update("Job", {
        spec: { template: { spec: { containers: [container({ env: env(["A", "1"], ["A", "3"]) })] } } },
      }),
      you.update("Job", {
        spec: { template: { spec: { containers: [container({ env: env(["A", "1"], ["A", "4"]) })] } } },
      }),
    ],
  },
];

const condition = (type: string, status = "True", rest: JsonObject = { lastProbeTime: null }): JsonObject => ({
  type,
  status,
  lastTransitionTime: "2026-01-02T03:04:05Z",
  ...rest,
});

/** The server gives it to a new Node that lacks it. */
const notReady: JsonObject = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

const subresources: readonly Sequence[] = [
  {
    name: "the status of a Job",
    steps: [
      me.create("Job", job()),
      you.merge("Job", { status: { active: 1, startTime: "2026-01-02T03:04:05Z" } }, onStatus),
      you.merge("Job", { status: { active: 2 } }, onStatus),
      they.update("Job", { status: { ready: 1 } }, onStatus),
    ],
  },
  {
    name: "a status that changes the spec and labels",
    steps: [
      me.create("Job", job()),
      you.merge("Job", { metadata: { labels: { a: "b" } }, spec: { parallelism: 4 }, status: { ready: 1 } }, onStatus),
    ],
  },
  {
    name: "an applied status",
    steps: [
      me.apply("Job", job()),
      you.apply("Job", { status: { ready: 0, terminating: 0 } }, onStatus),
      they.apply("Job", { status: { ready: 1 } }, onStatus),
      they.merge("Job", { status: { ready: 1 } }, onStatus),
      you.apply("Job", { status: { ready: 0, terminating: 0 } }, onStatus),
      you.apply("Job", { spec: { parallelism: 3 }, status: { terminating: 0 } }, { ...onStatus, query: "force=true" }),
    ],
  },
  {
    name: "the status on the main resource",
    steps: [
      me.create("Job", labelled()),
      you.merge("Job", { status: { ready: 1 } }),
      you.apply("Job", { status: { ready: 1 } }),
    ],
  },
  {
    name: "managedFields through a subresource",
    steps: [
      me.create("Job", job()),
      you.update("Job", { metadata: { managedFields: [] }, status: { ready: 1 } }, onStatus),
    ],
  },
  {
    name: "one name on both",
    steps: [
      me.apply("Job", labelled()),
      me.apply("Job", { status: { ready: 0 } }, onStatus),
      me.apply("Job", labelled()),
      get("Job"),
    ],
  },
  {
    name: "conditions of a Job are one value",
    steps: [
      me.create("Job", job()),
      you.merge("Job", { status: { conditions: [condition("Suspended")] } }, onStatus),
      they.apply("Job", { status: { conditions: [condition("Suspended", "False")] } }, onStatus),
    ],
  },
  {
    name: "conditions of a Pod are keyed",
    steps: [
      me.create("Pod", { spec: podSpec() }),
      you.strategic(
        "Pod",
        { status: { conditions: [condition("Ready")], podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] } },
        onStatus,
      ),
      they.strategic("Pod", { status: { conditions: [condition("Mine", "False")] } }, onStatus),
      they.apply("Pod", { status: { conditions: [condition("Ready", "False")] } }, onStatus),
      they.apply("Pod", { status: { conditions: [condition("Yours", "False")] } }, onStatus),
      they.apply("Pod", { status: {} }, onStatus),
    ],
  },
  {
    name: "the status of a container",
    steps: [
      me.create("Pod", { spec: podSpec() }),
      you.strategic(
        "Pod",
        {
          status: {
            phase: "Running",
            containerStatuses: [
              {
                name: "c",
                image: "busybox",
                imageID: "",
                ready: true,
                restartCount: 0,
                state: { running: { startedAt: "2026-01-02T03:04:05Z" } },
              },
            ],
          },
        },
        onStatus,
      ),
    ],
  },
  {
    name: "the owners of a Pod are not set through its status",
    steps: [
      me.create("Pod", { spec: podSpec() }),
      you.merge(
        "Pod",
        { metadata: { ownerReferences: [owner("1")], labels: { a: "b" } }, status: { message: "m" } },
        onStatus,
      ),
    ],
  },
  {
    name: "the status of a Node",
    steps: [
      me.create("Node", {
        spec: { taints: [{ key: "a", effect: "NoSchedule" }, notReady] },
        status: { phase: "Running" },
      }),
      you.strategic(
        "Node",
        {
          status: {
            conditions: [condition("Ready", "True", { lastHeartbeatTime: "2026-01-02T03:04:05Z" })],
            addresses: [{ type: "Hostname", address: "a" }],
            capacity: { cpu: "4" },
            allocatable: { cpu: "4" },
          },
        },
        onStatus,
      ),
      they.apply("Node", { status: { capacity: { cpu: "8", "x.io/y": "1" } } }, onStatus),
      they.apply("Node", { status: { capacity: { "x.io/y": "1" } } }, onStatus),
      they.apply("Node", { spec: { taints: [{ key: "b", effect: "NoSchedule" }], unschedulable: true } }, force),
    ],
  },
  {
    name: "a Namespace",
    steps: [
      me.create("Namespace", {}),
      you.apply("Namespace", labels({ a: "b" })),
      you.apply("Namespace", { metadata: { labels: { a: "c", "kubernetes.io/metadata.name": "x" } } }),
      you.merge("Namespace", { status: { conditions: [condition("X", "True", {})] } }, onStatus),
    ],
  },
  { name: "an applied Namespace", steps: [me.apply("Namespace", labels({ a: "b" })), me.apply("Namespace", {})] },
  {
    name: "a Pod",
    steps: [
      me.create("Pod", { spec: podSpec(), metadata: { labels: { a: "b" } } }),
      you.apply("Pod", { metadata: { annotations: { a: "b" } } }),
      you.apply("Pod", { spec: { containers: [{ name: "c", image: "other" }] } }),
      you.apply("Pod", { spec: { containers: [{ name: "c", image: "other" }] } }, force),
    ],
  },
  {
    name: "a Pod with what admission would add",
    steps: [
      me.create("Pod", {
        spec: podSpec({
          tolerations: [{ key: "a", operator: "Exists" }],
          serviceAccountName: "default",
          enableServiceLinks: false,
        }),
      }),
    ],
  },
  { name: "an applied Pod", steps: [me.apply("Pod", { spec: podSpec() }), me.apply("Pod", { spec: podSpec() })] },
  {
    name: "a Pod is bound",
    steps: [
      me.create("Pod", { spec: podSpec() }),
      you.create("Pod", {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "other-pod" },
        spec: podSpec({ nodeName: "n" }),
      }),
      get("Pod"),
    ],
  },
  {
    name: "a new Pod whose metadata is rich",
    steps: [
      me.create("Pod", {
        metadata: { labels: { a: "b" }, annotations: { c: "d" }, finalizers: ["a/b"], ownerReferences: [owner("1")] },
        spec: podSpec(),
      }),
    ],
  },
];

const entry = (manager: string, fieldsV1: JsonObject, rest: JsonObject = {}): JsonObject => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  time: "2026-01-02T03:04:05Z",
  fieldsType: "FieldsV1",
  fieldsV1,
  ...rest,
});
const managed = (...managedFields: JsonObject[]): JsonObject => ({ metadata: { managedFields } });
const range = (count: number): number[] => [...Array(count).keys()];
const numbered = (prefix: string, index: number): string => `${prefix}${String(index).padStart(2, "0")}`;

const accounts: readonly Sequence[] = [
  {
    name: "an empty list forgets",
    steps: [
      me.create("ConfigMap", map({ a: "1" })),
      you.merge("ConfigMap", managed()),
      you.merge("ConfigMap", map({ b: "1" })),
      get("ConfigMap"),
    ],
  },
  {
    name: "an empty entry forgets",
    steps: [me.create("ConfigMap", map({ a: "1" })), you.merge("ConfigMap", managed({})), get("ConfigMap")],
  },
  {
    name: "a first apply after that",
    steps: [
      me.create("ConfigMap", map({ a: "1" })),
      you.merge("ConfigMap", managed({})),
      you.apply("ConfigMap", map({ a: "2" })),
      you.apply("ConfigMap", map({ b: "2" })),
      get("ConfigMap"),
    ],
  },
  {
    name: "a forgetful update with a change",
    steps: [me.create("ConfigMap", map({ a: "1" })), you.merge("ConfigMap", { ...managed({}), data: { b: "1" } })],
  },
  {
    name: "a new object with managedFields",
    steps: [
      me.create("ConfigMap", { ...map({ a: "1", b: "1" }), ...managed(entry("x", { "f:data": { "f:a": {} } })) }),
    ],
  },
  {
    name: "a new object with an empty list",
    steps: [
      me.create("ConfigMap", { ...map({ a: "1" }), ...managed() }),
      me.create("ConfigMap", { ...map({ a: "1" }), ...managed({}) }),
    ],
  },
  {
    name: "managers are replaced",
    steps: [
      me.create("ConfigMap", map({ a: "1" })),
      you.merge("ConfigMap", managed(entry("x", { "f:data": { ".": {}, "f:a": {} } }))),
    ],
  },
  {
    name: "managers are given a field",
    steps: [
      me.create("ConfigMap", map({ a: "1" })),
      you.merge("ConfigMap", managed(entry("x", { "f:data": { "f:zz": {}, "f:a": {} } }, { operation: "Apply" }))),
      by("x").apply("ConfigMap", {}),
    ],
  },
  {
    name: "keys are written in their order",
    steps: [
      me.create("Job", job()),
      you.merge(
        "Job",
        managed(
          entry(
            "x",
            {
              "f:spec": {
                "f:template": {
                  "f:spec": {
                    "f:containers": {
                      'k:{"name":"c"}': {
                        "f:ports": { 'k:{"protocol":"TCP","containerPort":80}': {} },
                        ".": {},
                        "f:args": {},
                      },
                    },
                  },
                },
              },
            },
            { apiVersion: "batch/v1" },
          ),
        ),
      ),
    ],
  },
  ...(
    [
      ["an unknown operation", entry("x", {}, { operation: "Take" })],
      ["no version", entry("x", {}, { apiVersion: "" })],
      ["no type of fields", entry("x", { "f:data": {} }, { fieldsType: "" })],
      ["an unknown type of fields", entry("x", { "f:data": {} }, { fieldsType: "FieldsV2" })],
      ["no fields", { manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" }],
      ["a broken element", entry("x", { data: {} })],
      ["an unknown element", entry("x", { "f:data": {}, "z:data": {} })],
      ["a broken key", entry("x", { "k:{": {} })],
      ["another version", entry("x", { "f:data": { "f:a": {} } }, { apiVersion: "v7" })],
      ["no name", entry("", { "f:data": { "f:a": {} } })],
      ["a subresource", entry("x", { "f:data": { "f:a": {} } }, { subresource: "status" })],
    ] as const
  ).map(([what, given]): Sequence => ({
    name: `an entry with ${what}`,
    steps: [
      me.create("ConfigMap", map({ a: "1" })),
      you.merge("ConfigMap", { ...managed(given as JsonObject), data: { b: "1" } }),
      get("ConfigMap"),
    ],
  })),
  {
    name: "entries with another time alone",
    steps: [
      me.create("ConfigMap", map({ a: "1" })),
      you.merge("ConfigMap", managed(entry("me", { "f:data": { ".": {}, "f:a": {} } }))),
      get("ConfigMap"),
    ],
  },
  {
    name: "more than ten updaters",
    steps: [
      me.create("ConfigMap", {}),
      ...range(13).map((index) => by(numbered("u", index)).merge("ConfigMap", map({ [numbered("k", index)]: "1" }))),
    ],
  },
  {
    name: "more than ten updaters and an applier",
    steps: [
      me.apply("ConfigMap", map({ mine: "1" })),
      ...range(12).map((index) => by(numbered("u", index)).merge("ConfigMap", map({ [numbered("k", index)]: "1" }))),
      you.apply("ConfigMap", map({ k00: "2" })),
      me.apply("ConfigMap", map({ mine: "2" })),
    ],
  },
  {
    name: "more than ten updaters with their status",
    steps: [
      me.create("Job", job()),
      ...range(6).flatMap((index) => [
        by(numbered("u", index)).merge("Job", labels({ [numbered("k", index)]: "1" })),
        by(numbered("u", index)).merge("Job", { status: { ready: index + 1 } }, onStatus),
      ]),
      ...range(12).map((index) => by(numbered("v", index)).merge("Job", labels({ [numbered("l", index)]: "1" }))),
    ],
  },
  {
    name: "a dry run",
    steps: [
      me.apply("ConfigMap", map({ a: "1" }), { query: "dryRun=All" }),
      me.apply("ConfigMap", map({ a: "1" })),
      me.apply("ConfigMap", map({ a: "2" }), { query: "dryRun=All" }),
      you.apply("ConfigMap", map({ a: "2" }), { query: "dryRun=All" }),
      you.merge("ConfigMap", map({ a: "2" }), { query: "dryRun=All" }),
      get("ConfigMap"),
    ],
  },
  {
    name: "an object that is being deleted",
    steps: [
      me.apply("ConfigMap", { metadata: { finalizers: ["a/b"] }, data: { a: "1" } }),
      you.delete("ConfigMap"),
      me.apply("ConfigMap", { metadata: { finalizers: ["a/b"] }, data: { a: "2" } }),
      me.apply("ConfigMap", { metadata: { finalizers: ["a/b", "a/c"] }, data: { a: "2" } }),
      me.apply("ConfigMap", { data: { a: "2" } }),
      get("ConfigMap"),
    ],
  },
  {
    name: "a deletion that waits for the pods",
    steps: [
      me.apply("Job", job()),
      you.delete("Job", { propagationPolicy: "Foreground" }),
      get("Job"),
      me.apply("Job", job({ parallelism: 3 })),
    ],
  },
  {
    name: "fields that are nobody's",
    steps: [
      me.apply("ConfigMap", { metadata: { creationTimestamp: null, selfLink: "x" }, data: { a: "1" } }),
      me.apply("ConfigMap", { metadata: { creationTimestamp: null }, data: { a: "1" } }),
    ],
  },
  {
    name: "a generation that is applied",
    steps: [me.apply("Job", labelled({ generation: 7 })), you.apply("Job", { metadata: { generation: 7 } })],
  },
  {
    name: "an apply with a version",
    steps: [me.create("ConfigMap", map({ a: "1" })), me.update("ConfigMap", map({ a: "2" })), get("ConfigMap")],
  },
];

const clientSide = map({ a: "1", b: "1" });
const before = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, ...clientSide };
const migrated = { ...clientSide, metadata: { annotations: lastApplied(before) } };

const migration: readonly Sequence[] = [
  {
    name: "from kubectl's own apply",
    steps: [
      by("kubectl-client-side-apply").create("ConfigMap", migrated),
      kubectl.apply("ConfigMap", map({ a: "2", b: "1" })),
      kubectl.apply("ConfigMap", map({ a: "3" })),
      get("ConfigMap"),
    ],
  },
  {
    name: "another manager does not migrate",
    steps: [by("kubectl-client-side-apply").create("ConfigMap", migrated), me.apply("ConfigMap", map({ a: "2" }))],
  },
  {
    name: "a value that has changed since is a conflict",
    steps: [
      by("kubectl-client-side-apply").create("ConfigMap", migrated),
      by("kubectl-edit").merge("ConfigMap", map({ b: "3" })),
      kubectl.apply("ConfigMap", map({ a: "2", b: "2" })),
      kubectl.apply("ConfigMap", map({ a: "2", b: "2" }), force),
    ],
  },
  {
    name: "a broken annotation",
    steps: [
      by("kubectl-client-side-apply").create("ConfigMap", {
        ...clientSide,
        metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{" } },
      }),
      kubectl.apply("ConfigMap", map({ a: "2" })),
      kubectl.apply("ConfigMap", map({ a: "2" }), force),
    ],
  },
  {
    name: "an annotation of another version",
    steps: [
      by("kubectl-client-side-apply").create("ConfigMap", {
        ...clientSide,
        metadata: { annotations: lastApplied({ ...before, apiVersion: "v2" }) },
      }),
      kubectl.apply("ConfigMap", map({ a: "2" })),
    ],
  },
  {
    name: "an applied annotation",
    steps: [
      kubectl.apply("ConfigMap", { ...clientSide, metadata: { annotations: { ...lastApplied(before), x: "y" } } }),
      kubectl.apply("ConfigMap", { ...clientSide, metadata: { annotations: lastApplied(before) } }),
    ],
  },
  {
    name: "an annotation without anything to change",
    steps: [
      by("kubectl-client-side-apply").create("ConfigMap", migrated),
      kubectl.apply("ConfigMap", clientSide),
      kubectl.apply("ConfigMap", clientSide),
    ],
  },
];

export const SEQUENCES: readonly Sequence[] = [
  ...plain,
  ...refusals,
  ...texts,
  ...jobs,
  ...lists,
  ...subresources,
  ...accounts,
  ...migration,
];

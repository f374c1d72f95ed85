/** Manifests that are applied one after another, for kubectl and for the page to do the same with. */

export interface ApplyCase {
  readonly name: string;
  /** Applied in this order. A merge patch of the spec in between is another client's. */
  readonly steps: readonly (string | { readonly patch: object })[];
}

/** No controller runs it, so nothing changes but what is applied. */
function job({ spec = "", labels = "", template = "", image = "busybox" } = {}): string {
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: $name
  labels: {${labels}}
spec:
  managedBy: example.com/absent
${spec.replace(/^(?=.)/gm, "  ")}
  template:
    spec:
      restartPolicy: Never
${template.replace(/^(?=.)/gm, "      ")}
      containers:
        - name: main
          image: ${image}
          env: [{ name: A, value: "1" }, { name: B, value: "2" }]
          ports: [{ containerPort: 80 }]
`;
}

const RULES = "podFailurePolicy: { rules: [{ action: Ignore, onPodConditions: [{ type: DisruptionTarget }] }] }";

export const APPLY_CASES: readonly ApplyCase[] = [
  { name: "the same text", steps: [job({ spec: "parallelism: 2" }), job({ spec: "parallelism: 2" })] },
  { name: "a number", steps: [job({ spec: "parallelism: 2" }), job({ spec: "parallelism: 5" })] },
  { name: "no line for a number, which gets its default", steps: [job({ spec: "parallelism: 2" }), job()] },
  { name: "no line for what has no default", steps: [job({ spec: "activeDeadlineSeconds: 60" }), job()] },
  { name: "no ttl any more", steps: [job({ spec: "ttlSecondsAfterFinished: 60\nparallelism: 3" }), job()] },
  { name: "a null", steps: [job({ spec: "activeDeadlineSeconds: 60" }), job({ spec: "activeDeadlineSeconds: null" })] },
  { name: "a null for what never was", steps: [job(), job({ spec: "activeDeadlineSeconds: null" })] },
  { name: "no suspend any more", steps: [job({ spec: "suspend: true" }), job()] },
  { name: "other labels", steps: [job({ labels: "a: one, b: two" }), job({ labels: "b: three, c: four" })] },
  { name: "no labels any more", steps: [job({ labels: "a: one, b: two" }), job().replace(/^ *labels:.*\n/m, "")] },
  {
    name: "a field that another client has set, and no manifest names",
    steps: [job(), { patch: { parallelism: 7, activeDeadlineSeconds: 9 } }, job({ labels: "a: one" })],
  },
  {
    name: "a field that another client has changed, and the manifest names",
    steps: [job({ spec: "parallelism: 2" }), { patch: { parallelism: 7 } }, job({ spec: "parallelism: 2" })],
  },
  {
    name: "a field that was named two manifests ago, and set by another client since",
    steps: [job({ spec: "parallelism: 2" }), job(), { patch: { parallelism: 7 } }, job({ labels: "a: one" })],
  },
  {
    name: "a node selector of a suspended Job, and none again",
    steps: [
      job({ spec: "suspend: true", template: "nodeSelector: { a: one, b: two }" }),
      job({ spec: "suspend: true", template: "nodeSelector: { b: three }" }),
      job({ spec: "suspend: true" }),
    ],
  },
  {
    name: "tolerations of a suspended Job",
    steps: [
      job({ spec: "suspend: true", template: "tolerations: [{ key: a, operator: Exists }, { key: b }]" }),
      job({ spec: "suspend: true", template: "tolerations: [{ key: b }]" }),
    ],
  },
  { name: "another image, which cannot be", steps: [job(), job({ image: "other" })] },
  { name: "a variable less, which cannot be", steps: [job(), job().replace('{ name: A, value: "1" }, ', "")] },
  { name: "no policy any more, which cannot be", steps: [job({ spec: RULES }), job()] },
  {
    name: "two things that cannot be",
    steps: [job({ spec: "completions: 2" }), job({ spec: "completions: 3", image: "other" })],
  },
  {
    name: "something right after what was refused",
    steps: [job({ spec: "parallelism: 2" }), job({ spec: "backoffLimit: -1" }), job({ labels: "a: one" })],
  },
  { name: "a misspelt field", steps: [job(), job({ spec: "paralelism: 2" })] },
  {
    name: "a ConfigMap with other keys",
    steps: ["{ a: one, b: two }", "{ b: three, c: four }"].map(
      (data) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: $name }\ndata: ${data}\n`,
    ),
  },
  { name: "a Job of a generated name", steps: [job().replace("name: $name", "generateName: $name-")] },
];

/** What would keep a pod from ever starting: each with its place, and what looks like it and is none. */
import { describe, expect, it } from "vitest";
import { diagnosticText } from "../../../cluster/manifests/diagnostic.ts";
import { parseManifests } from "../../../cluster/manifests/manifests.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { neverStarting, type Surroundings } from "../../../cluster/manifests/never-starting.ts";
import { amountsOf } from "../../../cluster/values/resource-amounts.ts";
import type { ConfigMap, Job } from "../../../cluster/values/kinds.ts";

const objects: Readonly<Record<string, object>> = {
  "ConfigMap/team/words": { data: { greeting: "hello", farewell: "bye" } },
  "ConfigMap/team/bare": {},
  "Secret/team/token": { data: { token: "eA==" } },
};
const surroundings: Surroundings = {
  find: ({ kind, namespace, name }) => objects[`${kind}/${namespace}/${name}`] as ConfigMap | undefined,
  nodes: [
    {
      facts: {
        name: "stint",
        labels: { "kubernetes.io/hostname": "stint", disk: "ssd" },
        taints: [],
        unschedulable: false,
      },
      allocatable: amountsOf({ cpu: "8", memory: "32Gi", pods: "110" }),
    },
  ],
  isComplete: true,
};

/** Lines of the pod's spec, and of its first container. */
function problems({ pod = "", container = "" }: { pod?: string; container?: string }, around = surroundings): string[] {
  const indented = (lines: string, by: number): string => lines.replace(/^(?=.)/gm, " ".repeat(by));
  const text = `kind: Job\napiVersion: batch/v1\nspec:\n  template:\n    spec:\n${indented(pod, 6)}\n      containers:\n      - name: main\n${indented(container, 8)}\n`;
  const { manifests, diagnostics } = parseManifests({ file: "j", text }, readYaml);
  expect(diagnostics).toEqual([]);
  const job = {
    ...manifests[0]!.object,
    metadata: { name: "j", namespace: "team", uid: "u" },
  } as unknown as Job;
  return neverStarting(job, manifests[0]!, around).map((problem) =>
    diagnosticText(problem).replace("spec.template.spec.", "…"),
  );
}

const add = "; add it to the files of this run, or set optional: true";
const env = (valueFrom: string): string => `env: [{name: A, valueFrom: {${valueFrom}}}]`;

describe("variables", () => {
  it.each([
    [
      env("configMapKeyRef: {name: absent, key: k}"),
      `j:9:36: …containers[0].env[0].valueFrom: configmap "absent" not found${add}`,
    ],
    [
      env("configMapKeyRef: {name: words, key: k}"),
      `j:9:36: …containers[0].env[0].valueFrom: couldn't find key k in ConfigMap team/words${add}`,
    ],
    [
      env("secretKeyRef: {name: token, key: k}"),
      `j:9:36: …containers[0].env[0].valueFrom: couldn't find key k in Secret team/token${add}`,
    ],
    [
      "envFrom: [{configMapRef: {name: words}}, {secretRef: {name: absent}}]",
      `j:9:50: …containers[0].envFrom[1]: secret "absent" not found${add}`,
    ],
    [
      env("resourceFieldRef: {resource: limits.cpu}"),
      "j:9:36: …containers[0].env[0].valueFrom: env A: valueFrom has resourceFieldRef; this kubelet supports fieldRef, configMapKeyRef and secretKeyRef",
    ],
    [
      env("fieldRef: {fieldPath: spec.nope}"),
      "j:9:36: …containers[0].env[0].valueFrom: field label not supported: spec.nope",
    ],
  ])("%s", (container, problem) => {
    expect(problems({ container })).toEqual([problem]);
  });

  it("of init containers too", () => {
    expect(problems({ pod: `initContainers:\n- name: i\n  ${env("secretKeyRef: {name: absent, key: k}")}` })).toEqual([
      `j:8:36: …initContainers[0].env[0].valueFrom: secret "absent" not found${add}`,
    ]);
  });

  it.each([
    [env("configMapKeyRef: {name: words, key: greeting}")],
    [env("configMapKeyRef: {name: absent, key: k, optional: true}")],
    [env("configMapKeyRef: {name: words, key: k, optional: true}")],
    ["envFrom: [{secretRef: {name: token}}, {configMapRef: {name: absent, optional: true}}]"],
    ["env: [{name: A, value: x}, {name: B, value: $(A)}]"],
    [env("fieldRef: {fieldPath: status.podIP}")],
    [env("fieldRef: {fieldPath: spec.nodeName}")],
  ])("allows %s", (container) => {
    expect(problems({ container })).toEqual([]);
  });
});

describe("volumes", () => {
  it.each([
    [
      "volumes: [{name: v, configMap: {name: absent}}]",
      `j:6:38: …volumes[0].configMap: configmap "absent" not found${add}`,
    ],
    [
      "volumes: [{name: v, secret: {secretName: absent}}]",
      `j:6:35: …volumes[0].secret: secret "absent" not found${add}`,
    ],
    [
      "volumes: [{name: v, projected: {sources: [{secret: {name: token}}, {configMap: {name: absent}}]}}]",
      `j:6:86: …volumes[0].projected.sources[1].configMap: configmap "absent" not found${add}`,
    ],
    [
      "volumes: [{name: v, configMap: {name: words, items: [{key: k, path: p}]}}]",
      'j:6:66: …volumes[0].configMap.items[0].key: references non-existent config key: k; configmap "words" has greeting, farewell',
    ],
    [
      "volumes: [{name: v, configMap: {name: bare, items: [{key: k, path: p}]}}]",
      'j:6:65: …volumes[0].configMap.items[0].key: references non-existent config key: k; configmap "bare" has none',
    ],
    [
      "volumes: [{name: v, projected: {sources: [{secret: {name: token, items: [{key: k, path: p}]}}]}}]",
      'j:6:86: …volumes[0].projected.sources[0].secret.items[0].key: references non-existent secret key: k; secret "token" has token',
    ],
  ])("%s", (pod, problem) => {
    expect(problems({ pod })).toEqual([problem]);
  });

  it.each([
    ["volumes: [{name: v, projected: {sources: [{secret: {name: absent, optional: true}}, {downwardAPI: {}}]}}]"],
    ["volumes: [{name: v, configMap: {name: absent, optional: true}}]"],
    ["volumes: [{name: v, configMap: {name: words, optional: true, items: [{key: k, path: p}]}}]"],
    ["volumes: [{name: v, emptyDir: {}}, {name: w, secret: {secretName: token, items: [{key: token, path: p}]}}]"],
  ])("allows %s", (pod) => {
    expect(problems({ pod })).toEqual([]);
  });
});

describe("the node", () => {
  const noNode = "no node has that; the only one is stint, with the labels kubernetes.io/hostname=stint, disk=ssd";
  const affinity = (requirement: string): string =>
    `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [${requirement}]}]}}}`;

  it.each([
    ["nodeSelector: {disk: hdd}", `j:6:21: …nodeSelector: ${noNode}`],
    [
      affinity("{key: disk, operator: NotIn, values: [ssd]}"),
      `j:6:81: …affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution: ${noNode}`,
    ],
    ["nodeName: other", 'j:6:17: …nodeName: there is no node "other"; the only one is stint'],
    ["schedulerName: mine", 'j:6:22: …schedulerName: "mine" does not run here; remove it, or name default-scheduler'],
    [
      "schedulingGates: [{name: example.com/g}]",
      "j:6:24: …schedulingGates: no controller here removes scheduling gates; remove them from the pod to run this Job",
    ],
  ])("%s", (pod, problem) => {
    expect(problems({ pod })).toEqual([problem]);
  });

  it.each([
    [
      "resources: {requests: {cpu: 8500m}}",
      "j:9:20: …containers[0].resources: the pod requests 8.5 of cpu; the only node has 8",
    ],
    [
      "resources: {requests: {nvidia.com/gpu: 1}}",
      "j:9:20: …containers[0].resources: the pod requests 1 of nvidia.com/gpu; the only node has 0",
    ],
    // What has a limit and no request requests its limit.
    [
      "resources: {limits: {nvidia.com/gpu: 1}}",
      "j:9:20: …containers[0].resources: the pod requests 1 of nvidia.com/gpu; the only node has 0",
    ],
    [
      "resources: {requests: {memory: 1Gi}, limits: {cpu: 9, memory: 64Gi}}",
      "j:9:20: …containers[0].resources: the pod requests 9 of cpu; the only node has 8",
    ],
  ])("%s", (container, problem) => {
    expect(problems({ container })).toEqual([problem]);
  });

  it("may be any of several", () => {
    const [first] = surroundings.nodes;
    const second = {
      facts: { name: "large", labels: { disk: "hdd" }, taints: [], unschedulable: false },
      allocatable: amountsOf({ cpu: "32", memory: "32Gi", pods: "110" }),
    };
    const around = { ...surroundings, nodes: [first!, second] };
    const of = (pod: string, cpu: number): string[] =>
      problems({ pod, container: `resources: {requests: {cpu: ${cpu}}}` }, around);
    expect(of("nodeSelector: {disk: hdd}", 16)).toEqual([]);
    expect(of("nodeName: large", 16)).toEqual([]);
    expect(of("nodeName: stint", 16)).toEqual([expect.stringContaining("requests 16 of cpu; node stint has 8")]);
    expect(of("", 33)).toEqual([expect.stringContaining("requests 33 of cpu; no node has more than 32")]);
    expect(of("nodeName: other", 1)).toEqual(['j:6:17: …nodeName: there is no node "other"; there are stint, large']);
    expect(of("nodeSelector: {disk: none}", 1)).toEqual([
      "j:6:21: …nodeSelector: no node has that; there are stint, large, the first with the labels kubernetes.io/hostname=stint, disk=ssd",
    ]);
  });

  it("that fits is enough", () => {
    expect(
      problems({
        pod: `nodeSelector: {disk: ssd}\nnodeName: stint\nschedulerName: default-scheduler\n${affinity("{key: disk, operator: Exists}")}`,
        container: "resources: {requests: {cpu: 8}}",
      }),
    ).toEqual([]);
  });
});

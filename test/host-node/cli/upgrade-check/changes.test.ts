/** The table of changes: each has its page and its proof, and finds the Jobs that it concerns, and no others. */
import { describe, expect, it } from "vitest";
import {
  type Change,
  CHANGES,
  changesBetween,
  type JobChangeId,
} from "../../../../host-node/cli/upgrade-check/changes.ts";
import { isAhead, SINCE } from "../../../../cluster/values/kubernetes-changes.ts";
import {
  isReleased,
  kubernetesVersionOf,
  KUBERNETES_VERSIONS,
} from "../../../../cluster/values/kubernetes-versions.ts";
import { SCENARIOS } from "../../../parity/scenarios/index.ts";
import regressions from "../../../vectors/engine/regressions.json" with { type: "json" };
import { read } from "../../../tidy/sources.ts";

const container = (more: object): object => ({ template: { spec: { containers: [{}, more] } } });
const pod = (more: object): object => ({ template: { spec: more } });
const retrying = { parallelism: 2, template: { spec: { restartPolicy: "Never" } } };
const queued = { metadata: { labels: { "kueue.x-k8s.io/queue-name": "q" } } };
const annotated = (annotations: object): object => ({ metadata: { annotations } });

/** What no scenario can time is shown by vectors, whose names begin with this. */
const SHOWN_BY_VECTORS: Readonly<Partial<Record<JobChangeId, string>>> = {
  "made-again-under-its-name": "kubernetes/kubernetes#131917",
};

/** For each change Jobs that it concerns, by their spec or whole, and the field; and Jobs that look like these. */
const EXAMPLES: Readonly<Record<JobChangeId, { yes: readonly [object, string][]; no: readonly object[] }>> = {
  "user-namespaces": {
    yes: [[{ spec: pod({ hostUsers: false }) }, "spec.template.spec.hostUsers"]],
    no: [{ spec: pod({ hostUsers: null }) }, { spec: pod({ hostUsers: true }) }],
  },
  "supplemental-groups-policy": {
    yes: [
      [
        { spec: pod({ securityContext: { supplementalGroupsPolicy: "Strict" } }) },
        "spec.template.spec.securityContext.supplementalGroupsPolicy",
      ],
    ],
    no: [
      { spec: pod({ securityContext: {} }) },
      { spec: pod({ securityContext: { supplementalGroupsPolicy: "Merge" } }) },
    ],
  },
  "sleep-of-zero-seconds": {
    yes: [
      [
        { spec: container({ lifecycle: { preStop: { sleep: { seconds: 0 } } } }) },
        "spec.template.spec.containers[1].lifecycle.preStop.sleep.seconds",
      ],
    ],
    no: [{ spec: container({ lifecycle: { postStart: { sleep: { seconds: 1 } } } }) }],
  },
  "relaxed-dns-searches": {
    yes: [
      [{ spec: pod({ dnsConfig: { searches: ["a.b", "_tcp.a.b"] } }) }, "spec.template.spec.dnsConfig.searches[1]"],
      [{ spec: pod({ dnsConfig: { searches: ["."] } }) }, "spec.template.spec.dnsConfig.searches[0]"],
    ],
    no: [{ spec: pod({ dnsConfig: { searches: ["a.b"] } }) }],
  },
  "resources-of-a-whole-pod": {
    yes: [[{ spec: pod({ resources: {} }) }, "spec.template.spec.resources"]],
    no: [{ spec: container({ resources: {} }) }],
  },
  "resource-claims": {
    yes: [[{ spec: pod({ resourceClaims: [] }) }, "spec.template.spec.resourceClaims"]],
    no: [{ spec: pod({}) }],
  },
  "hostname-override": {
    yes: [[{ spec: pod({ hostnameOverride: "a" }) }, "spec.template.spec.hostnameOverride"]],
    no: [{ spec: pod({ hostname: "a" }) }],
  },
  "restart-rules-of-containers": {
    yes: [
      [{ spec: container({ restartPolicy: "Never" }) }, "spec.template.spec.containers[1].restartPolicy"],
      [
        { spec: pod({ initContainers: [{ restartPolicyRules: [] }] }) },
        "spec.template.spec.initContainers[0].restartPolicyRules",
      ],
    ],
    no: [{ spec: pod({ initContainers: [{ restartPolicy: "Always" }] }) }],
  },
  "variables-from-files": {
    yes: [
      [
        { spec: container({ env: [{}, { valueFrom: { fileKeyRef: {} } }] }) },
        "spec.template.spec.containers[1].env[1].valueFrom.fileKeyRef",
      ],
    ],
    no: [{ spec: container({ env: [{ valueFrom: { secretKeyRef: {} } }] }) }],
  },
  "image-volumes": {
    yes: [[{ spec: pod({ volumes: [{ image: {} }] }) }, "spec.template.spec.volumes[0].image"]],
    no: [{ spec: pod({ volumes: [{ emptyDir: {} }] }) }],
  },
  "deadline-of-a-suspended-job": {
    yes: [
      [{ spec: { suspend: true, activeDeadlineSeconds: 1 } }, "spec.activeDeadlineSeconds"],
      [{ ...queued, spec: { activeDeadlineSeconds: 1 } }, "spec.activeDeadlineSeconds"],
      [
        { spec: { activeDeadlineSeconds: 1 }, status: { conditions: [{ type: "Suspended", status: "False" }] } },
        "spec.activeDeadlineSeconds",
      ],
    ],
    no: [{ spec: { suspend: true } }, { spec: { suspend: false, activeDeadlineSeconds: 1 } }],
  },
  "active-while-a-retry-waits": {
    yes: [[{ spec: retrying }, "spec.parallelism"]],
    no: [
      { spec: { ...retrying, parallelism: 1 } },
      { spec: { ...retrying, completions: 1 } },
      { spec: { ...retrying, backoffLimit: 0 } },
      { spec: { ...retrying, template: { spec: { restartPolicy: "OnFailure" } } } },
    ],
  },
  "resources-of-suspended-jobs": {
    yes: [[{ spec: { suspend: true, ...pod({}) } }, "spec.template.spec"]],
    no: [{ spec: pod({}) }],
  },
  "placement-of-suspended-jobs": {
    yes: [[{ ...queued, spec: pod({}) }, "spec.template.spec"]],
    no: [{ spec: pod({}) }],
  },
  "made-again-under-its-name": {
    yes: [
      [annotated({ "helm.sh/hook": "pre-upgrade" }), "metadata.annotations"],
      [
        annotated({
          "helm.sh/hook": "test",
          "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
        }),
        "metadata.annotations",
      ],
      [annotated({ "argocd.argoproj.io/hook": "PreSync" }), "metadata.annotations"],
    ],
    no: [
      annotated({ "helm.sh/hook": "pre-upgrade", "helm.sh/hook-delete-policy": "hook-succeeded" }),
      annotated({ "helm.sh/hook-delete-policy": "before-hook-creation" }),
      annotated({ "argocd.argoproj.io/hook": "Sync", "argocd.argoproj.io/hook-delete-policy": "HookSucceeded" }),
    ],
  },
  "labels-taken-off-while-suspended": {
    yes: [[{ spec: { suspend: true, ...pod({}) } }, "spec.template.spec"]],
    no: [{ spec: pod({}) }],
  },
  "image-volumes-without-reference": {
    yes: [
      [{ spec: pod({ volumes: [{ image: {} }] }) }, "spec.template.spec.volumes[0].image"],
      [{ spec: pod({ volumes: [{}, { image: { reference: "" } }] }) }, "spec.template.spec.volumes[1].image"],
    ],
    no: [{ spec: pod({ volumes: [{ image: { reference: "example.com/data" } }, { emptyDir: {} }] }) }],
  },
  "certificates-of-pods": {
    yes: [
      [
        { spec: pod({ volumes: [{ projected: { sources: [{ secret: {} }, { podCertificate: {} }] } }] }) },
        "spec.template.spec.volumes[0].projected.sources[1].podCertificate",
      ],
      [
        { spec: pod({ volumes: [{ projected: { sources: [{ clusterTrustBundle: {} }] } }] }) },
        "spec.template.spec.volumes[0].projected.sources[0].clusterTrustBundle",
      ],
    ],
    no: [{ spec: pod({ volumes: [{ projected: { sources: [{ serviceAccountToken: {} }] } }] }) }],
  },
  "selinux-mounts": {
    yes: [
      [
        { spec: pod({ securityContext: { seLinuxChangePolicy: "MountOption" } }) },
        "spec.template.spec.securityContext.seLinuxChangePolicy",
      ],
    ],
    no: [{ spec: pod({ securityContext: { seLinuxChangePolicy: "Recursive" } }) }],
  },
  "annotations-of-a-gang": {
    yes: [
      [{ metadata: { annotations: { "scheduling.k8s.io/workload-name": "w" } } }, "metadata.annotations"],
      [
        {
          metadata: {
            annotations: { "scheduling.k8s.io/workload-name": "w", "scheduling.k8s.io/group-template-name": "" },
          },
        },
        "metadata.annotations",
      ],
    ],
    no: [
      { metadata: { annotations: { a: "" } } },
      {
        metadata: {
          annotations: { "scheduling.k8s.io/workload-name": "w", "scheduling.k8s.io/group-template-name": "t" },
        },
      },
    ],
  },
  "owners-of-files-in-volumes": {
    yes: [
      [
        { spec: pod({ volumes: [{ secret: { defaultUser: 1 } }] }) },
        "spec.template.spec.volumes[0].secret.defaultUser",
      ],
      [
        { spec: pod({ volumes: [{ projected: { sources: [{ configMap: { items: [{ user: 1 }] } }] } }] }) },
        "spec.template.spec.volumes[0].projected.sources[0].configMap.items[0].user",
      ],
    ],
    no: [{ spec: pod({ volumes: [{ secret: { defaultMode: 1 } }] }) }],
  },
  "defaults-of-whole-pods": {
    yes: [[{ spec: pod({ resources: {} }) }, "spec.template.spec.resources"]],
    no: [{ spec: container({ resources: {} }) }],
  },
};

const whole = (job: object): Record<string, unknown> => ({ apiVersion: "batch/v1", kind: "Job", ...job });

describe.each(CHANGES as readonly Change[])("$id", (change) => {
  const id = change.id as JobChangeId;

  it("finds the Jobs that it concerns", () => {
    for (const [job, field] of EXAMPLES[id].yes)
      expect(change.concerns(whole(job)).map(({ path }) => path)).toEqual([field]);
    for (const job of [...EXAMPLES[id].no, {}, { spec: null }, { spec: { template: [] } }])
      expect(change.concerns(whole(job))).toEqual([]);
  });

  it("has a section in docs/upgrade-check.md with its version and words", () => {
    const section = read("docs/upgrade-check.md")
      .split(/^### /m)
      .find((text) => text.startsWith(`${id}\n`));
    const words = section?.replaceAll("\n> ", " ").replace(/\s+/g, " ");
    expect(words).toContain(`Since ${SINCE[id]}`);
    expect(words).toContain(change.before);
    expect(words).toContain(change.after);
  });

  it("is shown by a parity scenario once its version is released, or by a vector", () => {
    const shown = SCENARIOS.flatMap(({ shows = [], actions = [] }) => [
      ...shows.map((each) => each.change),
      ...actions.flatMap((action) => ("refusedBefore" in action ? [action.refusedBefore] : [])),
      ...actions.flatMap((action) => ("refusedSince" in action ? [action.refusedSince] : [])),
    ]);
    const prefix = SHOWN_BY_VECTORS[id];
    expect(shown.includes(id)).toBe(isReleased(SINCE[id]) && prefix === undefined);
    if (prefix !== undefined) expect(regressions.cases.filter(({ name }) => name.startsWith(prefix))).not.toEqual([]);
  });
});

describe("versions", () => {
  it("are read as servers say them", () => {
    for (const text of ["1.34", "v1.34", "1.34.4", "v1.34.4+k3s1", "v1.34.1-eks-1a2b3c"])
      expect(kubernetesVersionOf(text)).toBe("1.34");
    for (const text of ["", "1", "1.3", "1.31", "1.340", "2.34", "1.34.x"])
      expect(kubernetesVersionOf(text)).toBeUndefined();
  });

  it("have the changes between them, the earliest first", () => {
    expect(changesBetween("1.32", "1.38")).toEqual(CHANGES);
    expect(changesBetween("1.34", "1.35").map(({ id }) => SINCE[id])).toEqual(["1.35", "1.35", "1.35", "1.35"]);
    expect(changesBetween("1.36", "1.36")).toEqual([]);
    const order = CHANGES.map(({ id }) => KUBERNETES_VERSIONS.indexOf(SINCE[id]));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it("lie before a change or not", () => {
    expect(KUBERNETES_VERSIONS.map((version) => isAhead("hostname-override", version))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

/** What an upgrade of Kubernetes changes: fields that are dropped, Jobs and updates that are refused. */
import type { Scenario } from "../scenario.ts";

const POD = "spec.template.spec";
const MAIN = { name: "main", image: "example.com/simulated" };
/** A Job whose container has these fields, and its pod those. */
const job = (container: object, pod: object = {}) => ({
  template: { spec: { containers: [{ ...MAIN, ...container }], ...pod } },
});

export const VERSIONS: readonly Scenario[] = [
  {
    name: "fields-of-later-versions",
    rows: ["J36"],
    job: job(
      {},
      {
        hostUsers: false,
        hostnameOverride: "main",
        resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }],
        resources: { limits: { cpu: "100m" } },
        securityContext: { supplementalGroupsPolicy: "Strict" },
        volumes: [
          {
            name: "certificates",
            projected: {
              sources: [
                { clusterTrustBundle: { name: "trusted", path: "ca.pem" } },
                {
                  podCertificate: {
                    signerName: "example.com/signer",
                    keyType: "ED25519",
                    credentialBundlePath: "bundle.pem",
                  },
                },
              ],
            },
          },
        ],
      },
    ),
    shows: [
      { change: "user-namespaces", field: `${POD}.hostUsers` },
      { change: "supplemental-groups-policy", field: `${POD}.securityContext.supplementalGroupsPolicy` },
      { change: "resources-of-a-whole-pod", field: `${POD}.resources` },
      { change: "resource-claims", field: `${POD}.resourceClaims` },
      { change: "hostname-override", field: `${POD}.hostnameOverride` },
      { change: "certificates-of-pods", field: `${POD}.volumes[*].projected.sources[*].clusterTrustBundle` },
      { change: "certificates-of-pods", field: `${POD}.volumes[*].projected.sources[*].podCertificate` },
    ],
  },
  {
    name: "refused-by-earlier-versions",
    rows: ["J36"],
    job: {},
    actions: [
      { refusedBefore: "sleep-of-zero-seconds", tryJob: job({ lifecycle: { preStop: { sleep: { seconds: 0 } } } }) },
      {
        refusedBefore: "relaxed-dns-searches",
        tryJob: job({}, { dnsConfig: { searches: ["_tcp.example.com", "."] } }),
      },
      {
        refusedBefore: "selinux-mounts",
        tryJob: job({}, { securityContext: { seLinuxChangePolicy: "MountOption" } }),
      },
      {
        refusedBefore: "restart-rules-of-containers",
        field: `${POD}.containers[*].restartPolicyRules`,
        tryJob: job({
          restartPolicy: "Never",
          restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
        }),
      },
      {
        refusedBefore: "variables-from-files",
        tryJob: job(
          {
            env: [{ name: "TOKEN", valueFrom: { fileKeyRef: { volumeName: "env", path: "a.env", key: "TOKEN" } } }],
          },
          { volumes: [{ name: "env", emptyDir: {} }] },
        ),
      },
      {
        refusedBefore: "image-volumes",
        field: `${POD}.volumes[*].image`,
        tryJob: job({}, { volumes: [{ name: "data", image: { reference: "example.com/data" } }] }),
      },
    ],
  },
  {
    name: "refused-by-later-versions",
    rows: ["J36"],
    job: {},
    // Before image volumes were kept, the volume without its source was refused for another reason.
    since: "1.35",
    actions: [
      {
        refusedSince: "image-volumes-without-reference",
        tryJob: job({}, { volumes: [{ name: "data", image: { pullPolicy: "Always" } }] }),
      },
    ],
  },
  {
    name: "limits-of-containers-become-the-pods",
    rows: ["J36"],
    job: job({ resources: { limits: { cpu: "100m", memory: "64Mi" } } }, { resources: { requests: { cpu: "200m" } } }),
    shows: [{ change: "defaults-of-whole-pods", podField: "spec.resources.limits.memory" }],
  },
  {
    name: "labels-taken-off-while-suspended",
    rows: ["J214"],
    job: { suspend: true },
    actions: [
      {
        when: { condition: "Suspended" },
        patchJob: { spec: { template: { metadata: { labels: { "controller-uid": null, "job-name": null } } } } },
        refusedBefore: "labels-taken-off-while-suspended",
      },
      { patchJob: { spec: { suspend: false } }, afterMs: 500 },
    ],
  },
  {
    name: "resources-while-suspended",
    rows: ["J214"],
    job: { suspend: true },
    actions: [
      {
        when: { condition: "Suspended" },
        patchJob: { spec: job({ resources: { requests: { cpu: "200m" } } }) },
        refusedBefore: "resources-of-suspended-jobs",
      },
      { patchJob: { spec: { suspend: false } }, afterMs: 500 },
    ],
  },
  {
    name: "placed-when-suspended-again",
    rows: ["J202", "J214"],
    job: {},
    outcome: { runMs: 20_000 },
    actions: [
      { patchJob: { spec: { suspend: true } }, when: { pods: { Ready: 1 } }, afterMs: 3_000 },
      {
        when: { gone: 1, condition: "Suspended" },
        // Upstream's status says a second later that there are no pods any more.
        afterMs: 3_000,
        patchJob: { spec: { template: { spec: { nodeSelector: { "kubernetes.io/hostname": "parity-node" } } } } },
        refusedBefore: "placement-of-suspended-jobs",
      },
      { patchJob: { spec: { suspend: false } }, afterMs: 500 },
    ],
    // Stint takes the start time away, so that earlier servers take the update too.
    shows: [
      { change: "deadline-of-a-suspended-job", aspects: ["order"] },
      { change: "placement-of-suspended-jobs", aspects: ["status", "pod contents"] },
    ],
  },
];

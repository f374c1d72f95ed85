/** Tried of kinds that say what others may do: limits, budgets, classes, roles, and admission. */
import type { JsonObject } from "../../../../cluster/index.ts";
import type { TriedKind } from "../kinds.ts";

const core = "/api/v1/namespaces/<ns>";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const admission = "/apis/admissionregistration.k8s.io/v1";
const labels = { app: "a" };
const selector = { matchLabels: labels };
const WEBHOOK = {
  name: "w.example.com",
  clientConfig: { url: "https://127.0.0.1:1/hook" },
  rules: [{ operations: ["CREATE"], apiGroups: ["none.example.com"], apiVersions: ["v1"], resources: ["things"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const RULES = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
const POLICY = {
  matchConstraints: {
    resourceRules: [
      { operations: ["CREATE"], apiGroups: ["none.example.com"], apiVersions: ["v1"], resources: ["things"] },
    ],
  },
  validations: [{ expression: "true" }],
};

function webhooks(kind: string, plural: string): TriedKind {
  const with_ = (change: JsonObject): JsonObject => ({ webhooks: [{ ...WEBHOOK, ...change }] });
  return {
    kind,
    apiVersion: "admissionregistration.k8s.io/v1",
    collection: `${admission}/${plural}`,
    isOfCluster: true,
    object: { webhooks: [WEBHOOK] },
    changes: [
      with_({ timeoutSeconds: 5, failurePolicy: "Ignore" }),
      with_({ timeoutSeconds: 31 }),
      with_({ failurePolicy: "Odd" }),
      with_({ sideEffects: "Some" }),
      with_({ clientConfig: { url: "http://127.0.0.1/x" } }),
      with_({ clientConfig: { service: { namespace: "n", name: "s", path: "/x" } } }),
      with_({ rules: [{ ...WEBHOOK.rules[0]!, operations: ["ODD"] }] }),
      { webhooks: [WEBHOOK, WEBHOOK] },
      { webhooks: null },
    ],
    others: [
      {},
      with_({ name: "short" }),
      with_({ admissionReviewVersions: [] }),
      with_({ admissionReviewVersions: ["v2"] }),
      with_({ clientConfig: {} }),
      with_({ matchConditions: [{ name: "a", expression: "1 +" }] }),
    ],
    fieldSelectors: ["webhooks.name=x"],
  };
}

function role(kind: string, collection: string, others: readonly JsonObject[]): TriedKind {
  return {
    kind,
    apiVersion: "rbac.authorization.k8s.io/v1",
    collection,
    object: { rules: RULES },
    changes: [
      { rules: [{ verbs: ["*"], apiGroups: ["batch"], resources: ["jobs", "jobs/status"], resourceNames: ["j"] }] },
      { rules: [{ verbs: [], apiGroups: [""], resources: ["pods"] }] },
      { rules: [{ verbs: ["get"] }] },
      { rules: [] },
      { rules: null },
    ],
    others: [{}, { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] }, ...others],
    fieldSelectors: ["metadata.name!=x"],
  };
}

function binding(kind: string, collection: string): TriedKind {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
  const account = { kind: "ServiceAccount", name: "s", namespace: "n" };
  return {
    kind,
    apiVersion: "rbac.authorization.k8s.io/v1",
    collection,
    object: { roleRef, subjects: [account] },
    changes: [
      { subjects: [account, { kind: "User", name: "u" }] },
      { roleRef: { name: "edit" } },
      { subjects: [{ kind: "Odd", name: "x" }] },
      { subjects: [{ kind: "Group", name: "" }] },
      { subjects: null },
    ],
    others: [
      {},
      { roleRef: { kind: "Role", name: "r" } },
      { roleRef: { ...roleRef, apiGroup: "odd" } },
      { roleRef: { ...roleRef, kind: "Odd", name: "a/b" } },
    ],
    fieldSelectors: ["roleRef.name=view"],
  };
}

export const RULE_KINDS: readonly TriedKind[] = [
  {
    kind: "ServiceAccount",
    apiVersion: "v1",
    collection: `${core}/serviceaccounts`,
    object: { imagePullSecrets: [{ name: "pull" }] },
    changes: [
      { automountServiceAccountToken: false },
      { secrets: [{ name: "s" }] },
      { imagePullSecrets: null },
      { automountServiceAccountToken: "no" },
    ],
    others: [{}, { secrets: [{}] }],
    fieldSelectors: ["secrets=s"],
  },
  {
    kind: "LimitRange",
    apiVersion: "v1",
    collection: `${core}/limitranges`,
    object: { spec: { limits: [{ type: "Container", default: { cpu: "500m" }, max: { cpu: "1" } }] } },
    changes: [
      { spec: { limits: [{ type: "Container", max: { memory: "1Gi" }, min: { memory: "1Mi" } }] } },
      { spec: { limits: [{ type: "Container", max: { cpu: "1" }, min: { cpu: "2" } }] } },
      { spec: { limits: [{ type: "Container", maxLimitRequestRatio: { cpu: "500m" } }] } },
      { spec: { limits: [{ type: "Pod", default: { cpu: "1" } }] } },
      { spec: { limits: [{ type: "Odd", max: { cpu: "1" } }] } },
      { spec: { limits: [{ type: "Pod" }, { type: "Pod" }] } },
      { spec: { limits: [{ type: "Container", max: { cpu: "x" } }] } },
      { spec: { limits: null } },
    ],
    others: [
      {},
      { spec: {} },
      { spec: { limits: [{ type: "" }] } },
      { spec: { limits: [{ type: "PersistentVolumeClaim" }] } },
      { spec: { limits: [{ type: "Container", max: { odd: "1" } }] } },
      {
        spec: {
          limits: [{ type: "Container", max: { cpu: "2" }, min: { cpu: "1" }, maxLimitRequestRatio: { cpu: "3" } }],
        },
      },
    ],
    fieldSelectors: ["spec.limits=x"],
  },
  {
    kind: "PodDisruptionBudget",
    apiVersion: "policy/v1",
    collection: "/apis/policy/v1/namespaces/<ns>/poddisruptionbudgets",
    object: { spec: { minAvailable: 1, selector } },
    changes: [
      { spec: { minAvailable: "50%" } },
      { spec: { minAvailable: "x" } },
      { spec: { minAvailable: -1 } },
      { spec: { maxUnavailable: 1 } },
      { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } },
      { spec: { unhealthyPodEvictionPolicy: "Odd" } },
      { spec: { selector: { matchLabels: { "bad key": "x" } } } },
      { spec: { selector: { matchExpressions: [{ key: "a", operator: "Odd" }] } } },
      { spec: { selector: null } },
    ],
    statusChanges: [
      { status: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 } },
      { status: { disruptionsAllowed: -1 } },
      { status: { disruptedPods: { "Bad_Name": "2020-01-01T00:00:00Z" } } },
      { spec: { minAvailable: 9 } },
    ],
    others: [{}, { spec: {} }, { spec: { minAvailable: "101%" } }],
    fieldSelectors: ["spec.minAvailable=1"],
  },
  {
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    collection: "/apis/scheduling.k8s.io/v1/priorityclasses",
    isOfCluster: true,
    object: { value: 100, description: "d" },
    changes: [{ description: "e" }, { value: 200 }, { preemptionPolicy: "Never" }, { value: "x" }],
    others: [{}, { value: 2000000000 }, { value: -5, preemptionPolicy: "Odd" }],
    fieldSelectors: ["value=100"],
  },
  {
    kind: "RuntimeClass",
    apiVersion: "node.k8s.io/v1",
    collection: "/apis/node.k8s.io/v1/runtimeclasses",
    isOfCluster: true,
    object: { handler: "h" },
    changes: [
      { handler: "other" },
      { overhead: { podFixed: { cpu: "250m" } } },
      { overhead: { podFixed: { cpu: "-1" } } },
      { scheduling: { nodeSelector: { a: "b" } } },
      { scheduling: { nodeSelector: { "bad key": "b" } } },
    ],
    others: [{}, { handler: "Bad_Name" }, { handler: "h", scheduling: { tolerations: [{ operator: "Odd" }] } }],
    fieldSelectors: ["handler=h"],
  },
  role("Role", `${rbac}/namespaces/<ns>/roles`, []),
  {
    ...role("ClusterRole", `${rbac}/clusterroles`, [
      { aggregationRule: {} },
      { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "bad key": "x" } }] } },
    ]),
    isOfCluster: true,
  },
  binding("RoleBinding", `${rbac}/namespaces/<ns>/rolebindings`),
  { ...binding("ClusterRoleBinding", `${rbac}/clusterrolebindings`), isOfCluster: true },
  webhooks("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
  webhooks("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
  {
    kind: "ValidatingAdmissionPolicy",
    apiVersion: "admissionregistration.k8s.io/v1",
    collection: `${admission}/validatingadmissionpolicies`,
    isOfCluster: true,
    object: { spec: POLICY },
    changes: [
      { spec: { validations: [{ expression: "false", message: "m" }] } },
      { spec: { failurePolicy: "Ignore" } },
      { spec: { failurePolicy: "Odd" } },
      { spec: { validations: [{ expression: "" }] } },
      { spec: { validations: null } },
      { spec: { matchConstraints: null } },
    ],
    statusChanges: [{ status: { observedGeneration: 1 } }, { spec: { failurePolicy: "Fail" } }],
    others: [{}, { spec: {} }, { spec: { ...POLICY, variables: [{ name: "bad name", expression: "1" }] } }],
    fieldSelectors: ["spec.failurePolicy=Fail"],
  },
  {
    kind: "ValidatingAdmissionPolicyBinding",
    apiVersion: "admissionregistration.k8s.io/v1",
    collection: `${admission}/validatingadmissionpolicybindings`,
    isOfCluster: true,
    object: { spec: { policyName: "none", validationActions: ["Audit"] } },
    changes: [
      { spec: { validationActions: ["Deny", "Warn"] } },
      { spec: { validationActions: ["Audit", "Audit"] } },
      { spec: { validationActions: ["Odd"] } },
      { spec: { policyName: "other" } },
      { spec: { paramRef: { name: "p" } } },
    ],
    others: [{}, { spec: {} }, { spec: { policyName: "Bad_Name", validationActions: [] } }],
    fieldSelectors: ["spec.policyName=none"],
  },
];

/** An object of each kind, small ones and ones with much in them; and where the kind is served. */

export type KindObject = { readonly metadata: { readonly name: string } } & Readonly<Record<string, unknown>>;

export interface KindCase {
  /** `/api/v1` or `/apis/GROUP/VERSION`. */
  readonly root: string;
  readonly resource: string;
  readonly isNamespaced: boolean;
  /** By what is special about them. */
  readonly objects: Readonly<
    Record<string, { readonly metadata: { readonly name: string } } & Record<string, unknown>>
  >;
}

const container = { name: "c", image: "example.com/i:1" };
const labels = { app: "a" };
const template = { metadata: { labels }, spec: { containers: [container] } };
const selector = { matchLabels: labels };
const named = <Rest extends object>(name: string, rest: Rest): { metadata: { name: string } } & Rest => ({
  metadata: { name },
  ...rest,
});
const core = (
  resource: string,
  objects: KindCase["objects"],
  { root = "/api/v1", isNamespaced = true } = {},
): KindCase => ({ root, resource, isNamespaced, objects });
const apps = { root: "/apis/apps/v1" };
const rbac = { root: "/apis/rbac.authorization.k8s.io/v1" };
const devices = { root: "/apis/resource.k8s.io/v1" };
const admission = { root: "/apis/admissionregistration.k8s.io/v1", isNamespaced: false };
const storage = { root: "/apis/storage.k8s.io/v1", isNamespaced: false };

export const kindCases: readonly KindCase[] = [
  core("serviceaccounts", {
    plain: named("plain", {}),
    full: named("full", {
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: "pull" }],
      secrets: [{ name: "s" }],
    }),
  }),
  core("services", {
    // Not the names of the Endpoints below: a real API server deletes those with the Service.
    plain: named("service", { spec: { selector: labels, ports: [{ port: 80 }] } }),
    given: named("given", { spec: { clusterIP: "10.96.0.20", ports: [{ port: 80, targetPort: "http", name: "a" }] } }),
    headless: named("headless-service", { spec: { clusterIP: "None", selector: labels } }),
    headlessAlone: named("headless-alone", { spec: { clusterIP: "None", ports: [{ port: 1 }] } }),
    nodePort: named("node-port", {
      spec: {
        type: "NodePort",
        ports: [
          { name: "a", port: 80 },
          { name: "b", port: 80, protocol: "UDP", nodePort: 30_010 },
        ],
        sessionAffinity: "ClientIP",
      },
    }),
    balancer: named("balancer", {
      spec: { type: "LoadBalancer", ports: [{ port: 80 }], externalTrafficPolicy: "Local", externalIPs: ["1.2.3.4"] },
    }),
    external: named("external", { spec: { type: "ExternalName", externalName: "example.com" } }),
  }),
  core("endpoints", {
    plain: named("plain", {}),
    full: named("full", {
      subsets: [
        {
          addresses: ["10.1.1.1", "10.1.1.2"].map((ip) => ({ ip })),
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 81, protocol: "UDP" },
          ],
        },
      ],
    }),
    headless: named("headless", { subsets: [{ addresses: [{ ip: "10.1.1.1" }] }] }),
  }),
  core(
    "endpointslices",
    {
      plain: named("plain", { addressType: "IPv4", endpoints: [{ addresses: ["10.1.1.1"] }] }),
      full: named("full", {
        addressType: "IPv4",
        endpoints: ["10.1.1.1", "10.1.1.2", "10.1.1.3", "10.1.1.4"].map((ip) => ({ addresses: [ip] })),
        ports: [
          { name: "http", port: 80 },
          { port: 81, name: "b", protocol: "UDP" },
        ],
      }),
    },
    { root: "/apis/discovery.k8s.io/v1" },
  ),
  core("limitranges", {
    plain: named("plain", { spec: { limits: [{ type: "Pod", max: { cpu: "2" } }] } }),
    full: named("full", {
      spec: {
        limits: [
          {
            type: "Container",
            max: { cpu: "2", memory: "1Gi" },
            min: { cpu: "100m" },
            default: { cpu: "500m" },
            maxLimitRequestRatio: { cpu: "10" },
          },
          { type: "PersistentVolumeClaim", min: { storage: "1Gi" } },
        ],
      },
    }),
  }),
  core("persistentvolumeclaims", {
    plain: named("plain", {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
    }),
    bound: named("bound", {
      spec: {
        accessModes: ["ReadWriteMany", "ReadOnlyMany"],
        resources: { requests: { storage: "1Gi" }, limits: { storage: "2Gi" } },
        volumeName: "v",
        storageClassName: "",
        selector,
      },
    }),
  }),
  core(
    "persistentvolumes",
    {
      plain: named("plain", {
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp/x" } },
      }),
      full: named("full", {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOncePod"],
          persistentVolumeReclaimPolicy: "Delete",
          storageClassName: "fast",
          claimRef: { namespace: "default", name: "c" },
          csi: { driver: "d.example.com", volumeHandle: "h" },
          mountOptions: ["ro"],
        },
      }),
    },
    { isNamespaced: false },
  ),
  core("podtemplates", { plain: named("plain", { template }) }),
  core("replicationcontrollers", {
    plain: named("plain", { spec: { template } }),
    full: named("full", { spec: { replicas: 3, selector: labels, template } }),
  }),
  core(
    "deployments",
    {
      plain: named("plain", { spec: { selector, template } }),
      full: named("full", {
        spec: {
          replicas: 3,
          selector: { matchExpressions: [{ key: "app", operator: "In", values: ["b", "a"] }] },
          template,
          strategy: { type: "Recreate" },
          paused: true,
          minReadySeconds: 5,
        },
      }),
      rolling: named("rolling", {
        spec: { selector, template, strategy: { rollingUpdate: { maxUnavailable: 1 } } },
      }),
    },
    apps,
  ),
  core(
    "replicasets",
    {
      plain: named("plain", { spec: { selector, template } }),
      full: named("full", { spec: { replicas: 0, selector, template } }),
    },
    apps,
  ),
  core(
    "statefulsets",
    {
      plain: named("plain", { spec: { selector, template, serviceName: "s" } }),
      onDelete: named("on-delete", {
        spec: { selector, template, serviceName: "s", updateStrategy: { type: "OnDelete" }, replicas: 2 },
      }),
    },
    apps,
  ),
  core(
    "daemonsets",
    {
      plain: named("plain", { spec: { selector, template } }),
      onDelete: named("on-delete", {
        spec: {
          selector,
          template: { ...template, spec: { ...template.spec, nodeSelector: { disk: "ssd" } } },
          updateStrategy: { type: "OnDelete" },
        },
      }),
    },
    apps,
  ),
  core("controllerrevisions", { plain: named("plain", { revision: 1, data: { any: ["thing"] } }) }, apps),
  core(
    "poddisruptionbudgets",
    {
      plain: named("plain", { spec: { minAvailable: 1, selector } }),
      percent: named("percent", { spec: { maxUnavailable: "20%", unhealthyPodEvictionPolicy: "AlwaysAllow" } }),
    },
    { root: "/apis/policy/v1" },
  ),
  core(
    "priorityclasses",
    {
      plain: named("plain", { value: 100 }),
      full: named("full", { value: -5, description: "d", preemptionPolicy: "Never" }),
    },
    { root: "/apis/scheduling.k8s.io/v1", isNamespaced: false },
  ),
  core(
    "runtimeclasses",
    {
      plain: named("plain", { handler: "h" }),
      full: named("full", { handler: "h", overhead: { podFixed: { cpu: "250m" } } }),
    },
    { root: "/apis/node.k8s.io/v1", isNamespaced: false },
  ),
  core(
    "roles",
    {
      plain: named("plain", {}),
      full: named("a:b", { rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] }),
    },
    rbac,
  ),
  core(
    "clusterroles",
    {
      plain: named("plain", {}),
      full: named("full", {
        aggregationRule: { clusterRoleSelectors: [selector] },
        rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
      }),
    },
    { ...rbac, isNamespaced: false },
  ),
  core(
    "rolebindings",
    {
      plain: named("plain", { roleRef: { kind: "Role", name: "r", apiGroup: "rbac.authorization.k8s.io" } }),
      full: named("full", {
        roleRef: { kind: "ClusterRole", name: "view", apiGroup: "" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "Group", name: "g" },
          { kind: "ServiceAccount", name: "s", namespace: "n" },
        ],
      }),
    },
    rbac,
  ),
  core(
    "clusterrolebindings",
    {
      full: named("full", {
        roleRef: { kind: "ClusterRole", name: "view", apiGroup: "rbac.authorization.k8s.io" },
        subjects: [{ kind: "ServiceAccount", name: "s", namespace: "n" }],
      }),
    },
    { ...rbac, isNamespaced: false },
  ),
  core(
    "storageclasses",
    {
      plain: named("plain", { provisioner: "p.example.com" }),
      full: {
        metadata: { name: "full", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } } as {
          name: string;
        },
        provisioner: "p.example.com",
        reclaimPolicy: "Retain",
        volumeBindingMode: "WaitForFirstConsumer",
        allowVolumeExpansion: true,
        parameters: { a: "b" },
        mountOptions: ["ro"],
      },
    },
    storage,
  ),
  core(
    "csidrivers",
    {
      plain: named("plain", { spec: {} }),
      full: named("full", {
        spec: {
          attachRequired: false,
          podInfoOnMount: true,
          volumeLifecycleModes: ["Ephemeral"],
          tokenRequests: [{ audience: "a" }],
          requiresRepublish: true,
        },
      }),
    },
    storage,
  ),
  core(
    "csinodes",
    {
      plain: named("plain", { spec: { drivers: [{ name: "d", nodeID: "n" }] } }),
      full: named("full", {
        spec: { drivers: [{ name: "d", nodeID: "n", topologyKeys: ["k"], allocatable: { count: 3 } }] },
      }),
    },
    storage,
  ),
  core(
    "csistoragecapacities",
    {
      plain: named("plain", { storageClassName: "fast" }),
      full: named("full", {
        storageClassName: "fast",
        capacity: "10Gi",
        maximumVolumeSize: "1Gi",
        nodeTopology: selector,
      }),
    },
    { root: "/apis/storage.k8s.io/v1" },
  ),
  core(
    "volumeattachments",
    { plain: named("plain", { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } }) },
    storage,
  ),
  core(
    "deviceclasses",
    {
      plain: named("plain", { spec: {} }),
      full: named("full", {
        spec: {
          selectors: [{ cel: { expression: 'device.driver == "d"' } }],
          config: [{ opaque: { driver: "d.example.com", parameters: { b: 1, a: "x" } } }],
          extendedResourceName: "example.com/gpu",
        },
      }),
    },
    { ...devices, isNamespaced: false },
  ),
  core(
    "devicetaintrules",
    {
      plain: named("plain", { spec: { taint: { key: "example.com/broken", effect: "NoSchedule" } } }),
      full: named("full", {
        spec: {
          deviceSelector: { driver: "d.example.com", pool: "p/q", device: "gpu" },
          taint: { key: "broken", value: "yes", effect: "NoExecute", timeAdded: "2026-01-01T01:00:00+01:00" },
        },
        status: { conditions: [{ type: "EvictionInProgress", status: "True" }] },
      }),
    },
    { ...devices, isNamespaced: false },
  ),
  core(
    "resourceclaims",
    {
      plain: named("plain", { spec: {} }),
      full: named("full", {
        spec: {
          devices: {
            requests: [
              { name: "one", exactly: { deviceClassName: "c" } },
              { name: "all", exactly: { deviceClassName: "c", allocationMode: "All" } },
              {
                name: "either",
                firstAvailable: [
                  { name: "two", deviceClassName: "c", count: 2 },
                  { name: "one", deviceClassName: "c" },
                ],
              },
            ],
            constraints: [{ requests: ["one", "all"], matchAttribute: "example.com/numa" }],
            config: [{ requests: ["one"], opaque: { driver: "d.example.com", parameters: { a: 1 } } }],
          },
        },
      }),
    },
    devices,
  ),
  core(
    "resourceclaimtemplates",
    {
      plain: named("plain", {
        spec: { spec: { devices: { requests: [{ name: "one", exactly: { deviceClassName: "c" } }] } } },
      }),
    },
    devices,
  ),
  core(
    "resourceslices",
    {
      plain: named("plain", {
        spec: {
          driver: "d.example.com",
          nodeName: "n",
          pool: { name: "p", generation: 1, resourceSliceCount: 1 },
          devices: [{ name: "gpu", attributes: { model: { string: "m" } }, capacity: { memory: { value: "40Gi" } } }],
        },
      }),
    },
    { ...devices, isNamespaced: false },
  ),
  core(
    "validatingadmissionpolicies",
    {
      plain: named("plain", {
        spec: {
          matchConstraints: {
            resourceRules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["secrets"] }],
          },
          validations: [{ expression: "true" }],
        },
      }),
      full: named("full", {
        spec: {
          failurePolicy: "Ignore",
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          matchConstraints: {
            matchPolicy: "Exact",
            namespaceSelector: { matchLabels: labels },
            objectSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
            resourceRules: [
              {
                operations: ["CREATE", "UPDATE"],
                apiGroups: [""],
                apiVersions: ["v1"],
                resources: ["secrets"],
                resourceNames: ["s"],
                scope: "Namespaced",
              },
            ],
            excludeResourceRules: [
              { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], resourceNames: ["t"] },
            ],
          },
          matchConditions: [{ name: "c", expression: "params != null" }],
          variables: [{ name: "v", expression: "object.metadata.name" }],
          validations: [
            { expression: "variables.v != ''", message: "m", messageExpression: "'m'", reason: "Forbidden" },
            { expression: "true" },
          ],
          auditAnnotations: [{ key: "k", valueExpression: "'v'" }],
        },
        status: { observedGeneration: 7 },
      }),
    },
    admission,
  ),
  core(
    "validatingadmissionpolicybindings",
    {
      plain: named("plain", { spec: { policyName: "plain", validationActions: ["Deny"] } }),
      named: named("named", {
        spec: {
          policyName: "full",
          validationActions: ["Warn", "Audit"],
          paramRef: { name: "p", parameterNotFoundAction: "Allow" },
          matchResources: {},
        },
      }),
      inNamespace: named("in-namespace", {
        spec: {
          policyName: "full",
          validationActions: ["Audit"],
          paramRef: { name: "p", namespace: "n", parameterNotFoundAction: "Allow" },
        },
      }),
      selected: named("selected", {
        spec: {
          policyName: "full",
          validationActions: ["Deny"],
          paramRef: {
            selector: {
              matchLabels: { b: "c", a: "b" },
              matchExpressions: [{ key: "d", operator: "In", values: ["e", "f"] }],
            },
            parameterNotFoundAction: "Deny",
          },
        },
      }),
    },
    admission,
  ),
];

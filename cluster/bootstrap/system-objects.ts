/** The objects that a real API server creates when it starts, for clients that expect them. */
import type { BareCluster } from "../bare-cluster.ts";

const SYSTEM_CRITICAL = 2_000_000_000;

const PRIORITY_CLASSES = [
  {
    metadata: { name: "system-node-critical" },
    value: SYSTEM_CRITICAL + 1000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
  {
    metadata: { name: "system-cluster-critical" },
    value: SYSTEM_CRITICAL,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
];

/** Where pods find the API. */
const SERVICE = {
  metadata: { name: "kubernetes", labels: { component: "apiserver", provider: "kubernetes" } },
  spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort: 6443 }] },
};

/** @throws Error if the server refuses one of them */
export function createSystemObjects(cluster: BareCluster): void {
  create(cluster, "/api/v1/namespaces/default/services", SERVICE);
  for (const priorityClass of PRIORITY_CLASSES)
    create(cluster, "/apis/scheduling.k8s.io/v1/priorityclasses", priorityClass);
}

function create(cluster: BareCluster, path: string, object: object): void {
  const headers = { "content-type": "application/json", "user-agent": "kube-apiserver" };
  const answer = cluster.handle({ method: "POST", path, headers, body: JSON.stringify(object) });
  if (answer.status !== 201 || !("body" in answer))
    throw new Error(`POST ${path}: ${"body" in answer ? String(answer.body) : answer.status}`);
}

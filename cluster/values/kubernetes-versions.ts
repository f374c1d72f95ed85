/** Versions of Kubernetes, as `1.36`: those whose changes for Jobs are known, and the one that Stint follows. */

/** Those that are released, oldest first. The parity scenarios play them. */
export const RELEASED_VERSIONS = ["1.32", "1.33", "1.34", "1.35", "1.36", "1.37"] as const;
/** All of them, oldest first. Of the last one only the sources of its beta were read: nothing of it was run. */
export const KUBERNETES_VERSIONS = [...RELEASED_VERSIONS, "1.38"] as const;
export type KubernetesVersion = (typeof KUBERNETES_VERSIONS)[number];
export const NEWEST_KUBERNETES = RELEASED_VERSIONS.at(-1)!;
/** Those as which the embedded API server, the kubelet and the reviews of the engine can behave. */
export const SERVED_VERSIONS = ["1.33", "1.34", "1.35", "1.36", "1.37"] as const satisfies readonly KubernetesVersion[];
export type ServedVersion = (typeof SERVED_VERSIONS)[number];
/** The default version that they emulate. */
export const SERVED_KUBERNETES: ServedVersion = "1.37";
/** The releases that they were compared with. Clients read one as the version of the server. */
export const RELEASES: Readonly<Record<ServedVersion, string>> = {
  "1.33": "v1.33.13",
  "1.34": "v1.34.4",
  "1.35": "v1.35.4",
  "1.36": "v1.36.3",
  "1.37": "v1.37.2",
};

/** The version that a text names: `1.34`, `v1.34` or `v1.34.4+k3s1`; undefined: none of those that are known. */
export function kubernetesVersionOf(text: string): KubernetesVersion | undefined {
  const minor = /^v?(\d+\.\d+)(\.\d+([-+.].*)?)?$/.exec(text)?.[1];
  return KUBERNETES_VERSIONS.find((version) => version === minor);
}

/** Whether the version was run, and not only read. */
export function isReleased(version: KubernetesVersion): boolean {
  return (RELEASED_VERSIONS as readonly KubernetesVersion[]).includes(version);
}

export function isBefore(version: KubernetesVersion, other: KubernetesVersion): boolean {
  return KUBERNETES_VERSIONS.indexOf(version) < KUBERNETES_VERSIONS.indexOf(other);
}

/** Versions of Kubernetes, as `1.36`: those whose changes for Jobs are known, and the one that Stint follows. */

/** Those that the parity scenarios play, oldest first. */
export const KUBERNETES_VERSIONS = ["1.32", "1.33", "1.34", "1.35", "1.36", "1.37"] as const;
export type KubernetesVersion = (typeof KUBERNETES_VERSIONS)[number];
export const NEWEST_KUBERNETES = KUBERNETES_VERSIONS.at(-1)!;
/** The one as which the embedded API server, the kubelet and the engine behave. */
export const SERVED_KUBERNETES: KubernetesVersion = "1.36";
/** The release of it that they were compared with. Clients read it as the version of the server. */
export const SERVED_RELEASE = `v${SERVED_KUBERNETES}.3`;

/** The version that a text names: `1.34`, `v1.34` or `v1.34.4+k3s1`; undefined: none of those that are known. */
export function kubernetesVersionOf(text: string): KubernetesVersion | undefined {
  const minor = /^v?(\d+\.\d+)(\.\d+([-+.].*)?)?$/.exec(text)?.[1];
  return KUBERNETES_VERSIONS.find((version) => version === minor);
}

export function isBefore(version: KubernetesVersion, other: KubernetesVersion): boolean {
  return KUBERNETES_VERSIONS.indexOf(version) < KUBERNETES_VERSIONS.indexOf(other);
}

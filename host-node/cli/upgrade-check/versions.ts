/** Versions of Kubernetes between which `stint upgrade-check` compares, as `1.36`. */

/** Those that the parity scenarios play, oldest first. */
export const KUBERNETES_VERSIONS = ["1.32", "1.33", "1.34", "1.35", "1.36"] as const;
export type KubernetesVersion = (typeof KUBERNETES_VERSIONS)[number];
export const NEWEST_KUBERNETES = KUBERNETES_VERSIONS.at(-1)!;

/** The version that a text names: `1.34`, `v1.34` or `v1.34.4+k3s1`; undefined: none of those that are known. */
export function kubernetesVersionOf(text: string): KubernetesVersion | undefined {
  const minor = /^v?(\d+\.\d+)(\.\d+([-+.].*)?)?$/.exec(text)?.[1];
  return KUBERNETES_VERSIONS.find((version) => version === minor);
}

export function isBefore(version: KubernetesVersion, other: KubernetesVersion): boolean {
  return KUBERNETES_VERSIONS.indexOf(version) < KUBERNETES_VERSIONS.indexOf(other);
}

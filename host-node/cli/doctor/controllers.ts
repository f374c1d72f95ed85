/**
 * Which controllers of Jobs are alive, by their Leases. A controller without leader election has no Lease, and the
 * Lease names of other controllers are unknown.
 */
import { LEASES } from "../../../cluster/client/client.ts";
import { SETTINGS } from "../../controller/settings.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import type { Lease } from "../../../cluster/values/kinds.ts";

const BUILT_IN = /^kube-controller-manager$/;
const OWN = /stint-job-controller/;

export interface LifeSign {
  /** For example `kube-system/kube-controller-manager`. */
  readonly lease: string;
  readonly ageMs: number;
}

/** @returns when the controller with this value of managedBy last renewed its Lease; undefined: the built-in one */
export async function readLifeSigns(
  reader: ClusterReader,
): Promise<(manager: string | undefined) => LifeSign | undefined> {
  const leases = (await reader.all(LEASES, "Leases")).filter(({ metadata }) =>
    [BUILT_IN, OWN].some((name) => name.test(metadata.name)),
  );
  return (manager) => {
    if (manager !== undefined && manager !== SETTINGS.managedBy.initial) return undefined;
    const name = manager === undefined ? BUILT_IN : OWN;
    return leases
      .filter(({ metadata }) => name.test(metadata.name))
      .map((lease) => signOf(lease, reader.now()))
      .sort((a, b) => a.ageMs - b.ageMs)[0];
  };
}

function signOf({ metadata: { namespace, name }, ...lease }: Lease, nowMs: number): LifeSign {
  const renewed = Date.parse(lease.spec?.renewTime as string);
  return { lease: `${namespace}/${name}`, ageMs: Number.isNaN(renewed) ? Infinity : nowMs - renewed };
}

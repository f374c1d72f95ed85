/** What an upgrade check has found, for every form in which it is shown. */
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";
import type { KubernetesVersion } from "../../../cluster/values/kubernetes-versions.ts";
import type { Finding } from "./finding.ts";

export interface UpgradeResult {
  readonly findings: readonly Finding[];
  /** Findings that were left out, because there are too many. */
  readonly left: number;
  /** How many Jobs were looked at. */
  readonly jobs: number;
  readonly from: KubernetesVersion;
  readonly to: KubernetesVersion;
  /** Objects of other kinds, counted: `2 Deployments, 1 Service`. */
  readonly passedOver: string;
  /** Text has each finding, however many are alike. */
  readonly isVerbose: boolean;
  /** What could not be read of the input. */
  readonly unread: readonly Diagnostic[];
}

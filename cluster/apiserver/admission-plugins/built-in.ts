/**
 * The implemented plugins that are on in every API server, in upstream's order; and the reviews of evictions, which are
 * no plugin upstream.
 */
import type { AdmissionPlugin } from "./chain.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { disruptionBudgets } from "./disruption-budgets.ts";
import { limitRanger } from "./limit-ranger.ts";
import { podGroupProtection } from "./pod-group-protection.ts";
import { podResize } from "./pod-resize.ts";
import { priority } from "./priority.ts";
import { serviceAccount } from "./service-account.ts";

export const builtInPlugins: readonly AdmissionPlugin[] = [
  limitRanger,
  serviceAccount,
  priority,
  defaultStorageClass,
  podGroupProtection,
  disruptionBudgets,
  podResize,
];

/** The plugins that are on in every API server, as far as there are any here, in upstream's order. */
import type { AdmissionPlugin } from "./chain.ts";
import { limitRanger } from "./limit-ranger.ts";
import { priority } from "./priority.ts";
import { serviceAccount } from "./service-account.ts";

export const builtInPlugins: readonly AdmissionPlugin[] = [limitRanger, serviceAccount, priority];

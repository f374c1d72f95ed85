/**
 * What a server needs for ResourceQuotas: the rules of the kind, the admission of what is limited, and the counting.
 *
 * One function, because the Worker of the playground loads it only for runs that have a quota. So it throws no error of
 * the server: the code of that may be there twice.
 */
import type { Quotas, ServerContext } from "../contract/context.ts";
import { charge } from "./charge.ts";
import { recount } from "./recount.ts";
import { validateQuota } from "./validate.ts";

/** From now on the status of quotas is written. Call it once for a server. */
export function startQuotas(server: ServerContext): Quotas {
  recount(server);
  return { validate: validateQuota, charge };
}

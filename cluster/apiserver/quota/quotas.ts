/**
 * Everything that a server needs for ResourceQuotas: the rules of the kind, the admission of limited objects, and the
 * recount.
 *
 * One function, because the Worker of the playground loads it only for runs that have a quota. So it must not throw the
 * server's ApiError: that class may exist twice.
 */
import type { Quotas, ServerContext } from "../contract/context.ts";
import { charge } from "./charge.ts";
import { recount } from "./recount.ts";
import { validateQuota } from "./validate.ts";

/** Starts to keep the status of quotas. Call it once for a server. */
export function startQuotas(server: ServerContext): Quotas {
  recount(server);
  return { validate: validateQuota, charge };
}

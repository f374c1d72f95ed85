/**
 * What a server needs for ResourceQuotas: the rules of the kind, the admission of what is limited, and the counting.
 *
 * One function, because the Worker of the playground loads it only for runs that have a quota. So it throws no error of
 * the server: the code of that may be there twice.
 */
import type { KubeObject } from "../../types.ts";
import type { ResourceRequest, ServerContext } from "../context.ts";
import type { FieldError } from "../status-errors.ts";
import { charge } from "./charge.ts";
import { recount } from "./recount.ts";
import { validateQuota } from "./validate.ts";

export interface Quotas {
  /** What is wrong with a quota. `current` is absent on create. */
  validate(quota: KubeObject, current: KubeObject | undefined, request: ResourceRequest): readonly FieldError[];
  /**
   * Adds an object to what is used of the quotas of its namespace.
   * @param current before a change; undefined: the object is created
   * @returns why it may not be; undefined: it may
   */
  charge(
    object: KubeObject,
    current: KubeObject | undefined,
    request: ResourceRequest,
    isDryRun: boolean,
  ): string | undefined;
}

/** From now on the status of quotas is written. Call it once for a server. */
export function startQuotas(server: ServerContext): Quotas {
  recount(server);
  return { validate: validateQuota, charge };
}

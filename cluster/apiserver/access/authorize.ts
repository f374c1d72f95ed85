/**
 * The first step of the API server: determines which user a request acts as, and whether that user may do what it asks
 * for. Leaves out the rules: an Authorizer has them.
 */
import type { Authorize } from "../contract/context.ts";
import { attributesOf } from "./attributes.ts";
import { type Authorizer, refusal } from "./authorizer.ts";
import { actingUser } from "./impersonation.ts";

/** Upstream serves these paths to every user. */
const OPEN_PATHS: readonly unknown[] = ["/healthz", "/livez", "/readyz"];

/** Authorizes a request before the API server handles it. Components of this process may do everything. */
export function authorizeBy(authorizer: Authorizer): Authorize {
  return (request, server) => {
    if (request.user === undefined) return request;
    const user = actingUser(request, request.user, authorizer, server);
    const attributes = attributesOf(request, user);
    if (!OPEN_PATHS.includes(attributes.target)) {
      const { isAllowed, reason } = authorizer.decide(attributes, server);
      if (!isAllowed) throw refusal(attributes, reason);
    }
    return user === request.user ? request : { ...request, user };
  };
}

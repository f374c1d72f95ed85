/** GET of one object. A read always returns the latest state, so it can only refuse a resourceVersion of the future. */
import { keyOf, type Outcome, type ResourceRequest } from "../contract/context.ts";
import { resourceName, stored } from "./create.ts";
import { notFound, plainError, resourceVersionTooLarge } from "../contract/status-errors.ts";

export function get(request: ResourceRequest): Outcome {
  const { server, query } = request;
  const wanted = query.text("resourceVersion");
  if (wanted !== "") {
    if (!/^\d+$/.test(wanted))
      throw plainError(
        `resourceVersion: Invalid value: ${JSON.stringify(wanted)}: strconv.ParseUint: parsing ${JSON.stringify(wanted)}: invalid syntax`,
      );
    if (Number(wanted) > server.revisions.current)
      throw resourceVersionTooLarge(Number(wanted), server.revisions.current);
  }
  const found = server.store(request.definition).get(keyOf(request.namespace, request.name));
  if (!found) throw notFound(resourceName(request), request.name);
  return stored(found, request);
}

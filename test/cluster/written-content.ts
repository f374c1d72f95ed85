/**
 * Checks the promise of ServerRequest.isWritten: decoding the parts of such a body would change nothing. Metadata is
 * left out, because the server makes it again, and so are the directives of a patch and lists with nulls, which the
 * merge replaces.
 */
import { conform } from "../../cluster/apiserver/schema/decode.ts";
import type { ServerRequest } from "../../cluster/apiserver/contract/context.ts";
import { structType } from "../../cluster/apiserver/schema/schema.ts";
import type { JsonObject } from "../../cluster/values/types.ts";

/** @throws Error naming the request and the first part that is not in written form */
export function checkWritten({ method, path, content, isWritten }: ServerRequest): void {
  if (isWritten !== true || content === undefined) return;
  if (method === "PATCH") checkParts(content["status"] as JsonObject, structType("PodStatus"), `${method} ${path}`);
  else checkParts(content, structType(content["kind"] as string), `${method} ${path}`);
}

/** In conditions: one has lost them, or will be removed. */
const removesMembers = /"(reason|message)":null|"\$patch":"delete"/;

function checkParts(given: JsonObject, type: ReturnType<typeof structType>, request: string): void {
  const parts = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !isReplaced(name) && !removesMembers.test(JSON.stringify(value))),
  );
  const { object, problems } = conform(parts, type);
  if (problems.length > 0) throw new Error(`${request}: ${problems.join(", ")}`);
  for (const name in parts)
    if (object[name] !== parts[name])
      throw new Error(`${request}: ${name} is ${JSON.stringify(parts[name])}, written ${JSON.stringify(object[name])}`);
  if (
    Object.keys(parts).join() !==
    Object.keys(object)
      .filter((name) => name in parts)
      .join()
  )
    throw new Error(`${request}: members are in the order ${Object.keys(parts)}, written ${Object.keys(object)}`);
}

function isReplaced(name: string): boolean {
  return name === "metadata" || name.startsWith("$");
}

/**
 * Which form of response a client wants: JSON, perhaps as a Table or only metadata, perhaps indented. Leaves out
 * protobuf: `stint serve` translates it (host-node/server/protobuf.ts), and a client that asks another cluster for it
 * mostly accepts JSON too.
 */
import type { Output, Transform } from "../contract/output.ts";
import type { ClientSupport, Verb } from "../contract/context.ts";
import { failure } from "../contract/status-errors.ts";

/** A Content-Type without its parameters. */
export function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(";");
  return (end < 0 ? contentType : contentType.slice(0, end)).trim();
}

const readableAgents = /^(curl|Wget|Mozilla)\//;

/** Whether to indent responses for a person to read. */
export function wantsIndented(pretty: string, userAgent: string): boolean {
  return pretty === "" ? readableAgents.test(userAgent) : /^(1|t|T|true|TRUE|True)$/.test(pretty);
}

const plain: Output = {
  transform: undefined,
  metaVersion: "v1",
  mediaType: "application/json",
  isIndented: false,
  indentsErrors: false,
};
const plainIndented: Output = { ...plain, isIndented: true };

/** That of the garbage collector. */
const METADATA_ONLY = /^application\/json;as=(PartialObjectMetadata|PartialObjectMetadataList);g=meta.k8s.io;v=v1,/;

/**
 * @param clientSupport undefined: the server has no other forms than JSON and metadata alone
 * @throws ApiError 406
 */
export function negotiate(
  accept: string,
  isIndented: boolean,
  verb: Verb,
  clientSupport: ClientSupport | undefined,
): Output {
  // The header of all requests by controllers.
  if (accept === "application/json") return isIndented ? plainIndented : plain;
  const transform = METADATA_ONLY.exec(accept)?.[1] as Transform | undefined;
  if (transform && !isIndented) return { ...plain, transform };
  if (clientSupport !== undefined) return clientSupport.readAccept(accept, isIndented, verb);
  const message = `this server answers in application/json alone, not in ${JSON.stringify(accept)}`;
  throw failure({ code: 406, reason: "NotAcceptable", message });
}

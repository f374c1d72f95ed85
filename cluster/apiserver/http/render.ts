/**
 * Turns the outcome of an operation into the text of an answer: plain objects and lists, Tables, or only metadata.
 * Every body is one line of JSON that ends in a newline, unless the client wants it indented.
 */
import type { JsonObject, KubeObject } from "../../values/types.ts";
import type { Output } from "../contract/output.ts";
import type { ListItem, ListResult, Outcome, ResourceDefinition, ResourceRequest } from "../contract/context.ts";
import type { BodyKind } from "../schema/decode.ts";
import { stringify, stringifyIndented } from "../../values/json.ts";
import { failure } from "../contract/status-errors.ts";
import { partialObject } from "../tables/table.ts";

/**
 * @returns the text of the body, or an object that builds the text on first read
 * @throws ApiError 400, 406 if the outcome cannot have this form
 */
export function render(outcome: Outcome, output: Output, request: ResourceRequest): string | (() => string) {
  if ("status" in outcome) return () => write(outcome.status, output.isIndented);
  if ("list" in outcome) return renderList(outcome.list, output, request);
  const { object, stored } = outcome;
  switch (output.transform) {
    case "Table":
      return write(
        table([object], { resourceVersion: object.metadata.resourceVersion }, output, request, false),
        output.isIndented,
      );
    case "PartialObjectMetadata":
      return write(partialObject(object, output.metaVersion), output.isIndented);
    case "PartialObjectMetadataList":
      throw notAcceptable(
        `you requested PartialObjectMetadataList, but the requested object is not a list (*${request.definition.body.goType})`,
      );
    default:
      return stored !== undefined && !output.isIndented ? () => `${stored.text}\n` : write(object, output.isIndented);
  }
}

/** The text of a JSON body. */
export function write(body: unknown, isIndented: boolean): string {
  // Indented answers end without a newline, as the real server's do.
  return isIndented ? stringifyIndented(body) : `${stringify(body)}\n`;
}

function table(
  objects: readonly KubeObject[],
  metadata: object,
  output: Output,
  request: ResourceRequest,
  isList: boolean,
): object {
  // Only ClientSupport reads a header that asks for a Table.
  return request.server.clientSupport!.table(objects, metadata, output, request, { hasColumns: true, isList });
}

function notAcceptable(message: string): Error {
  return failure({ code: 406, reason: "NotAcceptable", message });
}

function renderList(result: ListResult, output: Output, request: ResourceRequest): string | (() => string) {
  const { body } = request.definition;
  const metadata = listMetadata(result);
  switch (output.transform) {
    case "Table":
      return write(
        table(
          result.items.map((item) => item.object),
          metadata,
          output,
          request,
          true,
        ),
        output.isIndented,
      );
    case "PartialObjectMetadataList":
      return write(
        {
          kind: "PartialObjectMetadataList",
          apiVersion: `meta.k8s.io/${output.metaVersion}`,
          metadata,
          items: result.items.map((item) => partialObject(item.object, output.metaVersion)),
        },
        output.isIndented,
      );
    case "PartialObjectMetadata":
      throw notAcceptable(
        `you requested PartialObjectMetadata, but the requested object is a list (*${body.goType}List)`,
      );
    default: {
      if (output.isIndented)
        return write(
          {
            kind: listKindOf(body),
            apiVersion: body.apiVersion,
            metadata,
            items: result.items.map((item) => (body.read ? item.object : untyped(item.object))),
          },
          true,
        );
      const head = `{"kind":"${listKindOf(body)}","apiVersion":"${body.apiVersion}","metadata":${stringify(metadata)},"items":[`;
      return () => `${head}${result.items.map((item) => untypedText(item, request.definition)).join(",")}]}\n`;
    }
  }
}

export function listKindOf({ kind, listKind }: BodyKind): string {
  return listKind ?? `${kind}List`;
}

export function listMetadata({ resourceVersion, continue: token, remainingItemCount }: ListResult): JsonObject {
  return {
    resourceVersion,
    ...(token !== undefined && { continue: token }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  };
}

/** Items of a list do not repeat kind and apiVersion, unless they are custom resources. */
function untyped({ kind: _kind, apiVersion: _apiVersion, ...rest }: KubeObject): object {
  return rest;
}

function untypedText({ text }: ListItem, { body }: ResourceDefinition): string {
  if (body.read) return text;
  return `{${text.slice(`{"kind":"${body.kind}","apiVersion":"${body.apiVersion}",`.length)}`;
}

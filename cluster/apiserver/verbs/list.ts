/**
 * LIST: a snapshot of a collection at one revision, in pages. A continue token carries the revision and the key to
 * continue from, so every page shows the same snapshot as long as the history reaches back to it.
 */
import type { KubeObject } from "../../values/types.ts";
import type { ListItem, ListResult, Outcome, ResourceRequest } from "../contract/context.ts";
import { keyOf } from "../contract/context.ts";
import { parseJson } from "../../values/go-json.ts";
import { isObject, stringify } from "../../values/json.ts";
import { type ListOptions, listOptions } from "./list-options.ts";
import { badRequest, expired, resourceVersionTooLarge } from "../contract/status-errors.ts";
import type { Store, Stored } from "../storage/store.ts";
import { base64Decode, base64UrlEncode } from "../../values/text.ts";

const expiredToken =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/** Handles GET of a collection. @throws ApiError */
export function list(request: ResourceRequest): Outcome {
  return { code: 200, list: listResult(request, listOptions(request)) };
}

/** @throws ApiError 400, 410, 504 */
export function listResult(request: ResourceRequest, options: ListOptions): ListResult {
  const { server } = request;
  const store = server.store(request.definition);
  const token = options.continue === "" ? undefined : readToken(options.continue);
  const revision = token
    ? tokenRevision(token, store, server.revisions.current)
    : snapshotRevision(options, store, server.revisions.current);
  const prefix = request.namespace === "" ? "" : `${request.namespace}/`;
  const limit = options.resourceVersion === 0 && options.match !== "Exact" ? 0 : options.limit;
  const items: ListItem[] = [];
  let last: Stored | undefined;
  let hasMore = false;
  for (const stored of candidates(request, options, store, prefix, token ? prefix + token.start : "", revision)) {
    if (!isSelected(stored.bare, options, request)) continue;
    if (limit > 0 && items.length === limit) {
      hasMore = true;
      break;
    }
    items.push(itemOf(stored, request));
    last = stored;
  }
  if (!hasMore) return { items, resourceVersion: String(revision) };
  const next = `${last!.key.slice(prefix.length)}\0`;
  const remaining = options.labels || options.fields ? undefined : store.count(prefix, prefix + next, revision);
  return {
    items,
    resourceVersion: String(revision),
    continue: writeToken(revision, `/${next}`),
    ...(remaining !== undefined && { remainingItemCount: remaining }),
  };
}

/** One object in the version of the request. */
export function itemOf(stored: Stored, { definition, omitsOwners, server }: ResourceRequest): ListItem {
  if (omitsOwners) return server.fieldOwners!.bareItem(stored);
  if (!definition.conversion) return stored;
  const object = definition.conversion.fromStored(stored.object);
  return { object, text: stringify(object) };
}

/** Whether the selectors match an object as it is stored. */
export function isSelected(
  stored: KubeObject,
  { labels, fields }: Pick<ListOptions, "labels" | "fields">,
  { definition }: ResourceRequest,
): boolean {
  if (labels && !labels(stored.metadata.labels ?? {})) return false;
  return !fields || fields.matches(definition.conversion?.fromStored(stored) ?? stored);
}

function* candidates(
  request: ResourceRequest,
  options: ListOptions,
  store: Store,
  prefix: string,
  from: string,
  revision: number,
): Generator<Stored> {
  const name = options.fields?.name;
  const isLatest = revision === request.server.revisions.current;
  if (name === undefined || !isLatest || (request.definition.isNamespaced && request.namespace === "")) {
    yield* store.scan(prefix, from, revision);
    return;
  }
  // A request for one object by name, as clients send to watch it. The other objects are skipped.
  const stored = store.get(keyOf(request.namespace, name));
  if (stored && stored.key >= from) yield stored;
}

function snapshotRevision({ resourceVersion, match, limit }: ListOptions, store: Store, current: number): number {
  if (resourceVersion === undefined) return current;
  if (resourceVersion > current) throw resourceVersionTooLarge(resourceVersion, current);
  const isExact = match === "Exact" || (match === "" && limit > 0 && resourceVersion > 0);
  if (!isExact) return current;
  if (resourceVersion < store.oldestRevision) throw expired("The resourceVersion for the provided list is too old.");
  return resourceVersion;
}

interface Token {
  /** −1: continue without a snapshot. */
  readonly rv: number;
  /** The key after the prefix of the collection. */
  readonly start: string;
}

function readToken(text: string): Token {
  const refuse = (why: string): never => {
    throw badRequest(`invalid continue token: ${why}`);
  };
  try {
    const token = parseJson(base64Decode(text));
    if (!isObject(token) || token["v"] !== "meta.k8s.io/v1")
      return refuse("continue key is not valid: server does not recognize this encoded version ");
    const { rv, start } = token;
    if (typeof rv !== "number" || rv === 0)
      return refuse("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
    if (typeof start !== "string" || start === "")
      return refuse("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
    return { rv, start: start.replace(/^\//, "") };
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && error.message.startsWith("illegal base64"))) {
      return refuse(`continue key is not valid: ${error.message}`);
    }
    throw error;
  }
}

function writeToken(revision: number, start: string): string {
  return base64UrlEncode(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start }));
}

function tokenRevision({ rv, start }: Token, store: Store, current: number): number {
  if (rv < 0) return current;
  if (rv < store.oldestRevision) throw expired(expiredToken, writeToken(-1, start));
  if (rv > current) throw resourceVersionTooLarge(rv, current);
  return rv;
}

/** The options of a list or a watch, and the rules about which of them go together. */
import type { ResourceRequest } from "../contract/context.ts";
import { type FieldTest, type LabelTest, parseFieldSelector, parseLabelSelector } from "./selectors.ts";
import { badRequest, type FieldError, plainError } from "../contract/status-errors.ts";
import { optionsError } from "./write-options.ts";

export type VersionMatch = "" | "Exact" | "NotOlderThan";

export interface ListOptions {
  readonly labels: LabelTest | undefined;
  readonly fields: FieldTest | undefined;
  /** Absent: none was given. 0: any state is good enough. */
  readonly resourceVersion: number | undefined;
  readonly match: VersionMatch;
  /** 0: no limit. */
  readonly limit: number;
  readonly continue: string;
}

export interface WatchOptions {
  readonly labels: LabelTest | undefined;
  readonly fields: FieldTest | undefined;
  readonly resourceVersion: number | undefined;
  /** Whether to begin with the existing objects. Absent: the resourceVersion decides. */
  readonly sendInitialEvents: boolean | undefined;
  readonly allowBookmarks: boolean;
  /** 0: none was given. The watch refuses negative values. */
  readonly timeoutSeconds: number;
}

/** @throws ApiError 400, 422 */
export function listOptions(request: ResourceRequest): ListOptions {
  const { query } = request;
  const common = selectors(request);
  const match = query.text("resourceVersionMatch");
  // It limits nothing here, but must be a number.
  query.integer("timeoutSeconds");
  const token = query.text("continue");
  const version = query.text("resourceVersion");
  const errors = query.has("sendInitialEvents")
    ? [forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")]
    : [];
  if (match !== "") {
    if (version === "")
      errors.push(
        forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"),
      );
    if (token !== "")
      errors.push(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
    if (match !== "Exact" && match !== "NotOlderThan") errors.push(unknownMatch(match, '"Exact", "NotOlderThan", ""'));
    if (match === "Exact" && version === "0")
      errors.push(
        forbidden("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
  }
  if (errors.length > 0) optionsError("ListOptions", errors);
  if (token !== "" && version !== "" && version !== "0")
    throw badRequest("specifying resource version is not allowed when using continue");
  return {
    ...common,
    resourceVersion: parseVersion(version, (text) => badRequest(`invalid resource version: ${text}`)),
    match: match as VersionMatch,
    limit: Math.max(0, query.integer("limit") ?? 0),
    continue: token,
  };
}

/** @throws ApiError 400, 422, 500 */
export function watchOptions(request: ResourceRequest): WatchOptions {
  const { query } = request;
  const common = selectors(request);
  const match = query.text("resourceVersionMatch");
  const hasInitialEvents = query.has("sendInitialEvents");
  const errors: FieldError[] = [];
  if (hasInitialEvents && match !== "NotOlderThan") {
    errors.push(
      forbidden("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
    );
  }
  if (match !== "") {
    if (!hasInitialEvents)
      errors.push(
        forbidden(
          "resourceVersionMatch",
          "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ),
      );
    if (match !== "NotOlderThan") errors.push(unknownMatch(match, '"NotOlderThan"'));
  }
  if (query.text("continue") !== "")
    errors.push(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
  if (errors.length > 0) optionsError("ListOptions", errors);
  return {
    ...common,
    resourceVersion: parseVersion(query.text("resourceVersion"), plainError),
    sendInitialEvents: hasInitialEvents ? query.boolean("sendInitialEvents") : undefined,
    allowBookmarks: query.boolean("allowWatchBookmarks"),
    timeoutSeconds: query.integer("timeoutSeconds") ?? 0,
  };
}

/** The selectors of a request. @throws ApiError 400 */
export function selectors({ query, definition }: ResourceRequest): Pick<ListOptions, "labels" | "fields"> {
  return {
    labels: parseLabelSelector(query.text("labelSelector")),
    fields: parseFieldSelector(query.text("fieldSelector"), definition.fields),
  };
}

function forbidden(field: string, detail: string): FieldError {
  return { kind: "Forbidden", field, detail };
}

function unknownMatch(value: string, supported: string): FieldError {
  return {
    kind: "NotSupported",
    field: "resourceVersionMatch",
    value,
    detail: `supported values: ${supported}`,
  };
}

function parseVersion(text: string, error: (message: string) => Error): number | undefined {
  if (text === "") return undefined;
  if (!/^\d+$/.test(text))
    throw error(
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  return Number(text);
}

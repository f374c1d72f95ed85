/**
 * What a peer says in place of the truth: 200 with a document that was not asked for, and the error pages of proxies,
 * which know nothing of a Status. Each says nothing about what became of the request. Leaves out when that happens,
 * which faulty-transport.ts decides.
 */
import type { ApiRequest, ApiResponse } from "../../bindings/js/host.ts";
import type { JsonObject } from "../../cluster/values/types.ts";
import type { Chance } from "./chance.ts";

/** A wrong document, and its name for the trace. */
export interface Lie {
  readonly name: string;
  readonly response: ApiResponse;
}

/** Of a proxy between a controller and its API server: whatever became of the request. */
const PAGE_STATUSES = [502, 503, 504, 408, 500];
/** Of one that has not handed the request on. */
const UNKNOWN_PAGE = 404;
const HTML = "<html>\r\n<head><title>Sign in</title></head>\r\n<body><h1>Sign in</h1></body>\r\n</html>\r\n";
/** A kind that is served under another path, for each kind. */
const ANOTHER: Readonly<Record<string, string>> = {
  Pod: "Job",
  Job: "Pod",
  Workload: "PodGroup",
  PodGroup: "Workload",
};
const OBJECT =
  '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"77777777-7777-4777-8777-777777777777","resourceVersion":"99999999"}}';
const SUCCESS = '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}';

/** The page of a proxy. */
export function errorPage(chance: Chance, { isHandedOn }: { readonly isHandedOn: boolean }): ApiResponse {
  const status = chance.pick(isHandedOn ? PAGE_STATUSES : [...PAGE_STATUSES, UNKNOWN_PAGE]);
  const body = chance.pick([
    `<html><body><h1>${status}</h1></body></html>`,
    "",
    "upstream connect error or disconnect/reset before headers",
    '{"error":"bad gateway"}',
    "null",
  ]);
  return { status, headers: { "content-type": "text/html" }, body };
}

/** It says that nothing was created; of an object it does not say that there is none. */
export function isRefusal({ method }: ApiRequest, { status }: ApiResponse): boolean {
  return method === "POST" && status === UNKNOWN_PAGE;
}

/** @param truth the page that the API server has answered */
export function wrongPage(truth: string, chance: Chance): Lie {
  const list = JSON.parse(truth) as { kind: string; metadata: JsonObject; items: readonly JsonObject[] };
  const kind = list.kind.replace(/List$/, "");
  const other = ANOTHER[kind] ?? "Pod";
  const { continue: _token, remainingItemCount: _count, ...metadata } = list.metadata;
  const last = { ...list, metadata };
  return told(chance, [
    ...documents(truth),
    ["a list of another kind", JSON.stringify({ ...last, kind: `${other}List`, items: [] })],
    [
      "a list of another kind, with items",
      JSON.stringify({ ...last, kind: `${other}List`, items: list.items.map((item) => ({ ...item, kind: other })) }),
    ],
    [
      "a Table",
      JSON.stringify({ kind: "Table", apiVersion: "meta.k8s.io/v1", metadata, columnDefinitions: [], rows: [] }),
    ],
    [
      "a list without items",
      JSON.stringify({ kind: list.kind, apiVersion: list["apiVersion" as keyof typeof list], metadata }),
    ],
    ["a list without a resourceVersion", JSON.stringify({ ...last, metadata: {}, items: [] })],
    [
      "a single object",
      JSON.stringify(
        list.items[0] ?? { kind, metadata: { name: "a", uid: "a", resourceVersion: metadata["resourceVersion"] } },
      ),
    ],
  ]);
}

/**
 * In place of the answer to a request for one object, or for the pods of one Job.
 * @param truth what the API server has answered, or would have
 */
export function wrongAnswer({ method }: ApiRequest, truth: string, chance: Chance): Lie {
  // To a deletion a Status is an answer.
  const all = documents(truth).filter(([, text]) => method !== "DELETE" || text !== SUCCESS);
  return told(chance, [
    ...all,
    ["another object", OBJECT],
    [
      "a list of another kind",
      '{"kind":"JobList","apiVersion":"batch/v1","metadata":{"resourceVersion":"99999999"},"items":[]}',
    ],
  ]);
}

/** A line in place of a watch event, which mostly ends the stream. @param kind of the objects that are watched */
export function wrongLine(kind: string, chance: Chance): { readonly name: string; readonly line: string } {
  const other = ANOTHER[kind] ?? "Pod";
  const object = `{"kind":"${other}","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"a","resourceVersion":"99999999"},"spec":{},"status":{}}`;
  const [name, line] = chance.pick([
    ["{}", "{}\n"],
    ["null", "null\n"],
    ["a Status without an event", `${SUCCESS}\n`],
    ["a page of HTML", HTML],
    ["half a line", '{"type":"MODIFIED","object":{"kind":\n'],
    ["an object of another kind", `{"type":"MODIFIED","object":${object}}\n`],
    ["the deletion of an object of another kind", `{"type":"DELETED","object":${object}}\n`],
    [
      "a bookmark without a version",
      `{"type":"BOOKMARK","object":{"kind":"${kind}","apiVersion":"v1","metadata":{}}}\n`,
    ],
    [
      "a bookmark with a version that is none",
      `{"type":"BOOKMARK","object":{"kind":"${kind}","apiVersion":"v1","metadata":{"resourceVersion":"latest"}}}\n`,
    ],
  ] as const);
  return { name, line };
}

function documents(truth: string): [name: string, text: string][] {
  return [
    ["{}", "{}"],
    ["null", "null"],
    ["nothing", ""],
    ["a Status", SUCCESS],
    ["a page of HTML", HTML],
    ["half a document", beginningOf(truth)],
  ];
}

// It contains no whole object, which a reader may believe. Nor is it whole itself, as an empty list would be.
function beginningOf(document: string): string {
  const items = document.indexOf('"items":[');
  if (items < 0) return document.slice(0, document.length >> 1);
  return document.slice(0, Math.min(items + '"items":[{"metadata'.length, document.trimEnd().length - 1));
}

function told(chance: Chance, lies: readonly (readonly [name: string, text: string])[]): Lie {
  const [name, body] = chance.pick(lies);
  return { name, response: { status: 200, headers: { "content-type": "application/json" }, body } };
}

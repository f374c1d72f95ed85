/** The documents beside /api and /apis: the version, OpenAPI, health and the list of paths. */
import type { ApiRequest } from "../../bindings/js/host.ts";
import type { ResourceDefinition } from "./definition.ts";
import { stringify } from "./json.ts";
import { openapiDocument, openapiIndex, textHash } from "./openapi.ts";
import { write } from "./render.ts";
import { methodNotAllowed } from "./status-errors.ts";

export interface Document {
  readonly code: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Definitions = readonly ResourceDefinition[];

const json = { "content-type": "application/json" };
const text = { "content-type": "text/plain; charset=utf-8" };

/** kubectl compares the minor version with its own. */
export const versionInfo = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.3",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "",
  goVersion: "",
  compiler: "stint",
  platform: "linux/amd64",
};

/** What is served beside /api and /apis; undefined if nothing is. @throws ApiError 405 */
export function otherDocument(path: string, { method }: ApiRequest, definitions: Definitions): Document | undefined {
  const openapi = /^\/openapi\/v3(?:\/(.*))?$/.exec(path);
  if (openapi) return openapiOf(openapi[1] ?? "", definitions);
  switch (path) {
    case "/version":
    case "/version/":
      if (method !== "GET") throw methodNotAllowed();
      return { code: 200, body: write(versionInfo, true), headers: json };
    case "/healthz":
    case "/livez":
    case "/readyz":
      return { code: 200, body: "ok", headers: text };
    case "/":
      return { code: 200, body: write({ paths: paths(definitions) }, true), headers: json };
    default:
      return undefined;
  }
}

/** @param path `apis/batch/v1`; empty for the index */
function openapiOf(path: string, definitions: Definitions): Document {
  if (path === "") return { code: 200, body: stringify(openapiIndex(definitions)), headers: text };
  const document = openapiDocument(definitions, path);
  if (!document) return { code: 404, body: "", headers: {} };
  const body = stringify(document);
  const headers = { ...json, etag: `"${textHash(body)}"`, "cache-control": "public, immutable" };
  return { code: 200, body, headers };
}

function paths(definitions: Definitions): string[] {
  const groupVersions = definitions.map(({ group, version }) =>
    group === "" ? `/api/${version}` : `/apis/${group}/${version}`,
  );
  const others = ["/api", "/apis", "/healthz", "/livez", "/openapi/v3", "/readyz", "/version"];
  return [...new Set([...groupVersions, ...others])].toSorted();
}

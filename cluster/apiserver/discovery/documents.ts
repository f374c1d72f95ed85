/** The documents beside /api and /apis: the version, OpenAPI, health and the list of paths. */
import type { ApiRequest } from "../../../bindings/js/host.ts";
import type { Document } from "../contract/output.ts";
import type { ResourceDefinition } from "../contract/context.ts";
import { stringify } from "../../values/json.ts";
import { taggedDocument, textHash } from "./etag.ts";
import { type Described, openapiDocument, openapiPaths } from "../openapi/document.ts";
import { swagger } from "../openapi/swagger.ts";
import type { TypeTexts } from "../openapi/type-texts.ts";
import { write } from "../http/render.ts";
import { methodNotAllowed } from "../contract/status-errors.ts";
import { RELEASES, type ServedVersion } from "../../values/kubernetes-versions.ts";

type Definitions = readonly ResourceDefinition[];

const json = { "content-type": "application/json" };
const text = { "content-type": "text/plain; charset=utf-8" };

/** kubectl compares the minor version with its own. */
function versionInfo(kubernetes: ServedVersion): object {
  const [major, minor] = kubernetes.split(".") as [string, string];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: RELEASES[kubernetes],
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "",
    goVersion: "",
    compiler: "stint",
    platform: "linux/amd64",
  };
}

/** The hashes of documents, by which clients identify them. Computed on the first request for the index. */
const hashes = new WeakMap<Definitions, ReadonlyMap<string, string>>();

/** Caches the v2 documents: the largest, and kubectl asks for one with each command that sends an object. */
const swaggers = new WeakMap<Definitions, string>();

/**
 * The document at a path beside /api and /apis; undefined if there is none. @throws ApiError 405
 * @param readTexts reads the descriptions of the types
 */
export function otherDocument(
  path: string,
  request: ApiRequest,
  served: Described,
  readTexts: () => TypeTexts,
): Document | undefined {
  const openapi = /^\/openapi\/v3(?:\/(.*))?$/.exec(path);
  if (openapi) return openapiOf(openapi[1] ?? "", request, served, readTexts());
  switch (path) {
    case "/openapi/v2":
      return cached(swaggerText(served, readTexts), request);
    case "/version":
    case "/version/":
      if (request.method !== "GET") throw methodNotAllowed();
      return { code: 200, body: write(versionInfo(served.kubernetes), true), headers: json };
    case "/healthz":
    case "/livez":
    case "/readyz":
      return { code: 200, body: "ok", headers: text };
    case "/":
      return { code: 200, body: write({ paths: paths(served.definitions) }, true), headers: json };
    default:
      return undefined;
  }
}

/** @param path `apis/batch/v1`; empty for the index */
function openapiOf(path: string, request: ApiRequest, served: Described, texts: TypeTexts): Document {
  if (path === "") return { code: 200, body: stringify(openapiIndex(served, texts)), headers: text };
  const document = openapiDocument(served, path, texts);
  if (!document) return { code: 404, body: "", headers: {} };
  return cached(stringify(document), request);
}

function swaggerText(served: Described, readTexts: () => TypeTexts): string {
  const text = swaggers.get(served.definitions) ?? stringify(swagger(served, readTexts()));
  swaggers.set(served.definitions, text);
  return text;
}

function cached(body: string, { headers }: ApiRequest): Document {
  const own = { ...json, "cache-control": "public, immutable", vary: "Accept" };
  return taggedDocument(body, own, headers["if-none-match"]);
}

/** The index at /openapi/v3. Clients keep a document until its hash changes. */
function openapiIndex(served: Described, texts: TypeTexts): object {
  const { definitions } = served;
  let known = hashes.get(definitions);
  if (!known) {
    const hashOf = (path: string): string => textHash(stringify(openapiDocument(served, path, texts)));
    known = new Map(openapiPaths(definitions).map((path) => [path, hashOf(path)]));
    hashes.set(definitions, known);
  }
  const entries = [...known].map(([path, hash]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]);
  return { paths: Object.fromEntries(entries) };
}

function paths(definitions: Definitions): string[] {
  const groupVersions = definitions.map(({ group, version }) =>
    group === "" ? `/api/${version}` : `/apis/${group}/${version}`,
  );
  const others = ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"];
  return [...new Set([...groupVersions, ...others])].toSorted();
}

/**
 * The documents of OpenAPI v3 of a real API server and Stint's: the same schemas, with the same fields, types, marks
 * for patches and defaults, and the same operations. Descriptions must be there where upstream has one; they are not
 * compared, because the models that ours come from have lost their line breaks.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { servedBy } from "../../cluster/apiserver/registry/by-version.ts";
import { resources } from "../../cluster/apiserver/registry/resources.ts";
import { moreResources } from "../../cluster/apiserver/registry/more-resources.ts";
import { openapiDocument, openapiPaths } from "../../cluster/apiserver/openapi/document.ts";
import { TESTED_VERSION } from "./tested-version.ts";
import { readTypeTexts } from "../../host-node/type-texts.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

const missing = whyUnavailable();
if (missing !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${missing}`);

type Members = Readonly<Record<string, any>>;

const definitions = [...resources, ...moreResources].flatMap(servedBy(TESTED_VERSION));
const server = { definitions, kubernetes: TESTED_VERSION };

/** What differs, by name: a pattern of the lines below, and why. */
const known: Readonly<Record<string, string>> = {
  "\\.content\\.application/(apply-patch\\+)?cbor(-seq)?$": "CBOR is alpha, and not spoken here",
  "\\.parameters\\.(shardSelector|ignoreStoreReadErrorWithClusterBreakingPotential)$": "alpha, and not read here",
  "pods/\\{name\\}/log get\\.parameters\\.insecureSkipTLSVerifyBackend$": "there is no connection to a kubelet",
  "pods/\\{name\\}/log get\\.parameters\\.sinceTime$": "upstream reads it, and does not say so",
  "pods/\\{name\\}/log get\\.responses\\.200\\.content": "a log is plain text, whatever upstream says",
  "JSONSchemaProps\\.properties\\.\\w+\\.(\\$ref|allOf)$": "upstream describes few of its fields",
  "CustomResourceSubresourceStatus\\.description$": "the client library has no model of it",
  "^/api/v1/namespaces/\\{name\\} delete\\.responses": "the server answers the Namespace, upstream's too",
};

describe.skipIf(missing !== undefined)("OpenAPI v3", () => {
  let controlPlane: ControlPlane;
  beforeAll(async () => {
    controlPlane = await startControlPlane();
  });
  afterAll(() => controlPlane?.stop());

  const texts = readTypeTexts();

  it.each(openapiPaths(server.definitions))("of %s", async (path) => {
    const theirs = await controlPlane.client().succeed<Members>("GET", `/openapi/v3/${path}`);
    const ours = JSON.parse(JSON.stringify(openapiDocument(server, path, texts))) as Members;
    const lines = [...schemaDifferences(theirs, ours), ...operationDifferences(theirs, ours)];
    expect(lines.filter((line) => !isKnown(line))).toEqual([]);
  });
});

/** Of servers of 1.36 alone: alpha fields that have another form in 1.37, which is the one of the schema. */
const knownOf136 = /[nN]odeAllocatableResource(ClaimStatus|Mapping)/;

function isKnown(line: string): boolean {
  if (TESTED_VERSION === "1.36" && knownOf136.test(line.split(": ")[0]!)) return true;
  return Object.keys(known).some((pattern) => new RegExp(pattern).test(line.split(": ")[0]!));
}

function schemaDifferences(theirs: Members, ours: Members): string[] {
  const [their, our] = [theirs, ours].map((document) => document["components"].schemas as Members);
  return Object.keys(our!).flatMap((name) => differences(name, their![name], our![name]));
}

function operationDifferences(theirs: Members, ours: Members): string[] {
  return Object.entries(ours["paths"] as Members).flatMap(([path, item]) =>
    Object.keys(item as Members)
      .filter((method) => method !== "parameters")
      .flatMap((method) =>
        differences(`${path} ${method}`, operation(theirs["paths"][path], method), operation(item, method)),
      ),
  );
}

/** Parameters are at the path or at the operation, in any order. */
function operation(item: Members | undefined, method: string): Members | undefined {
  if (item?.[method] === undefined) return undefined;
  const parameters = [...(item["parameters"] ?? []), ...(item[method].parameters ?? [])] as Members[];
  return {
    ...item[method],
    parameters: Object.fromEntries(parameters.map((parameter) => [parameter["name"], parameter])),
  };
}

/** A line for each place that differs. Of descriptions only that they are there. */
function differences(place: string, their: unknown, our: unknown): string[] {
  if (isMembers(their) && isMembers(our))
    return [...new Set([...Object.keys(their), ...Object.keys(our)])].flatMap((name) =>
      name === "description" && typeof our[name] === "string"
        ? []
        : differences(`${place}.${name}`, their[name], our[name]),
    );
  const [theirText, ourText] = [their, our].map((value) => JSON.stringify(sortedNames(value)));
  return theirText === ourText ? [] : [`${place}: ${theirText ?? "nothing"} is ${ourText ?? "nothing"} here`];
}

/** The order of names, as of required fields, means nothing. */
function sortedNames(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const texts = value.map((element) => JSON.stringify(isMembers(element) ? sortedMembers(element) : element));
  return texts.toSorted();
}

function sortedMembers(members: Members): Members {
  return Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

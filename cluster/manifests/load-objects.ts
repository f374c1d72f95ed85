/**
 * Puts the objects of a run into its cluster, before its components start.
 *
 * Invariant: nothing runs unless every object was accepted: the components of the cluster start after this, so a
 * refusal leaves nothing half done. Every object is tried, so that all refusals are known. Field validation is Strict,
 * as kubectl's.
 */
import type { ApiResponse } from "../../bindings/js/host.ts";
import { textOf } from "../values/text.ts";
import { JOBS, NAMESPACES } from "../client/client.ts";
import type { BareCluster } from "../bare-cluster.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { type Attempt, attemptIn, createObject } from "./dry-run.ts";
import type { Manifest } from "./manifests.ts";
import type { RunInput } from "./run-inputs.ts";
import type { Job } from "../values/kinds.ts";

const STATUS_CONFLICT = 409;
const STATUS_INVALID = 422;
const AS_KUBECTL = { level: "Strict", isDryRun: false } as const;
/** The field at the beginning of a warning. */
const FIELD = /^((?:metadata|spec)[^\s:]*): /;

/** The accepted Jobs, and the warnings. */
export interface LoadedObjects {
  /** The stored Jobs with the manifests that they came from. */
  readonly jobs: readonly { readonly job: Job; readonly input: RunInput }[];
  /** The API server's warnings, each with its place. */
  readonly warnings: readonly Diagnostic[];
}

/** An object that the API server refused. */
export interface Refusal {
  readonly input: RunInput;
  readonly diagnostics: readonly Diagnostic[];
  /** Every field has the right type; only values are wrong. */
  readonly isReadable: boolean;
}

export interface LoadedAndRefused extends LoadedObjects {
  readonly refusals: readonly Refusal[];
}

/** Turns the body of a refusal into diagnostics of the manifest: status-diagnostics.ts. */
export type Diagnose = (manifest: Manifest, body: string, attempt: Attempt) => readonly Diagnostic[];

/** Loads every object, and returns the accepted and the refused ones. */
export function loadEach(cluster: BareCluster, inputs: readonly RunInput[], diagnose: Diagnose): LoadedAndRefused {
  const refusals: Refusal[] = [];
  const warnings: Diagnostic[] = [];
  const jobs: { job: Job; input: RunInput }[] = [];
  const firsts = new Map<string, Manifest>();
  for (const namespace of missingNamespaces(inputs)) {
    // If this is refused, the object that needs the namespace will be refused below.
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    createObject(cluster, NAMESPACES, "", object, AS_KUBECTL);
  }
  for (const input of inputs) {
    const { manifest, resource } = input;
    const namespace = manifest.object.metadata?.namespace ?? "default";
    const response = createObject(cluster, resource, namespace, manifest.object, AS_KUBECTL);
    for (const text of warningsOf(response))
      warnings.push({ position: manifest.valueAt(FIELD.exec(text)?.[1] ?? ""), message: text });
    const body = textOf(response.body);
    const isReadable = response.status === STATUS_INVALID;
    const key = [resource.kind, namespace, manifest.object.metadata?.name].join("/");
    const first = firsts.get(key);
    firsts.set(key, first ?? manifest);
    if (response.status !== 201) {
      const diagnostics = diagnose(manifest, body, attemptIn(cluster, resource, namespace));
      const isSecond = response.status === STATUS_CONFLICT && first !== undefined;
      refusals.push({
        input,
        diagnostics: isSecond ? diagnostics.map((each) => secondOf(each, first)) : diagnostics,
        isReadable,
      });
    } else if (resource === JOBS) jobs.push({ job: JSON.parse(body) as Job, input });
  }
  return { jobs, warnings, refusals };
}

/** `jobs.batch "pi" already exists: it is given twice, first at pi.yaml:1:1` */
function secondOf({ position, message }: Diagnostic, first: Manifest): Diagnostic {
  const { file, line, column } = first.valueAt("");
  return { position, message: `${message}: it is given twice, first at ${file}:${line}:${column}` };
}

/** The namespaces of the objects that must be created, because the cluster begins empty. */
function missingNamespaces(inputs: readonly RunInput[]): Set<string> {
  const named = inputs
    .filter(({ resource }) => resource.namespaced)
    .map(({ manifest }) => manifest.object.metadata?.namespace);
  const given = new Set(
    inputs.filter(({ resource }) => resource === NAMESPACES).map(({ manifest }) => manifest.object.metadata?.name),
  );
  return new Set(named.filter((name) => typeof name === "string" && name !== "" && !given.has(name)) as string[]);
}

/** The texts of `Warning: 299 - "text"` headers. */
function warningsOf({ headers }: ApiResponse): string[] {
  const header = headers["warning"] ?? [];
  return (typeof header === "string" ? [header] : header).map(
    (value) => JSON.parse(/"(?:[^"\\]|\\.)*"/.exec(value)?.[0] ?? '""') as string,
  );
}

/**
 * Jobs and Pods as a real API server sends them, by the thousand: a recorded pod of a real cluster, with managedFields
 * made from its own fields as the server makes them, padded to a given size. Every pod has the same length, so that
 * bytes can be changed in place. Leaves out everything that a bench does not change: times, nodes, addresses.
 */
import { readFileSync } from "node:fs";
import path from "node:path";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const RECORDING = path.resolve(import.meta.dirname, "../vectors/recordings/indexed.jsonl");
/** First of the resourceVersions, all of the same number of digits. */
export const FIRST_VERSION = 1_000_000_000;
const JOB_UID = "3cd6ced7-f062-474b-98a4-070e75d565f4";
const NAMESPACE = "default";

interface Recorded {
  readonly actor: string;
  readonly response?: JsonObject;
}

const recorded = readFileSync(RECORDING, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

/** What is particular about one pod. */
export interface PodFacts {
  readonly index: number;
  readonly version: number;
  /** In the UID and the name: another generation is another pod. */
  readonly generation?: number;
  readonly ready?: boolean;
  /** Default: Running. */
  readonly phase?: "Running" | "Succeeded";
  /** Default: true. */
  readonly hasFinalizer?: boolean;
}

/** Makes the JSON text of pods of `bytes` bytes each. */
export function podMaker(bytes: number): (facts: PodFacts) => string {
  const response = recorded.find((entry) => entry.actor === "kubelet" && entry.response?.["kind"] === "Pod")!.response!;
  const pod = structuredClone(response);
  const metadata = pod["metadata"] as JsonObject;
  metadata["name"] = "indexed-@index@-@suffix@";
  metadata["namespace"] = NAMESPACE;
  metadata["generateName"] = "indexed-@index@-";
  metadata["uid"] = "c4f4eaba-bab0-437c-@suffix@-fb7cb@index@";
  metadata["resourceVersion"] = "@version@";
  for (const key of ["labels", "annotations"])
    (metadata[key] as JsonObject)["batch.kubernetes.io/job-completion-index"] = "@plain@";
  metadata["finalizers"] = ["@finalizer@"];
  metadata["managedFields"] = managedFields(pod);
  const status = pod["status"] as JsonObject;
  status["phase"] = "@phase@";
  ((status["conditions"] as Json[])[0] as JsonObject)["status"] = "@ready@";
  // What a server does not send in the recording: labels and annotations of users.
  const annotations = metadata["annotations"] as JsonObject;
  annotations["example.com/note"] = "";
  annotations["example.com/note"] = "x".repeat(
    Math.max(0, bytes - render(pieces(pod), { index: 0, version: FIRST_VERSION }).length),
  );
  const parts = pieces(pod);
  return (facts) => render(parts, facts);
}

function pieces(pod: JsonObject): string[] {
  return JSON.stringify(pod).split("@");
}

function render(
  parts: readonly string[],
  { index, version, generation = 0, ready = true, phase = "Running", hasFinalizer = true }: PodFacts,
): string {
  const paddedIndex = String(index).padStart(7, "0");
  const values: Record<string, string> = {
    index: paddedIndex,
    plain: String(index).padStart(7, "0"),
    suffix: generation.toString(36).padStart(5, "a"),
    version: String(version),
    // Of equal lengths: padding of a finalizer that nothing reads, and white space.
    finalizer: hasFinalizer ? "batch.kubernetes.io/job-tracking" : "example.com/another-finalizer---",
    phase,
    ready: ready ? "True" : "False",
  };
  return parts.map((part, i) => (i % 2 === 0 ? part : values[part]!)).join("");
}

/** The entries of the controller manager and of the kubelet, with every field that each has set. */
function managedFields(pod: JsonObject): Json[] {
  const metadata = pod["metadata"] as JsonObject;
  const owned = {
    metadata: {
      generateName: "",
      annotations: metadata["annotations"]!,
      finalizers: metadata["finalizers"]!,
      labels: metadata["labels"]!,
      ownerReferences: metadata["ownerReferences"]!,
    },
    spec: pod["spec"]!,
  };
  return [
    {
      manager: "kube-controller-manager",
      operation: "Update",
      apiVersion: "v1",
      time: "2026-11-21T08:55:54Z",
      fieldsType: "FieldsV1",
      fieldsV1: fieldsOf(owned),
    },
    {
      manager: "kubelet",
      operation: "Update",
      apiVersion: "v1",
      time: "2026-11-21T08:55:54Z",
      fieldsType: "FieldsV1",
      fieldsV1: fieldsOf({ status: pod["status"]! }),
      subresource: "status",
    },
  ];
}

function fieldsOf(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [`f:${key}`, fieldsOfMember(member)]));
}

function fieldsOfMember(member: Json): JsonObject {
  if (Array.isArray(member)) {
    const entries = member.map((element): [string, JsonObject] => {
      if (element === null || typeof element !== "object" || Array.isArray(element))
        return [`v:${JSON.stringify(element)}`, {}];
      const key = ["uid", "name", "type", "key"].find((candidate) => candidate in element)!;
      return [`k:${JSON.stringify({ [key]: element[key]! })}`, { ".": {}, ...fieldsOf(element) }];
    });
    return { ".": {}, ...Object.fromEntries(entries) };
  }
  return member !== null && typeof member === "object" ? { ".": {}, ...fieldsOf(member) } : {};
}

export interface JobFacts {
  readonly version: number;
  readonly parallelism: number;
  readonly completions: number;
  /** Default: none. */
  readonly completedIndexes?: string;
  readonly succeeded?: number;
  readonly ready: number;
}

/** The JSON text of the Job that the pods belong to, with all of its `parallelism` active. */
export function jobText({
  version,
  parallelism,
  completions,
  completedIndexes = "",
  succeeded = 0,
  ready,
}: JobFacts): string {
  const job = structuredClone(recorded.find((entry) => entry.response?.["kind"] === "Job")!.response!);
  Object.assign(job["metadata"] as JsonObject, {
    namespace: NAMESPACE,
    uid: JOB_UID,
    resourceVersion: String(version),
  });
  Object.assign(job["spec"] as JsonObject, { parallelism, completions });
  job["status"] = {
    startTime: "2026-11-21T08:55:54Z",
    active: parallelism,
    ...(succeeded > 0 ? { succeeded } : {}),
    terminating: 0,
    ...(completedIndexes === "" ? {} : { completedIndexes }),
    uncountedTerminatedPods: {},
    ready,
  };
  return JSON.stringify(job);
}

export function listText(kind: "Job" | "Pod", version: number, items: readonly string[]): string {
  return `{"kind":"${kind}List","apiVersion":"${kind === "Job" ? "batch/v1" : "v1"}","metadata":{"resourceVersion":"${version}"},"items":[${items.join(",")}]}`;
}

export function watchLine(type: "ADDED" | "MODIFIED" | "DELETED", object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}

/** A text as bytes whose numbers, each given by how it is written in the text, can be set in place. */
export class Patchable {
  readonly bytes: Uint8Array;
  readonly #places: readonly number[];
  readonly #digits: number;

  constructor(text: string, number: number) {
    this.bytes = new TextEncoder().encode(text);
    const digits = String(number);
    this.#digits = digits.length;
    const places: number[] = [];
    for (let at = text.indexOf(digits); at >= 0; at = text.indexOf(digits, at + 1)) places.push(at);
    this.#places = places;
  }

  /** `number` must have as many digits as the first one. */
  set(number: number): void {
    for (const place of this.#places) {
      let rest = number;
      for (let i = place + this.#digits - 1; i >= place; i--) {
        this.bytes[i] = 0x30 + (rest % 10);
        rest = Math.floor(rest / 10);
      }
    }
  }
}

/**
 * What the API server does with a Job's fields that it may drop: old servers do not know them, and on others a feature
 * gate decides. Where no gate can change it, the version decides. Otherwise a Job is created as a dry run, which needs
 * the right to create Jobs; without that right, only the default is known.
 *
 * Invariant: nothing is stored, and a server that gives no answer is asked again until it does.
 */
import type { ApiResponse, Clock, Transport } from "../../bindings/js/host.ts";
import { answeredObject, errorOf, JOBS, resourcePath, withQuery } from "../../cluster/client/client.ts";

const RETRY_INTERVAL_MS = 10_000;
const STATUS_CREATED = 201;
const STATUS_TOO_MANY_REQUESTS = 429;
const FIRST_FAULT_OF_THE_SERVER = 500;

interface CheckedField {
  /** Minor numbers of Kubernetes 1: the first that has the field, that keeps it by default, and that always does. */
  readonly since: number;
  readonly byDefault: number;
  readonly always: number;
  /** The effect of dropping the field. */
  readonly dropped: string;
}

const FIELDS = {
  managedBy: {
    since: 30,
    byDefault: 32,
    always: 35,
    dropped: "the built-in controller runs every Job, whomever it names",
  },
  successPolicy: {
    since: 30,
    byDefault: 31,
    always: 33,
    dropped: "a Job is complete only when all its completions have succeeded",
  },
  podReplacementPolicy: {
    since: 28,
    byDefault: 29,
    always: 34,
    dropped: "a pod is replaced as soon as it is being deleted",
  },
} as const satisfies Record<string, CheckedField>;

type FieldName = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as FieldName[];
/** Undefined: unknown. */
type Fates = Readonly<Record<FieldName, "kept" | "dropped" | undefined>>;

/** A Job with all of these fields. It is never stored. */
const TRIED_JOB = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { generateName: "stint-check-" },
  spec: {
    completionMode: "Indexed",
    completions: 1,
    managedBy: "stint.dev/check",
    podReplacementPolicy: "Failed",
    successPolicy: { rules: [{ succeededCount: 1 }] },
    template: { spec: { restartPolicy: "Never", containers: [{ name: "check", image: "stint.dev/check" }] } },
  },
};

export interface ServerFacts {
  /** `managedBy` is dropped for certain. */
  readonly dropsManagedBy: boolean;
  /** Something is dropped, or unknown. */
  readonly isDoubtful: boolean;
  /** All of it, as a sentence. */
  readonly sentence: string;
}

export interface ServerCheckOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  /** The namespace of the tried Job: one that the controller works in. */
  readonly namespace: string;
  /** Stops the questions. */
  readonly isOver: () => boolean;
}

/** @returns undefined when it is over before an answer came */
export async function checkServer(options: ServerCheckOptions): Promise<ServerFacts | undefined> {
  const version = await ask(options, "GET", "/version");
  if (version === undefined) return undefined;
  const { gitVersion: told, emulationMinor } = answeredObject(version);
  const gitVersion = String(told ?? "");
  // A server may emulate an earlier version, with the feature gates of that one.
  const minor = Number(emulationMinor ?? /^v1\.(\d+)/.exec(gitVersion)?.[1] ?? NaN);
  const known = fatesBy(minor);
  if (NAMES.every((name) => known[name] !== undefined)) return factsOf(gitVersion, minor, known, "");
  const path = withQuery(resourcePath(JOBS, options.namespace), { dryRun: "All", fieldValidation: "Ignore" });
  const tried = await ask(options, "POST", path, TRIED_JOB);
  if (tried === undefined) return undefined;
  if (tried.status !== STATUS_CREATED)
    return factsOf(gitVersion, minor, known, `${tried.status}: ${errorOf(tried).message}`);
  const spec = (answeredObject(tried)["spec"] ?? {}) as object;
  return factsOf(
    gitVersion,
    minor,
    fates((name) => (name in spec ? "kept" : "dropped")),
    "",
  );
}

/** A final answer of the server; undefined: it is over. */
async function ask(
  { transport, clock, userAgent, isOver }: ServerCheckOptions,
  method: "GET" | "POST",
  path: string,
  body?: object,
): Promise<ApiResponse | undefined> {
  const headers = { accept: "application/json", "content-type": "application/json", "user-agent": userAgent };
  while (!isOver()) {
    const request = { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await new Promise<ApiResponse>((resolve) => transport.send(request, resolve));
    if (isAnswer(response.status)) return response;
    await new Promise<void>((resolve) => clock.setTimer(RETRY_INTERVAL_MS, resolve));
  }
  return undefined;
}

function isAnswer(status: number): boolean {
  return status !== 0 && status !== STATUS_TOO_MANY_REQUESTS && status < FIRST_FAULT_OF_THE_SERVER;
}

function fates(fateOf: (name: FieldName) => Fates[FieldName]): Fates {
  return Object.fromEntries(NAMES.map((name) => [name, fateOf(name)])) as Fates;
}

/** What no gate can change. @param minor NaN: the server does not report it */
function fatesBy(minor: number): Fates {
  return fates((name) => {
    const { since, always } = FIELDS[name];
    if (minor >= always) return "kept";
    return minor < since ? "dropped" : undefined;
  });
}

function factsOf(gitVersion: string, minor: number, known: Fates, problem: string): ServerFacts {
  const server = gitVersion === "" ? "the API server" : `Kubernetes ${gitVersion}`;
  const withFate = (fate: Fates[FieldName]): FieldName[] => NAMES.filter((name) => known[name] === fate);
  const [kept, dropped, unknown] = [withFate("kept"), withFate("dropped"), withFate(undefined)];
  const sentences = [
    ...(kept.length === 0 ? [] : [`${server} keeps ${kept.join(", ")}`]),
    ...dropped.map((name) => `${server} drops ${name}: ${FIELDS[name].dropped}`),
    ...(unknown.length === 0 ? [] : [`whether ${server} keeps ${unknown.join(", ")} is unknown (${problem})`]),
    ...(Number.isNaN(minor) ? [] : unknown.map((name) => defaultOf(name, minor))),
  ];
  return {
    dropsManagedBy: known.managedBy === "dropped",
    isDoubtful: dropped.length + unknown.length > 0,
    sentence: sentences.join("; "),
  };
}

function defaultOf(name: FieldName, minor: number): string {
  return `by default it ${minor >= FIELDS[name].byDefault ? "keeps" : "drops"} ${name}`;
}

/** The JSON object of an answer; empty if there is none. */

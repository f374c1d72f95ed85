/**
 * Asks two servers the same as a dry run: a real API server, and the in-memory one, whose admission is the engine's
 * `review`. What two servers cannot have in common is taken out of both answers: UIDs, times, generated names.
 */
import { isObject } from "../../cluster/values/json.ts";
import type { Json, JsonObject } from "../../cluster/values/types.ts";
import type { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { askCluster } from "../cluster/ask-cluster.ts";
import type { ApiClient } from "../kubernetes/api-client.ts";
import { type CorpusCase, nameOf, STORED_JOBS } from "./generate.ts";

/** One cause of a refusal. */
export interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

export interface Answer {
  readonly status: number;
  /** The object as it would be stored; absent in a refusal. */
  readonly object?: JsonObject;
  readonly reason?: string;
  readonly message?: string;
  readonly causes: readonly Cause[];
  readonly warnings: readonly string[];
}

interface Request {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly body?: JsonObject;
}

interface Response {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

/** One of the two servers. */
type Server = (request: Request) => Promise<Response>;

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PATHS = { Job: JOBS, Pod: "/api/v1/namespaces/default/pods" } as const;
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Stands for the UID of the Job on either server. It is a label value, as a UID is. */
const ANY_UID = "UID";
const ANY_NAME = "GENERATED";
const TIME = /"lastTransitionTime":"[^"]*"/g;

/** The answer of a server that crashes over a request: it hangs up, each time. */
const NO_ANSWER = { status: 0, body: {}, warnings: [] } as const;
const MAX_ATTEMPTS = 3;

export function realServer(client: ApiClient): Server {
  return async ({ method, path, body }) => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        const { warnings, ...answer } = await client.request<JsonObject>(method, path, body);
        // Node reads headers as Latin-1.
        return { ...answer, warnings: warnings.map((header) => Buffer.from(header, "latin1").toString()) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
      }
    }
    return NO_ANSWER;
  };
}

export function embeddedServer({ cluster }: EmbeddedCluster): Server {
  return ({ method, path, body }) => Promise.resolve(askCluster<JsonObject>(cluster, method, path, body));
}

/** A server with the Jobs that updates are about. */
export class Respondent {
  readonly #server: Server;
  readonly #stored = new Map<string, JsonObject>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async prepare(server: Server): Promise<Respondent> {
    const respondent = new Respondent(server);
    for (const { job, status } of STORED_JOBS) {
      const path = `${JOBS}/${nameOf(job)}`;
      const created = await succeed(server, { method: "POST", path: JOBS, body: job });
      const body = { ...created, status: status ?? {} };
      if (status !== undefined) await succeed(server, { method: "PUT", path: `${path}/status`, body });
      respondent.#stored.set(nameOf(job), await succeed(server, { method: "GET", path }));
    }
    return respondent;
  }

  /** The Job as it is there, but for what the server has set. */
  stored(name: string): JsonObject {
    const { status: _status, ...job } = withoutServerFields(this.#stored.get(name)!);
    return JSON.parse(JSON.stringify(job).replaceAll(UID, ANY_UID)) as JsonObject;
  }

  async ask(one: CorpusCase, object: JsonObject): Promise<Answer> {
    const { kind, verb, fieldValidation, name } = one;
    const method = verb === "create" ? "POST" : "PUT";
    const path = `${PATHS[kind]}${verb === "create" ? "" : `/${name}`}?dryRun=All&fieldValidation=${fieldValidation}`;
    const body = this.#withUid(one, withAccount(one, object));
    return answerOf(await this.#server({ method, path, body }), object);
  }

  /** The body of a request, with the UID of this server's Job. */
  #withUid({ name }: CorpusCase, object: JsonObject): JsonObject {
    const stored = this.#stored.get(name);
    if (stored === undefined) return object;
    const uid = (stored["metadata"] as JsonObject)["uid"] as string;
    return JSON.parse(JSON.stringify(object).replaceAll(`"${ANY_UID}"`, JSON.stringify(uid))) as JsonObject;
  }
}

/** A Pod with the account that the plugin ServiceAccount would give it: it is off on the real server. */
function withAccount({ kind }: CorpusCase, object: JsonObject): JsonObject {
  const { spec } = object;
  if (kind !== "Pod" || !isObject(spec) || spec["serviceAccountName"] || spec["serviceAccount"]) return object;
  return { ...object, spec: { ...spec, serviceAccountName: "default" } };
}

async function succeed(server: Server, request: Request): Promise<JsonObject> {
  const { status, body } = await server(request);
  if (status < 300) return body;
  throw new Error(`a Job of the corpus is refused: ${request.method} ${request.path}: ${JSON.stringify(body)}`);
}

function answerOf({ status, body, warnings }: Response, asked: JsonObject): Answer {
  if (status === 0) return { status, message: "no answer", causes: [], warnings };
  const name = generatedName(status < 300 ? body["metadata"] : body["details"], asked);
  const tidy = <T>(value: T): T => {
    const text = JSON.stringify(value)
      .replaceAll(UID, ANY_UID)
      .replaceAll(TIME, '"lastTransitionTime":"TIME"')
      // Where a server keeps its objects in etcd is its own affair.
      .replaceAll("Key: /registry/", "Key: /");
    return JSON.parse(name === "" ? text : text.replaceAll(name, ANY_NAME)) as T;
  };
  if (status < 300)
    return {
      status,
      object: tidy(withoutPriority(withoutServerFields(body), asked)),
      causes: [],
      warnings: warningsOf(warnings),
    };
  const { reason, message, details } = body as { reason?: string; message?: string; details?: { causes?: Cause[] } };
  return {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message: tidy(message) }),
    causes: unique(tidy(details?.causes ?? [])),
    warnings: warningsOf(warnings),
  };
}

/** Each cause once: upstream checks a Job's spec twice when it is updated (docs/differences.md). */
function unique(causes: readonly Cause[]): readonly Cause[] {
  const texts = causes.map((cause) => JSON.stringify(cause));
  return causes.filter((_cause, index) => texts.indexOf(texts[index]!) === index);
}

/** The texts in the headers. */
function warningsOf(headers: readonly string[]): readonly string[] {
  return headers.map((header) =>
    header
      .replace(/^299 - "(.*)"$/s, "$1")
      .replace(/\\(.)/g, "$1")
      .replaceAll(UID, ANY_UID),
  );
}

/** The name that the server made; "" when it made none. */
function generatedName(holder: Json | undefined, asked: JsonObject): string {
  const name = isObject(holder) ? holder["name"] : undefined;
  return typeof name !== "string" || JSON.stringify(asked).includes(JSON.stringify(name).slice(1, -1)) ? "" : name;
}

/** What the plugin Priority gives a Pod without a class: it is off on the real server, which has no classes. */
const PRIORITY = { priority: 0, preemptionPolicy: "PreemptLowerPriority" } as const;

function withoutPriority(object: JsonObject, asked: JsonObject): JsonObject {
  if (object["kind"] !== "Pod" || !isObject(object["spec"])) return object;
  const own = isObject(asked["spec"]) ? asked["spec"] : {};
  const isGiven = (name: string, value: Json): boolean =>
    Object.entries(PRIORITY).some((one) => one[0] === name && one[1] === value) && (own[name] ?? null) === null;
  const kept = Object.entries(object["spec"]).filter(([name, value]) => !isGiven(name, value));
  return { ...object, spec: Object.fromEntries(kept) };
}

const SERVER_FIELDS = new Set(["creationTimestamp", "managedFields", "resourceVersion"]);

function withoutServerFields(object: JsonObject): JsonObject {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !SERVER_FIELDS.has(name)));
  return { ...object, metadata: kept };
}

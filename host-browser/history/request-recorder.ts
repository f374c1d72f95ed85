/**
 * The controller's requests and their answers, as columns; path and summary are built lazily, on read.
 *
 * While a request is carried out (from `begin` to `end`) the cluster's writes are attributed to it: the first write
 * says which pod and which Job it is about. Where nothing is written, path and body say it. Leaves out watches: they
 * last.
 */
import type { ApiRequest } from "../../bindings/js/host.ts";
import { NONE } from "../records.ts";
import type { Book } from "./book.ts";
import { Column } from "../columns.ts";
import { Texts } from "./columns.ts";
import type { JobTrack } from "./job-track.ts";

const MAX_SUMMARY = 120;
/** How much of a body is read: the part that is not shown comes first, and has less than a kilobyte. */
const MAX_READ_BYTES = 2048;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Namespace, resource and name of a path in a namespace. */
const NAMESPACED = /\/namespaces\/([^/?]+)\/([a-z]+)(?:\/([^/?]+))?/;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** A request of the controller, and its answer. */
export interface RequestRow {
  readonly id: number;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  /** 0: there was no answer yet at that instant. */
  readonly status: number;
  readonly answeredMs: number;
  /** First line of the body, shortened. */
  readonly summary: string;
  readonly decision: number;
}

export class RequestRecorder {
  readonly #book: Book;
  readonly #atMs = new Column("float64");
  readonly #method = new Column("uint8");
  /** The path; of a pod without its name. */
  readonly #path = new Column("int32");
  readonly #pod = new Column("int32");
  readonly #job = new Column("int32");
  readonly #summary = new Column("int32");
  /** The number of the decision that it carries out, or NONE. */
  readonly #cause = new Column("int32");
  readonly #status = new Column("int32");
  readonly #answeredMs = new Column("float64");
  readonly #texts = new Texts();
  readonly #underWay = new Map<number, number>();
  #current: ApiRequest | undefined;
  #isAttributed = false;

  constructor(book: Book) {
    this.#book = book;
  }

  begin(id: number, request: ApiRequest): void {
    if (this.#book.request !== NONE) this.end();
    const row = this.#atMs.length;
    this.#atMs.push(this.#book.nowMs);
    this.#method.push(Math.max(0, METHODS.indexOf(request.method)));
    this.#path.push(NONE);
    this.#pod.push(NONE);
    this.#job.push(NONE);
    this.#summary.push(NONE);
    this.#cause.push(this.#book.numbers.numberOf(request.decision ?? 0));
    this.#status.push(0);
    this.#answeredMs.push(Infinity);
    this.#underWay.set(id, row);
    this.#current = request;
    this.#isAttributed = false;
    this.#book.request = row;
    this.#book.cause = this.#cause.at(row);
  }

  /** In recordings: the objects of the request, whose writes are attributed to it again. */
  resume(id: number): { readonly pod: number; readonly track: JobTrack | undefined } | undefined {
    const row = this.#underWay.get(id);
    if (row === undefined) return undefined;
    this.#book.request = row;
    this.#book.cause = this.#cause.at(row);
    return { pod: this.#pod.at(row), track: this.#book.track(this.#job.at(row)) };
  }

  /** The request under way has written about this Job, or about this pod of it. */
  wrote(track: JobTrack | undefined, pod: number): void {
    if (this.#isAttributed || this.#current === undefined) return;
    this.#attribute(this.#current, track, pod);
  }

  /** The API server has carried the request out; its answer may come later. */
  end(): void {
    const request = this.#current;
    if (request !== undefined && !this.#isAttributed) this.#attributeByText(request);
    this.#current = undefined;
    this.#book.request = this.#book.cause = NONE;
  }

  answered(id: number, status: number): void {
    if (this.#current !== undefined) this.end();
    const row = this.#underWay.get(id);
    if (row === undefined) return;
    this.#underWay.delete(id);
    this.#status.set(row, status);
    this.#answeredMs.set(row, this.#book.nowMs);
    const track = this.#book.track(this.#job.at(row));
    if (track !== undefined) track.explanations.isTouched = true;
    // A list, with which a controller begins.
    if (METHODS[this.#method.at(row)] === "GET") this.#book.touchAll();
  }

  get times(): Column<"float64"> {
    return this.#atMs;
  }

  /** Requests without an answer. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** The row as it was known at the instant. */
  at(row: number, atMs: number): RequestRow {
    const pod = this.#pod.at(row);
    const answeredMs = this.#answeredMs.at(row);
    const isAnswered = answeredMs <= atMs;
    return {
      id: row,
      atMs: this.#atMs.at(row),
      method: METHODS[this.#method.at(row)]!,
      path: this.#texts.at(this.#path.at(row)) + (pod === NONE ? "" : (this.#book.tables.podNames[pod] ?? "")),
      status: isAnswered ? this.#status.at(row) : 0,
      answeredMs: isAnswered ? answeredMs : NONE,
      summary: this.#texts.at(this.#summary.at(row)),
      decision: this.#decisionAt(row, atMs),
    };
  }

  /** The decision of a request may be recorded only after it. */
  #decisionAt(row: number, atMs: number): number {
    const times = this.#book.tables.decisions.columns.atMs;
    return this.#book.track(this.#job.at(row))?.decisionAt(this.#cause.at(row), atMs, times) ?? NONE;
  }

  #attributeByText(request: ApiRequest): void {
    const [, namespace = "", resource = "", name = ""] = NAMESPACED.exec(request.path) ?? [];
    if (resource === "jobs") this.#attribute(request, this.#book.jobNamed(namespace, name), NONE);
    else if (resource === "pods" && name !== "") {
      const pod = this.#book.podNamed(namespace, name);
      this.#attribute(request, this.#book.trackOfPod(pod), pod);
    } else this.#attribute(request, this.#jobInText(request), NONE);
  }

  /** The Job whose UID is in path or body: as owner of a new pod, in a label selector, or as what an Event is about. */
  #jobInText({ path, body = "" }: ApiRequest): JobTrack | undefined {
    const text = path + (typeof body === "string" ? body : decoder.decode(body));
    for (const [uid] of text.matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g)) {
      const track = this.#book.job(uid) ?? this.#book.trackOfPod(this.#book.pod(uid));
      if (track !== undefined) return track;
    }
    return undefined;
  }

  #attribute(request: ApiRequest, track: JobTrack | undefined, pod: number): void {
    const row = this.#book.request;
    this.#isAttributed = true;
    const podName = pod === NONE ? "" : this.#book.tables.podNames[pod]!;
    const namesPod = pod !== NONE && request.path.endsWith(`/${podName}`);
    this.#path.set(row, this.#texts.id(namesPod ? request.path.slice(0, -podName.length) : request.path));
    if (namesPod) this.#pod.set(row, pod);
    this.#summary.set(row, this.#texts.idOrNone(summaryOf(request)));
    if (track === undefined) return;
    track.requests.push(row);
    this.#job.set(row, track.id);
    track.explanations.isTouched = true;
  }
}

/** One line. Texts that differ from pod to pod are avoided: each is kept once. */
function summaryOf({ method, path, body = "" }: ApiRequest): string {
  const [, , resource = "", name = ""] = NAMESPACED.exec(path) ?? [];
  if (method === "GET") return "";
  if (method === "DELETE") return `deletes the ${resource.slice(0, -1)}`;
  if (method === "POST") return resource === "events" ? "writes an event" : `creates a ${resource.slice(0, -1)}`;
  const text = beginning(body);
  if (resource === "pods" && name !== "" && text.includes("finalizers")) return "changes the finalizers of the pod";
  // The write's UID and resourceVersion mean nothing to the user.
  const shown = text.replace(/^\{"metadata":\{[^{}]*\},/, "{");
  return shown.length > MAX_SUMMARY ? `${copy(shown.slice(0, MAX_SUMMARY - 1))}…` : shown;
}

function beginning(body: string | Uint8Array): string {
  return typeof body === "string" ? body.slice(0, MAX_READ_BYTES) : decoder.decode(body.subarray(0, MAX_READ_BYTES));
}

/** Part of a text keeps the whole text in memory, and the status of a large Job has kilobytes; a copy does not. */
function copy(text: string): string {
  return decoder.decode(encoder.encode(text));
}

/**
 * What every binding does in `npm run bench:bindings`, as files: reviews of one Job, a list of pods, and Jobs that run
 * to the answer of their first status. Recorded with the JavaScript binding (bindings/ABI.md, "Recordings"). Leaves out
 * the API server: answers lie ready.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Engine, type EngineRequest, ErrorCode, IngestKind } from "../../../bindings/js/engine.ts";
import { Recorder } from "../../../bindings/js/recorder.ts";
import { FIRST_VERSION, jobText, listText, podMaker } from "../objects.ts";

export interface Sizes {
  readonly reviews: number;
  readonly pods: number;
  readonly jobs: number;
}

export interface Workload {
  readonly reviews: string;
  readonly list: string;
  readonly run: string;
  /** Syncs in `run`. */
  readonly syncs: number;
}

const JOBS = 0;
const PODS = 1;
const NOW = 1_767_225_600_000;
const PAGE_PODS = 500;
const POD_BYTES = 4096;
const ROOM = 64;

/** @returns the paths of the files, in `folder` */
export async function writeWorkload(folder: string, wasm: Uint8Array, sizes: Sizes): Promise<Workload> {
  const files = { reviews: "reviews.jsonl", list: "list.recording.jsonl", run: "run.recording.jsonl" };
  const write = (name: keyof typeof files, lines: readonly string[]): string => {
    const file = path.join(folder, files[name]);
    writeFileSync(file, `${lines.join("\n")}\n`);
    return file;
  };
  const { engine, recorder, lines } = await recorded(wasm);
  const jobs = Array.from({ length: sizes.jobs }, (_, i) => plainJob(i));
  list(engine, JOBS, [listText("Job", FIRST_VERSION, jobs)]);
  list(engine, PODS, [listText("Pod", FIRST_VERSION, [])]);
  settleAll(engine);
  recorder.end();
  return {
    reviews: write("reviews", reviewLines(await Engine.create(wasm), sizes.reviews)),
    list: write("list", await listLines(wasm, sizes.pods)),
    run: write("run", lines),
    syncs: engine.metrics()["syncs"] as number,
  };
}

type Recorded = ReturnType<Recorder["record"]>;

async function recorded(wasm: Uint8Array): Promise<{
  readonly engine: Recorded & Pick<Engine, "metrics">;
  readonly recorder: Recorder;
  readonly lines: string[];
}> {
  const lines: string[] = [];
  const sha256 = (...parts: readonly (string | Uint8Array)[]): string => {
    const hash = createHash("sha256");
    for (const part of parts) hash.update(part);
    return hash.digest("hex");
  };
  const recorder = new Recorder({ write: (line) => lines.push(line), sha256 });
  const plain = await Engine.create(wasm);
  const engine = Object.assign(recorder.record(plain), { metrics: () => plain.metrics() });
  engine.configure({
    instance: "bench",
    sources: [
      { id: JOBS, resource: "jobs" },
      { id: PODS, resource: "pods" },
    ],
  });
  return { engine, recorder, lines };
}

function list(engine: Recorded, source: number, pages: readonly string[]): void {
  engine.ingest(source, IngestKind.listBegin, "", NOW);
  for (const page of pages) engine.ingest(source, IngestKind.page, page, NOW);
  engine.ingest(source, IngestKind.listEnd, "", NOW);
}

async function listLines(wasm: Uint8Array, pods: number): Promise<string[]> {
  const { engine, recorder, lines } = await recorded(wasm);
  const makePod = podMaker(POD_BYTES);
  list(engine, JOBS, [
    listText("Job", FIRST_VERSION, [
      jobText({ version: FIRST_VERSION, completions: pods, parallelism: pods, ready: pods }),
    ]),
  ]);
  const pages = Array.from({ length: pods / PAGE_PODS }, (_, page) => {
    const indexes = Array.from({ length: PAGE_PODS }, (_, i) => page * PAGE_PODS + i);
    return listText(
      "Pod",
      FIRST_VERSION,
      indexes.map((index) => makePod({ index, version: FIRST_VERSION })),
    );
  });
  list(engine, PODS, pages);
  recorder.end();
  return lines;
}

function plainJob(index: number): string {
  return JSON.stringify({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: `j${index}`, namespace: "default", uid: `u${index}`, resourceVersion: `${FIRST_VERSION}` },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] } },
    },
    status: {},
  });
}

/** Answers what is asked for, until nothing is. */
function settleAll(engine: Recorded): void {
  let version = FIRST_VERSION;
  for (;;) {
    const { requests } = engine.poll(NOW, ROOM);
    if (requests.length === 0) return;
    for (const request of requests) {
      const code = engine.settle(request.id, 201, -1, answerTo(request, ++version), NOW);
      if (code !== ErrorCode.ok) throw new Error(`the answer to ${request.method} ${request.path} has code ${code}`);
    }
  }
}

/** The object that was sent; of a status that of its Job. */
function answerTo(request: EngineRequest, version: number): string {
  if (request.path.includes("/events")) return "{}";
  const sent = JSON.parse(new TextDecoder().decode(request.body)) as { metadata: object; status?: object };
  const name = /\/jobs\/(j\d+)\/status/.exec(request.path)?.[1];
  if (name === undefined) {
    const metadata = { ...sent.metadata, name: `p${version}`, uid: `p${version}`, resourceVersion: `${version}` };
    return JSON.stringify({ ...sent, metadata, status: { phase: "Pending" } });
  }
  const job = JSON.parse(plainJob(Number(name.slice(1)))) as { metadata: object };
  return JSON.stringify({
    ...job,
    metadata: { ...job.metadata, resourceVersion: `${version}` },
    status: sent.status,
  });
}

function reviewLines(engine: Engine, count: number): string[] {
  const file = path.resolve(import.meta.dirname, "../../vectors/recordings/indexed.jsonl");
  const [first] = readFileSync(file, "utf8").split("\n");
  const { request } = JSON.parse(first!) as { readonly request: { readonly metadata: object } };
  const object = { ...request, metadata: { ...request.metadata, uid: "u" } };
  const kind = { group: "batch", version: "v1", kind: "Job" };
  const input = JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: "r", kind, operation: "CREATE", namespace: "default", object },
  });
  const line = JSON.stringify({ question: "review", input, answer: engine.review(input) });
  return Array.from({ length: count }, () => line);
}

/**
 * What clients do while the server is about to be killed: several write ConfigMaps, each its own, one watches them, and
 * one makes Jobs.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Ledger } from "./ledger.ts";
import type { Answer, Served } from "./served.ts";

export const MAPS = "/api/v1/namespaces/default/configmaps";
export const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const LANES = 6;
const NAMES_A_LANE = 4;
const MAX_JOBS = 300;
const PAUSE_BETWEEN_JOBS_MS = 60;
/** A Job may be hit by many kills. */
const BACKOFF_LIMIT = 1000;

export interface Load {
  /** Resolves when the server is gone, and every client has seen that. */
  readonly ended: Promise<unknown>;
}

/** Names of the Jobs whose creation was acknowledged, and how many completions they have. */
export type KnownJobs = Map<string, number>;

/**
 * @param random in [0, 1)
 * @param find gets what should not be: an answer that makes no sense
 */
export function startLoad(
  served: Served,
  ledger: Ledger,
  jobs: KnownJobs,
  random: () => number,
  find: (finding: string) => void,
): Load {
  served.watch(`${MAPS}?watch=1&resourceVersion=0`, ({ type, object }) => ledger.see(type, object));
  const lanes = Array.from({ length: LANES }, (_, lane) => writeMaps(served, ledger, lane, random, find));
  return { ended: Promise.all([...lanes, makeJobs(served, ledger, jobs, random, find)]) };
}

async function writeMaps(
  served: Served,
  ledger: Ledger,
  lane: number,
  random: () => number,
  find: (finding: string) => void,
): Promise<void> {
  for (;;) {
    const name = `lane-${lane}-${Math.floor(random() * NAMES_A_LANE)}`;
    const isThere = !ledger.isGone(name);
    const isGone = isThere && random() < 0.2;
    const n = String(ledger.ask(name, isGone));
    const path = isThere ? `${MAPS}/${name}` : MAPS;
    const method = isGone ? "DELETE" : isThere ? "PATCH" : "POST";
    const answer = await answerOf(served.ask(method, path, isGone ? undefined : { metadata: { name }, data: { n } }));
    if (answer === undefined) return;
    if (answer.status < 300) ledger.acknowledge(name, answer.body.metadata.resourceVersion);
    else return find(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

async function makeJobs(
  served: Served,
  ledger: Ledger,
  jobs: KnownJobs,
  random: () => number,
  find: (finding: string) => void,
): Promise<void> {
  while (jobs.size < MAX_JOBS) {
    const name = `job-${Math.floor(random() * 1e9)}`;
    const completions = 1 + Math.floor(random() * 4);
    const answer = await answerOf(served.ask("POST", JOBS, job(name, completions, Math.floor(random() * 200))));
    if (answer === undefined) return;
    if (answer.status !== 201) return find(`POST ${JOBS}: ${answer.status} ${JSON.stringify(answer.body)}`);
    jobs.set(name, completions);
    ledger.showVersion(answer.body.metadata.resourceVersion);
    await sleep(PAUSE_BETWEEN_JOBS_MS);
  }
}

/** Undefined: the server is gone. */
function answerOf(asked: Promise<Answer>): Promise<Answer | undefined> {
  return asked.catch(() => undefined);
}

function job(name: string, completions: number, runMs: number): object {
  const annotations = { "stint.dev/simulate": JSON.stringify({ runMs }) };
  const containers = [{ name: "c", image: "none" }];
  const template = { metadata: { annotations }, spec: { restartPolicy: "Never", containers } };
  return { metadata: { name }, spec: { completions, parallelism: 2, backoffLimit: BACKOFF_LIMIT, template } };
}

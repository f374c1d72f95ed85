/**
 * Repeatedly kills a server with a data folder while clients write, and checks after each restart that it still has
 * everything that it acknowledged or showed to a client. At the end every Job must be complete, and count its pods
 * right.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "../cluster/component-harness.ts";
import { Ledger } from "./ledger.ts";
import { JOBS, type KnownJobs, MAPS, startLoad } from "./load.ts";
import { Served } from "./served.ts";

const PODS = "/api/v1/namespaces/default/pods";
/** A kill comes at any moment of this time, from the start of the load. */
const LOAD_MS = 1_500;
/** Of so many kills one comes while the server starts. */
const KILLS_A_START_KILL = 8;
const START_MS = 1_500;
const END_TIMEOUT_MS = 180_000;
const MAX_FINDINGS = 10;

export interface KillsOptions {
  readonly kills: number;
  readonly seed: number;
  /** The module of the command. */
  readonly main: string;
  readonly tell?: (progress: string) => void;
}

export interface KillsResult {
  readonly kills: number;
  readonly acknowledged: number;
  readonly jobs: number;
  readonly findings: readonly string[];
}

/** Ends early when something was found. */
export async function killUnderLoad({ kills, seed, main, tell = () => {} }: KillsOptions): Promise<KillsResult> {
  const directory = mkdtempSync(join(tmpdir(), "stint-kills-"));
  const random = seeded(seed);
  const served = new Served(directory, main);
  const ledger = new Ledger();
  const jobs: KnownJobs = new Map();
  const findings: string[] = [];
  let killed = 0;
  try {
    await served.start();
    while (killed < kills && findings.length === 0) {
      const load = startLoad(served, ledger, jobs, random, (finding) => findings.push(finding));
      await sleep(random() * LOAD_MS);
      await served.kill();
      await load.ended;
      killed++;
      if (random() < 1 / KILLS_A_START_KILL && killed < kills) {
        served.spawn();
        await sleep(random() * START_MS);
        await served.kill();
        killed++;
      }
      await served.start();
      findings.push(...(await compare(served, ledger, jobs)));
      if (killed % 10 === 0) tell(`${killed} kills, ${ledger.acknowledged} writes acknowledged, ${jobs.size} Jobs`);
    }
    if (findings.length === 0) findings.push(...(await judgeJobs(served, jobs)));
  } finally {
    await served.kill();
    rmSync(directory, { recursive: true });
  }
  return {
    kills: killed,
    acknowledged: ledger.acknowledged,
    jobs: jobs.size,
    findings: findings.slice(0, MAX_FINDINGS),
  };
}

async function compare(served: Served, ledger: Ledger, jobs: KnownJobs): Promise<string[]> {
  const maps = (await served.ask("GET", MAPS)).body;
  const findings = ledger.compare(
    maps.items.filter(({ metadata }: any) => metadata.name.startsWith("lane-")),
    maps.metadata.resourceVersion,
  );
  const list = (await served.ask("GET", JOBS)).body;
  const there = new Set(list.items.map(({ metadata }: any) => metadata.name));
  for (const name of jobs.keys()) if (!there.has(name)) findings.push(`Job ${name} was created, and is not there`);
  // A creation that was not acknowledged may have happened.
  for (const { metadata, spec } of list.items) jobs.set(metadata.name, spec.completions);
  ledger.showVersion(list.metadata.resourceVersion);
  return findings;
}

/** Waits until all Jobs are complete, and compares what they count with their pods. */
async function judgeJobs(served: Served, jobs: KnownJobs): Promise<string[]> {
  const endMs = performance.now() + END_TIMEOUT_MS;
  for (;;) {
    const { items } = (await served.ask("GET", JOBS)).body;
    const open = items.filter(({ status }: any) => status.completionTime === undefined);
    if (open.length === 0) return judge(items, (await served.ask("GET", PODS)).body.items, jobs);
    if (performance.now() > endMs)
      return open.map((job: any) => `${nameOf(job)} is not complete: ${shown(job.status)}`);
    await sleep(200);
  }
}

function judge(items: readonly any[], pods: readonly any[], jobs: KnownJobs): string[] {
  return items.flatMap((job) => {
    const own = pods.filter(({ metadata }) => metadata.ownerReferences?.[0].uid === job.metadata.uid);
    const count = (phase: string): number => own.filter(({ status }) => status.phase === phase).length;
    const { succeeded = 0, failed = 0, active = 0, uncountedTerminatedPods: uncounted = {} } = job.status;
    const isRight =
      succeeded === jobs.get(nameOf(job)) &&
      succeeded === count("Succeeded") &&
      failed === count("Failed") &&
      active === 0 &&
      Object.keys(uncounted).length === 0 &&
      own.every(({ metadata }) => metadata.finalizers === undefined);
    const phases = own.map(({ status }) => status.phase).join(" ");
    return isRight ? [] : [`${nameOf(job)} counts ${shown(job.status)}; its pods: ${phases}`];
  });
}

const nameOf = ({ metadata }: any): string => metadata.name;

function shown({ succeeded, failed, active, uncountedTerminatedPods }: any): string {
  return JSON.stringify({ succeeded, failed, active, uncountedTerminatedPods });
}

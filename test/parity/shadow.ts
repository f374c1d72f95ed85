/**
 * `npm run parity -- --shadow --random N`: random Jobs by upstream's controller alone, while a `stint controller
 * --shadow` looks on. Every divergence that docs/differences.md does not name fails the run.
 */
import type { ShadowReport } from "../../host-node/shadow/pages.ts";
import { startStintController, type StintController } from "../kubernetes/stint-controller.ts";
import { play } from "./play.ts";
import { inLanes } from "./random/lanes.ts";
import { randomScenario } from "./random/scenario.ts";
import { Theatre } from "./theatre.ts";

const NAMESPACE = "parity-shadow";
const WINDOW_MS = 10_000;
/** What is left undone is found when Stint was asked twice. */
const SETTLING_MS = 3 * WINDOW_MS;

export interface ShadowOptions {
  readonly count: number;
  /** Of the first; the next ones follow. */
  readonly seed: number;
  readonly jobs: number;
}

export async function playShadow({ count, seed, jobs }: ShadowOptions): Promise<boolean> {
  const problems = new Map<string, number>();
  const beganMs = performance.now();
  const seconds = (): string => ((performance.now() - beganMs) / 1000).toFixed(0);
  const theatre = await Theatre.open({
    scenarios: [],
    recordsHistory: false,
    onProblem: (problem) => problems.set(problem, (problems.get(problem) ?? 0) + 1),
  });
  try {
    await theatre.client.succeed("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
    await theatre.startController("upstream", { namespaces: [NAMESPACE], all: [NAMESPACE] });
    const shadow = await startStintController(theatre.controlPlane, {
      flags: ["--shadow", `--shadow-window=${WINDOW_MS}ms`],
    });
    console.log(
      `Kubernetes ${theatre.controlPlane.version}; ${count} random Jobs from seed ${seed}, ${jobs} at once, by upstream's controller; ready after ${seconds()} s\n`,
    );
    await inLanes(
      Array.from({ length: count }, (_none, at) => seed + at),
      jobs,
      async (each) => console.log(`${await playOne(theatre, each)}  seed ${each}`),
    );
    await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
    const report = await reportOf(shadow);
    for (const [problem, times] of problems) console.log(`note (${times}×): ${problem}`);
    for (const { known, job, kind, sentence, ...rest } of report.divergences.toReversed())
      console.log(
        `${known === undefined ? "DIVERGES" : "known   "} seed ${job.slice(1)}  ${kind}: ${sentence}\n  ${JSON.stringify(rest)}`,
      );
    const unknown = report.divergences.filter(({ known }) => known === undefined);
    const { judged, undecided, stalled, divergences } = report;
    console.log(
      `\ncompared: ${judged} writes, of which ${undecided} undecided, ${stalled} not judged for a stall; ` +
        `divergences: ${divergences.length}, of which docs/differences.md names ${divergences.length - unknown.length}`,
    );
    const diverged = new Set(unknown.map(({ job }) => job)).size;
    console.log(`\n${count - diverged} passed, ${diverged} failed; ${seconds()} s`);
    return diverged === 0;
  } finally {
    await theatre.close();
  }
}

/** A Job that waits for a long back-off when its time is over has been compared until then. */
async function playOne({ observer, client, kubernetes }: Theatre, seed: number): Promise<"over  " | "no end"> {
  const scenario = randomScenario(seed);
  const sighting = observer.sight(NAMESPACE, scenario.name);
  try {
    await play({ scenario, sighting, client, kubernetes, side: "upstream" });
    return "over  ";
  } catch {
    return "no end";
  } finally {
    observer.forget(sighting);
    // Thousands of objects would slow the server down.
    await client.request("DELETE", `/apis/batch/v1/namespaces/${NAMESPACE}/jobs/${scenario.name}`, {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: "Background",
    });
  }
}

async function reportOf({ url }: StintController): Promise<ShadowReport> {
  return (await (await fetch(`${url}/debug/shadow`)).json()) as ShadowReport;
}

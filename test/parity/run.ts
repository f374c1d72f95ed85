/** A scenario from beginning to end: played twice at the same time, then compared, and judged by what docs/differences.md allows. */
import type { KubeObject } from "../../cluster/types.ts";
import { type Difference, differencesOf } from "./compare.ts";
import type { Sighting } from "./observer.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { play } from "./play.ts";
import type { Aspect, Scenario } from "./scenario.ts";
import { namespaceOf, type Side, type Theatre } from "./theatre.ts";

/** A takeover: what was combined, waited for or under way was in the memory of a controller that is gone. */
const LOST_IN_A_TAKEOVER: readonly Aspect[] = ["events", "gaps", "order"];
const GANG_COLLECTIONS = ["workloads", "podgroups"];

export interface Result {
  readonly scenario: Scenario;
  readonly seconds: number;
  /** Not excused. */
  readonly differences: readonly Difference[];
  readonly excused: readonly Difference[];
  /** Why there is nothing to compare. */
  readonly problem?: string;
  /** For whoever wants to see more. */
  readonly outcomes?: Readonly<Record<Side, Outcome>>;
}

/** Never rejects: what goes wrong is the result. */
export async function run(theatre: Theatre, scenario: Scenario, namespaces: readonly string[]): Promise<Result> {
  const beganMs = performance.now();
  const seconds = (): number => (performance.now() - beganMs) / 1000;
  try {
    const [upstream, stint] = await Promise.all([playOn(theatre, scenario, "upstream", namespaces), playOn(theatre, scenario, "stint", namespaces)]);
    const found = differencesOf(upstream, stint, scenario.takeover === undefined ? [] : LOST_IN_A_TAKEOVER);
    const excuses = new Set((scenario.differences ?? []).flatMap((difference) => difference.excuses));
    return { scenario, seconds: seconds(), differences: found.filter(({ aspect }) => !excuses.has(aspect)), excused: found.filter(({ aspect }) => excuses.has(aspect)), outcomes: { upstream, stint } };
  } catch (error) {
    return { scenario, seconds: seconds(), differences: [], excused: [], problem: (error as Error).message };
  }
}

async function playOn(theatre: Theatre, scenario: Scenario, side: Side, all: readonly string[]): Promise<Outcome> {
  const namespace = namespaceOf(scenario, side);
  const sighting = theatre.observer.sight(namespace, scenario.name);
  try {
    if (scenario.takeover === undefined || side === "upstream") await play({ scenario, sighting, client: theatre.client });
    else await playTakeover(theatre, scenario, scenario.takeover, sighting, all);
  } catch (error) {
    throw new Error(`${side}: ${(error as Error).message}`, { cause: error });
  }
  return outcomeOf(sighting, scenario.gang ? await gangObjects(theatre, namespace, scenario) : []);
}

async function playTakeover(theatre: Theatre, scenario: Scenario, { from, hold, killWhen }: NonNullable<Scenario["takeover"]>, sighting: Sighting, all: readonly string[]): Promise<void> {
  const confines = { namespaces: [sighting.namespace], all };
  const first = await theatre.startController(from, { ...confines, ...(hold === undefined ? {} : { hold }) });
  const running = [first];
  const takeOver = async (until: (moment: NonNullable<typeof killWhen>) => Promise<void>): Promise<void> => {
    if (killWhen !== undefined) await until(killWhen);
    if (hold !== undefined) await inTime(first.gate!.held, scenario, "a write to be held");
    await first.kill();
    running.push(await theatre.startController(from === "upstream" ? "stint" : "upstream", confines));
  };
  try {
    await play({ scenario, sighting, client: theatre.client, meanwhile: takeOver });
  } finally {
    for (const controller of running) await controller.stop();
  }
}

const MAX_WAIT_FOR_A_WRITE_MS = 60_000;

async function inTime(done: Promise<void>, { name }: Scenario, what: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error(`${name} waited ${MAX_WAIT_FOR_A_WRITE_MS / 1000} s for ${what}`)), MAX_WAIT_FOR_A_WRITE_MS)));
  await Promise.race([done, late]).finally(() => clearTimeout(timer));
}

async function gangObjects({ client }: Theatre, namespace: string, { name }: Scenario): Promise<KubeObject[]> {
  const lists = await Promise.all(GANG_COLLECTIONS.map((plural) => client.succeed<{ kind: string; items: KubeObject[] }>("GET", `/apis/scheduling.k8s.io/v1alpha2/namespaces/${namespace}/${plural}`)));
  return lists.flatMap(({ kind, items }) => items.filter(({ metadata }) => metadata.name.startsWith(`${name}-`) || metadata.name === name).map((item) => ({ ...item, kind: kind.replace(/List$/, "") })));
}

/**
 * A scenario from beginning to end: played twice at the same time, then compared, and judged by what
 * docs/differences.md allows.
 */
import type { KubeObject } from "../../cluster/values/types.ts";
import { changesSeen, excusedOn, unseenChanges } from "./by-version.ts";
import { type Difference, differencesOf } from "./compare.ts";
import type { Sighting } from "./observer.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { Overtaken, play, type PlayOptions } from "./play.ts";
import type { Aspect, Scenario } from "./scenario.ts";
import { namespaceOf, type RunningController, type Side, type Theatre } from "./theatre.ts";

/** A takeover: what was combined, waited for or under way was in the memory of a controller that is gone. */
const LOST_IN_A_TAKEOVER: readonly Aspect[] = ["events", "gaps"];
/** How long a difference may last before it is one. */
const MAX_LATENESS_MS = 60_000;
const COMPARE_INTERVAL_MS = 500;
const GANG_COLLECTIONS = ["workloads", "podgroups"];

export interface Result {
  readonly scenario: Scenario;
  readonly seconds: number;
  /** Not excused. */
  readonly differences: readonly Difference[];
  readonly excused: readonly Difference[];
  /** Why: rows of docs/differences.md, and changes of Kubernetes. */
  readonly excuses: readonly string[];
  /** Why there is nothing to compare. */
  readonly problem?: string;
  /** Details for a reader of the report. */
  readonly outcomes?: Readonly<Record<Side, Outcome>>;
}

/** Never rejects: what goes wrong is the result. */
export async function run(theatre: Theatre, scenario: Scenario, namespaces: readonly string[]): Promise<Result> {
  const beganMs = performance.now();
  const seconds = (): number => (performance.now() - beganMs) / 1000;
  const sightings = { upstream: sightOf(theatre, scenario, "upstream"), stint: sightOf(theatre, scenario, "stint") };
  const own: RunningController[] = [];
  try {
    await Promise.all([
      playOn(theatre, scenario, "upstream", sightings.upstream),
      scenario.takeover === undefined
        ? playOn(theatre, scenario, "stint", sightings.stint)
        : playTakeover(theatre, scenario, sightings.stint, namespaces, own),
    ]);
    const excused = excusedOn(scenario, theatre.kubernetes);
    const compare = async (): Promise<Result> => {
      const outcomes = {
        upstream: await outcomeOn(theatre, scenario, sightings.upstream),
        stint: await outcomeOn(theatre, scenario, sightings.stint),
      };
      const found = differencesOf(
        outcomes.upstream,
        outcomes.stint,
        scenario.takeover === undefined ? [] : LOST_IN_A_TAKEOVER,
      );
      return {
        scenario,
        seconds: seconds(),
        differences: [
          ...found.filter(({ aspect }) => !excused.has(aspect)),
          ...unseenChanges(scenario, theatre.kubernetes, found),
        ],
        excused: found.filter(({ aspect }) => excused.has(aspect)),
        excuses: [...(scenario.differences ?? []).map(({ row }) => row), ...changesSeen(scenario, theatre.kubernetes)],
        outcomes,
      };
    };
    // Events are written last, by a separate queue, which is slow on a busy machine.
    let result = await compare();
    const deadlineMs = performance.now() + MAX_LATENESS_MS;
    while (result.differences.length > 0 && performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, COMPARE_INTERVAL_MS));
      result = await compare();
    }
    return result;
  } catch (error) {
    const { message, cause } = error as Error;
    const result = { scenario, seconds: seconds(), excused: [], excuses: [] };
    // As on a machine that stalls: what should happen in between came too late. A Job that ends too early does so
    // again.
    if (cause instanceof Overtaken) return { ...result, differences: [{ aspect: "order", text: message }] };
    return { ...result, differences: [], problem: message };
  } finally {
    for (const controller of own) await controller.stop();
  }
}

const sightOf = (theatre: Theatre, scenario: Scenario, side: Side): Sighting =>
  theatre.observer.sight(namespaceOf(scenario, side), scenario.name);

async function outcomeOn(theatre: Theatre, scenario: Scenario, sighting: Sighting): Promise<Outcome> {
  return outcomeOf(sighting, scenario.gang ? await gangObjects(theatre, sighting.namespace, scenario) : []);
}

async function playOn(
  { client, kubernetes }: Theatre,
  scenario: Scenario,
  side: Side,
  sighting: Sighting,
  meanwhile?: PlayOptions["meanwhile"],
): Promise<void> {
  try {
    await play({ scenario, sighting, client, kubernetes, side, ...(meanwhile === undefined ? {} : { meanwhile }) });
  } catch (error) {
    throw new Error(`${side}: ${(error as Error).message}`, { cause: error });
  }
}

/** @param running gets the controllers that are started; they are the caller's to stop */
async function playTakeover(
  theatre: Theatre,
  scenario: Scenario,
  sighting: Sighting,
  all: readonly string[],
  running: RunningController[],
): Promise<void> {
  const { from, hold, killWhen, killAfterMs } = scenario.takeover!;
  const confines = { namespaces: [sighting.namespace], all };
  const first = await theatre.startController(from, { ...confines, ...(hold === undefined ? {} : { hold }) });
  running.push(first);
  await playOn(theatre, scenario, "stint", sighting, async (until) => {
    if (killWhen !== undefined) await until(killWhen);
    if (hold !== undefined) await inTime(first.gate!.held, scenario, "a write to be held");
    if (killAfterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, killAfterMs));
    await first.kill();
    running.push(await theatre.startController(from === "upstream" ? "stint" : "upstream", confines));
  });
}

const MAX_WAIT_FOR_A_WRITE_MS = 60_000;

async function inTime(done: Promise<void>, { name }: Scenario, what: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>(
    (_, reject) =>
      (timer = setTimeout(
        () => reject(new Error(`${name} waited ${MAX_WAIT_FOR_A_WRITE_MS / 1000} s for ${what}`)),
        MAX_WAIT_FOR_A_WRITE_MS,
      )),
  );
  await Promise.race([done, late]).finally(() => clearTimeout(timer));
}

async function gangObjects({ client }: Theatre, namespace: string, { name }: Scenario): Promise<KubeObject[]> {
  const lists = await Promise.all(
    GANG_COLLECTIONS.map((plural) =>
      client.succeed<{ kind: string; items: KubeObject[] }>(
        "GET",
        `/apis/scheduling.k8s.io/v1beta1/namespaces/${namespace}/${plural}`,
      ),
    ),
  );
  return lists.flatMap(({ kind, items }) =>
    items
      .filter(({ metadata }) => metadata.name.startsWith(`${name}-`) || metadata.name === name)
      .map((item) => ({ ...item, kind: kind.replace(/List$/, "") })),
  );
}

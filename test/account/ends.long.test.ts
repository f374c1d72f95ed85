/**
 * Every kill has a name: pods end in known ways in the embedded cluster, and `account` says of each of them who ended
 * it. Wrong is worse than Unknown, and neither may come from these ways, but for the one that shows no cause.
 */
import { expect, test } from "vitest";
import type { AccountQuestion } from "../../bindings/js/engine.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { newEngine } from "../bindings/js/vector-files.ts";
import { Chance } from "../simulation/chance.ts";
import { tries } from "../tries.ts";
import { JOB, type Shape, type Way, ways } from "./ways.ts";
import { World } from "./world.ts";

/** Of each way: with all tries, about 5,000 pods. */
const RUNS = tries(120, 5);
const MAX_STEPS = 20;
const engine = await newEngine();

interface Labelled {
  readonly wanted: string;
  readonly said: string | null;
  readonly sentence: string;
}

/** Plays one way whole. @returns each pod with a known end */
async function play(way: Way, seed: number): Promise<Labelled[]> {
  const chance = new Chance(seed, way.name);
  const shape: Shape = {
    sidecar: chance.isHit(0.4),
    init: chance.isHit(0.3),
    restartPolicy: chance.pick(["Never", "OnFailure"]),
  };
  const world = await World.create(["n1", "n2"], seed);
  try {
    world.create({ name: JOB, spec: way.spec(shape, chance) });
    world.pass(7000);
    const running = world
      .podsOf(JOB)
      .filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === "Running");
    const truth = way.act(world, running, chance);
    for (let step = 0; step < MAX_STEPS; step++) world.pass(5000);
    const pods = world.podsOf(JOB);
    const question: AccountQuestion = { job: world.job(JOB), pods, events: world.events() };
    const { attempts } = engine.account(question, world.clock.now());
    return pods.flatMap((pod) => {
      const wanted = isOver(pod) ? truth(pod) : undefined;
      const attempt = attempts.find(({ uid }) => uid === pod.metadata.uid)!;
      return wanted === undefined ? [] : [{ wanted, said: attempt.endedBy, sentence: attempt.sentence }];
    });
  } finally {
    world.stop();
  }
}

function isOver({ metadata, status }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === "Failed" || status?.phase === "Succeeded";
}

test.each(ways.map((way) => [way.name, way] as const))(
  "pods that %s",
  async (_name, way) => {
    const labelled: Labelled[] = [];
    for (let seed = 1; seed <= RUNS; seed++) labelled.push(...(await play(way, seed)));
    expect(labelled.length).toBeGreaterThanOrEqual(RUNS);
    expect(labelled.filter(({ wanted, said }) => said !== wanted)).toEqual([]);
  },
  600_000,
);

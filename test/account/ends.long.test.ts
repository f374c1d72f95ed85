/**
 * Every kill has a name: pods end in known ways in the embedded cluster, and `account` says of each of them who ended
 * it.
 */
import { expect, test } from "vitest";
import { newEngine } from "../bindings/js/vector-files.ts";
import { tries } from "../tries.ts";
import { drawn, label, type Labelled, misnamed } from "./labels.ts";
import { JOB, type Way } from "./way.ts";
import { ways } from "./ways.ts";
import { World } from "./world.ts";

/** Of each way. */
const RUNS = tries(120, 5);
const MAX_STEPS = 20;
const engine = await newEngine();

/** Plays one way whole. @returns each pod with a known end */
async function play(way: Way, seed: number): Promise<Labelled[]> {
  const { chance, shape } = drawn(way, seed);
  const world = await World.create(["n1", "n2"], seed);
  try {
    world.create({ name: JOB, spec: way.spec(shape, chance) });
    world.pass(7000);
    const truth = "truth" in way ? way.truth : way.act(world, world.livingPods(JOB, way.phase), chance);
    for (let step = 0; step < MAX_STEPS; step++) world.pass(5000);
    const question = { job: world.job(JOB), pods: world.podsOf(JOB), events: world.events() };
    return label(engine, question, truth, world.clock.now());
  } finally {
    world.stop();
  }
}

test.each(ways.map((way) => [way.name, way] as const))(
  "pods that %s",
  async (_name, way) => {
    const labelled: Labelled[] = [];
    for (let seed = 1; seed <= RUNS; seed++) labelled.push(...(await play(way, seed)));
    expect(labelled.length).toBeGreaterThanOrEqual(RUNS);
    expect(misnamed(labelled)).toEqual([]);
  },
  600_000,
);

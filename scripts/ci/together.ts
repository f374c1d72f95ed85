/**
 * Runs stages at the same time where the machine has processors for them: many stages wait for timers and servers most
 * of the time.
 *
 * Invariant: a stage begins after those that it needs have ended, and while the stages that run keep no more processors
 * busy than there are. One that needs more than that runs alone. No stage overtakes one that waits for processors, so
 * that a large stage is not put off by small ones. Leaves out how a stage is run.
 */
import type { CiStage } from "./stages.ts";

/** What decides when a stage may begin. */
export type Placed = Pick<CiStage, "name" | "cores" | "after">;

/**
 * The stages that may begin now, in their order.
 * @param left those that have not begun
 * @param running those that have begun, and not ended
 */
export function beginning<T extends Placed>(left: readonly T[], running: readonly T[], processors: number): T[] {
  const unfinished = new Set([...left, ...running].map(({ name }) => name));
  const begun: T[] = [];
  for (const stage of left) {
    if ((stage.after ?? []).some((name) => unfinished.has(name))) continue;
    const busy = [...running, ...begun].reduce((sum, { cores }) => sum + cores, 0);
    if (busy > 0 && busy + stage.cores > processors) break;
    begun.push(stage);
  }
  return begun;
}

/**
 * The stages with these names and those that they need, directly or through others, in the order of the list. Without
 * names: all.
 */
export function withNeeded<T extends Placed>(stages: readonly T[], names: readonly string[]): readonly T[] {
  if (names.length === 0) return stages;
  const wanted = new Set(names);
  // A set is walked with what is added meanwhile.
  for (const name of wanted)
    for (const needed of stages.find((stage) => stage.name === name)?.after ?? []) wanted.add(needed);
  return stages.filter(({ name }) => wanted.has(name));
}

/**
 * Runs all stages.
 *
 * @param run resolves when the stage has ended
 * @throws Error naming the stages that are left when each of them needs another one of them
 */
export async function runTogether<T extends Placed>(
  stages: readonly T[],
  processors: number,
  run: (stage: T) => Promise<void>,
): Promise<void> {
  let left = stages;
  const running = new Map<T, Promise<T>>();
  while (left.length > 0 || running.size > 0) {
    for (const stage of beginning(left, [...running.keys()], processors))
      running.set(
        stage,
        run(stage).then(() => stage),
      );
    left = left.filter((stage) => !running.has(stage));
    if (running.size === 0)
      throw new Error(`nothing can begin: ${left.map(({ name, after }) => `${name} (after ${after})`).join(", ")}`);
    running.delete(await Promise.race(running.values()));
  }
}

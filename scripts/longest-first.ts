/**
 * The order of the test files: the longest first, so that all workers end at about the same time. Vitest knows how long
 * a file took when it last ran here. On a fresh clone it only knows the sizes, which say little, so this file names the
 * longest. Files with a separate process come before those that share one, because a shared process ends when another
 * kind is next. With `--sequence.shuffle` the order is by chance, from `--sequence.seed`.
 */
import { createHash } from "node:crypto";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** From the root of the repository. */
export const LONGEST = [
  "test/simulation/simulation.long.test.ts",
  "test/documents/console-blocks.e2e.test.ts",
  "test/host-browser/browser/access.e2e.test.ts",
  "test/host-browser/browser/lessons.e2e.test.ts",
  "test/host-node/cli/sandbox.e2e.test.ts",
  "test/host-node/cli/run.e2e.test.ts",
  "test/host-node/examples-kubectl.e2e.test.ts",
  "test/host-node/controller/controller-process.e2e.test.ts",
  "test/host-node/cli/transcripts/transcripts.e2e.test.ts",
  "test/cluster/apiserver/stalls.test.ts",
  "test/incidents/incidents.test.ts",
  "test/bindings/js/save-restore.long.test.ts",
  "test/kubernetes/jobset/jobset.test.ts",
  "test/kubernetes/soak/hard-times.test.ts",
  "test/kubernetes/shadow.test.ts",
  "test/kubernetes/doctor.test.ts",
  "test/kubernetes/disturbed-pods.test.ts",
] as const;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { shuffle, seed } = this.ctx.config.sequence;
    const chance = new Map(sorted.map(({ moduleId }) => [moduleId, sha256(`${seed}:${moduleId}`)]));
    const byChance = (a: TestSpecification, b: TestSpecification): number =>
      chance.get(a.moduleId)!.localeCompare(chance.get(b.moduleId)!);
    const byLength = (a: TestSpecification, b: TestSpecification): number => rankOf(a) - rankOf(b);
    return sorted.toSorted((a, b) => sharing(a) - sharing(b) || (shuffle ? byChance(a, b) : byLength(a, b)));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
  return rank < 0 ? LONGEST.length : rank;
}

function sharing({ project }: TestSpecification): number {
  return project.config.isolate ? 0 : 1;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * The order of the test files: the longest first, so that all workers end at about the same time. Vitest knows how long
 * a file took when it last ran here. On a fresh clone it only knows the sizes, which say little, so this file names the
 * longest.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** From the root of the repository. */
export const LONGEST = [
  "test/simulation/simulation.test.ts",
  "test/host-browser/browser/access.test.ts",
  "test/host-browser/browser/lessons.test.ts",
  "test/host-node/cli/sandbox.test.ts",
  "test/host-node/cli/run.test.ts",
  "test/host-node/examples-kubectl.test.ts",
  "test/host-node/controller/controller-replica.test.ts",
  "test/host-node/cli/why.test.ts",
  "test/cluster/apiserver/stalls.test.ts",
  "test/bindings/js/save-restore.test.ts",
] as const;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
      return rank < 0 ? LONGEST.length : rank;
    };
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

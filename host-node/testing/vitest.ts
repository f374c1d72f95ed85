/**
 * The export `@stint-dev/stint/testing/vitest`: importing it gives vitest's `expect` the matchers, and lets failed
 * tests leave their recordings. `test` has the fixture `cluster`.
 *
 * Invariant: it is the only file that imports vitest, so only users of this export need that package.
 */
import { afterEach, expect, test as base } from "vitest";
import type { TestClusterOptions } from "./cluster-core.ts";
import { reportFailure } from "./failure-report.ts";
import { takeClusters, watchTests } from "./live-clusters.ts";
import { type JobMatchers, matchers } from "./matchers.ts";
import { startCluster } from "./start-cluster.ts";
import type { TestCluster } from "./test-cluster.ts";

// vitest's own Matchers has other type parameters in vitest 5 than in vitest 4; the result of expect has these in both.
declare global {
  namespace Chai {
    interface Assertion extends JobMatchers<void> {}
  }
}

expect.extend(matchers);
watchTests();
afterEach(({ task }) => {
  const clusters = takeClusters();
  if (task.result?.state !== "fail") return;
  for (const cluster of clusters) for (const line of reportFailure(cluster, task.name)) console.error(line);
});

export interface ClusterFixtures {
  /** The options of `startCluster`; `test.extend({ clusterOptions: {…} })` gives others. */
  readonly clusterOptions: TestClusterOptions;
  /** Started for each test, and stopped after it. */
  readonly cluster: TestCluster;
}

/** vitest's `test`, with a cluster. */
export const test = base.extend<ClusterFixtures>({
  clusterOptions: {},
  cluster: async ({ clusterOptions }, use) => {
    const cluster = await startCluster(clusterOptions);
    await use(cluster);
    await cluster.stop();
  },
});

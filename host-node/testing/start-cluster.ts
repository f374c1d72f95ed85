/** Starts a cluster of a test, and keeps it among those in which matchers look for a Job until it is stopped. */
import { createCore, type TestClusterOptions } from "./cluster-core.ts";
import { forget, remember } from "./live-clusters.ts";
import { TestCluster } from "./test-cluster.ts";

/** Starts a cluster, on virtual time unless the options say otherwise. @throws ControlError 400 */
export async function startCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const cluster = new TestCluster(await createCore(options), forget);
  await cluster.settle();
  remember(cluster);
  return cluster;
}

/** The clusters of this process that run, in which matchers look for a Job; and those that a test has stopped. */
import type { TestCluster } from "./test-cluster.ts";

const live = new Set<TestCluster>();
/** Started since the last test ended. Undefined: they are not collected. */
let ofThisTest: TestCluster[] | undefined;

export function remember(cluster: TestCluster): void {
  live.add(cluster);
  ofThisTest?.push(cluster);
}

export function forget(cluster: TestCluster): void {
  live.delete(cluster);
}

/** The latest first. */
export function liveClusters(): readonly TestCluster[] {
  return [...live].reverse();
}

/** From now on stopped clusters stay known, until {@link takeClusters} is called after each test. */
export function watchTests(): void {
  ofThisTest ??= [];
}

/** A test has ended. @returns the clusters that it used: running ones, and those that it has stopped */
export function takeClusters(): readonly TestCluster[] {
  const taken = new Set([...live, ...(ofThisTest ?? [])]);
  if (ofThisTest !== undefined) ofThisTest = [];
  return [...taken];
}

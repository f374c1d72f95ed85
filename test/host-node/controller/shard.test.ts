/** Which namespaces are in which shard, as upstream's hash says, and what is asked for. */
import { describe, expect, it } from "vitest";
import { isInShard, optionalShard, shardSelectorOf, shardText } from "../../../host-node/controller/shard.ts";
import { sourcesOf } from "../../../host-node/controller/sources.ts";

const shards = (count: number): { index: number; count: number }[] =>
  Array.from({ length: count }, (_, index) => ({ index, count }));

/** The selectors that apimachinery's documentation of ListOptions shows, with the field of namespaces. */
const SELECTORS: readonly (readonly [index: number, count: number, range: string])[] = [
  [0, 2, "'0x0000000000000000', '0x8000000000000000'"],
  [1, 2, "'0x8000000000000000', '0x10000000000000000'"],
  [0, 4, "'0x0000000000000000', '0x4000000000000000'"],
  [3, 4, "'0xc000000000000000', '0x10000000000000000'"],
  [2, 3, "'0xaaaaaaaaaaaaaaaa', '0x10000000000000000'"],
];

describe("a shard", () => {
  it.each(SELECTORS)("%i of %i is a range of hashes", (index, count, range) => {
    expect(shardSelectorOf({ index, count })).toBe(`shardRange(object.metadata.namespace, ${range})`);
  });

  // Values of FNV-1a from its authors' test suite.
  it.each<[string, bigint]>([
    ["", 0xcbf29ce484222325n],
    ["a", 0xaf63dc4c8601ec8cn],
    ["foobar", 0x85944171f73967e8n],
    ["chongo was here!\n", 0x46810940eff5f915n],
  ])("has what upstream's hash of %j says", (namespace, hash) => {
    const index = Number(hash >> 56n);
    expect(shards(256).filter((shard) => isInShard(shard, namespace))).toEqual([{ index, count: 256 }]);
  });

  it("shares every namespace with no other", () => {
    const namespaces = Array.from({ length: 500 }, (_, index) => `${index}-of-a-team`);
    for (const count of [2, 3, 7, 256])
      for (const namespace of namespaces)
        expect(shards(count).filter((shard) => isInShard(shard, namespace))).toHaveLength(1);
  });

  it("is shown as it was given", () => {
    expect(optionalShard.show(optionalShard.parse("3/16"))).toBe("3/16");
    expect(shardText({ index: 3, count: 16 })).toBe("shard 3 of 16");
  });

  it("is asked for in each list and watch, beside other selectors", () => {
    const selector =
      "shardSelector=shardRange(object.metadata.namespace%2C%20'0x8000000000000000'%2C%20'0x10000000000000000')";
    const watched = { namespaces: [], gangScheduling: true, shard: { index: 1, count: 2 } };
    expect(sourcesOf({ ...watched, allPods: false }).map(({ path }) => path)).toEqual([
      `/apis/batch/v1/jobs?${selector}`,
      `/api/v1/pods?labelSelector=batch.kubernetes.io%2Fcontroller-uid&${selector}`,
      `/apis/scheduling.k8s.io/v1beta1/workloads?${selector}`,
      `/apis/scheduling.k8s.io/v1beta1/podgroups?${selector}`,
    ]);
    expect(sourcesOf({ ...watched, allPods: true })[1]!.path).toBe(`/api/v1/pods?${selector}`);
    expect(sourcesOf({ ...watched, allPods: true, shard: undefined })[0]!.path).toBe("/apis/batch/v1/jobs");
  });
});

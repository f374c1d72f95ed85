/** Who hears of a write, and when: no client before it is on the disk. */
import { describe, expect, test } from "vitest";
import type { Change } from "../../../host-node/data/database.ts";
import { DurableWrites } from "../../../host-node/data/durable-writes.ts";
import { Harness } from "../../cluster/apiserver/harness.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

/** A cluster whose writes are committed when the test says that the turn is over. */
function world({ fails = false } = {}) {
  const harness = new Harness();
  const turns: (() => void)[] = [];
  const commits: (readonly Change[])[] = [];
  const failures: Error[] = [];
  const writes = new DurableWrites({
    commit: (changes) => {
      if (fails) throw new Error("no space");
      commits.push([...changes]);
    },
    soon: (callback) => turns.push(callback),
    onFailure: (error) => failures.push(error),
  });
  harness.cluster.observe(writes.take);
  const endTurn = (): void => turns.splice(0).forEach((callback) => callback());
  return { harness, writes, commits, failures, endTurn };
}

describe("durable writes", () => {
  test("of one turn are one commit, with the latest version of each object", () => {
    const { harness, commits, endTurn } = world();
    const a = harness.post(MAPS, { metadata: { name: "a" } }).body;
    harness.post(MAPS, { metadata: { name: "b" } });
    const changed = harness.merge(`${MAPS}/a`, { data: { x: "y" } });
    harness.delete(`${MAPS}/b`);
    endTurn();
    expect(commits).toHaveLength(1);
    expect(commits[0]).toEqual([
      {
        resource: "configmaps",
        key: "default/a",
        revision: Number(a.metadata.resourceVersion) + 2,
        text: changed.text.trim(),
      },
      { resource: "configmaps", key: "default/b", revision: expect.any(Number), text: undefined },
    ]);
    endTurn();
    expect(commits).toHaveLength(1);
  });

  test("let go who waits, in order, once they are on the disk; and at once when there is nothing to write", () => {
    const { harness, writes, endTurn } = world();
    const heard: string[] = [];
    writes.after(() => heard.push("nothing"));
    expect(heard).toEqual(["nothing"]);
    harness.post(MAPS, { metadata: { name: "a" } });
    expect(writes.isPending).toBe(true);
    writes.after(() => heard.push("a"));
    writes.after(() => heard.push("b"));
    expect(heard).toEqual(["nothing"]);
    endTurn();
    expect(heard).toEqual(["nothing", "a", "b"]);
    expect(writes.isPending).toBe(false);
  });

  test("that fail are reported once, and no waiting or later request is answered", () => {
    const { harness, writes, failures, endTurn } = world({ fails: true });
    const heard: string[] = [];
    harness.post(MAPS, { metadata: { name: "a" } });
    writes.after(() => heard.push("a"));
    endTurn();
    writes.commit();
    writes.after(() => heard.push("b"));
    expect(failures.map(({ message }) => message)).toEqual(["no space"]);
    expect(heard).toEqual([]);
  });
});

/** hostPath volumes: what one may bring about for another, and what root's containers cannot reach. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hostPathProblem, mayBring } from "../../../host-node/runtime/host-paths.ts";

describe("mayBring", () => {
  it.each([
    ["what it makes", { path: "/srv/a", type: "DirectoryOrCreate" }, "/srv/a", true],
    ["the folders above what it makes", { path: "/srv/a/b/", type: "DirectoryOrCreate" }, "/srv/a/", true],
    ["what a container writes into it", { path: "/srv/", type: "Directory" }, "/srv/a", true],
    ["itself, which it waits for", { path: "/srv/a" }, "/srv/a/", false],
    ["another place", { path: "/srv/ab", type: "FileOrCreate" }, "/srv/a", false],
  ])("%s", (_what, first, path, expected) => {
    expect(mayBring(first, { path })).toBe(expected);
  });
});

describe("hostPathProblem, of root's containers, which run as another user", () => {
  const closed = join(mkdtempSync(join(tmpdir(), "stint-host-paths-")), "closed");
  mkdirSync(closed);
  chmodSync(closed, 0o700);
  afterAll(() => rmSync(join(closed, ".."), { recursive: true }));
  const other = { uid: 0x70000001, gid: 0x70000001 };

  it.each(["", "Directory", "DirectoryOrCreate"])("%s: a folder that it may not read", (type) => {
    expect(hostPathProblem({ path: closed, type }, other)?.why).toMatch(
      / containers of root run as another user, who may not read it or a folder above it$/,
    );
    expect(hostPathProblem({ path: closed, type }, undefined)).toBe(undefined);
  });

  it("a path to create in such a folder", () => {
    expect(hostPathProblem({ path: join(closed, "a/b"), type: "DirectoryOrCreate" }, other)?.why).toMatch(
      / containers of root run as another user,/,
    );
    expect(hostPathProblem({ path: join(closed, "a/b"), type: "DirectoryOrCreate" }, undefined)).toBe(undefined);
  });
});

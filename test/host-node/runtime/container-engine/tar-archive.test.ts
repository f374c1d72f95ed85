/** Archives, as tar of this machine reads them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tarArchive } from "../../../../host-node/runtime/container-engine/tar-archive.ts";

test("folders and files come out as they went in, also with long names", () => {
  const folder = mkdtempSync(join(tmpdir(), "tar-archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const names = ["short", ...[99, 100, 101, 250].map((length) => "ü".padEnd(length - 1, "n"))];
  const archive = tarArchive([
    { path: "files", mode: 0o750 },
    ...names.map((name) => ({ path: `files/${name}`, mode: 0o640, bytes: Buffer.from(`content of ${name}`) })),
    { path: "files/empty", mode: 0o600, bytes: Buffer.alloc(0) },
    { path: "files/block", mode: 0o600, bytes: Buffer.alloc(512, "x") },
  ]);
  execFileSync("tar", ["-xpf", "-", "-C", folder, "--no-same-owner"], { input: archive });
  expect(statSync(join(folder, "files")).mode & 0o7777).toBe(0o750);
  for (const name of names) {
    expect(readFileSync(join(folder, "files", name), "utf8")).toBe(`content of ${name}`);
    expect(statSync(join(folder, "files", name)).mode & 0o7777).toBe(0o640);
  }
  expect(readFileSync(join(folder, "files/empty")).length).toBe(0);
  expect(readFileSync(join(folder, "files/block"), "utf8")).toBe("x".repeat(512));
});

test("a file has the group that was asked for", () => {
  const archive = tarArchive([{ path: "a", mode: 0o2770, groupId: 777 }]);
  const listed = execFileSync("tar", ["-tvf", "-", "--numeric-owner"], { input: archive }).toString();
  expect(listed).toMatch(/^drwxrws--- 0\/777 +0 .* a\/\n$/);
});

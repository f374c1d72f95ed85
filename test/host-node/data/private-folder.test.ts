/** Which folders are taken for data: none into which others may write. */
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { makePrivateFolder, problemOfFolder } from "../../../host-node/data/private-folder.ts";
import { newPath, openFolder } from "./folders.ts";

test("a new folder is this user's alone", () => {
  const path = newPath();
  makePrivateFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test("a folder that others may write to is refused, and nothing is put there", async () => {
  for (const mode of [0o777, 0o1777, 0o770]) {
    const path = newPath();
    mkdirSync(path);
    chmodSync(path, mode);
    const octal = (mode & 0o777).toString(8).padStart(4, "0");
    await expect(openFolder(path)).rejects.toThrow(
      `the data folder ${path} has mode ${octal}, so other users could replace what is in it; close it with chmod go-w`,
    );
    chmodSync(path, 0o755);
    await openFolder(path);
  }
});

test("a folder of another user is refused, but for root's", () => {
  const mode = 0o700;
  expect(problemOfFolder({ uid: 1001, mode }, 1000)).toMatch(/^belongs to another user \(1001; this is 1000\)/);
  expect(problemOfFolder({ uid: 1001, mode }, 0)).toMatch(/^belongs to another user/);
  expect(problemOfFolder({ uid: 1000, mode }, 1000)).toBeUndefined();
  expect(problemOfFolder({ uid: 0, mode: 0o755 }, 1000)).toBeUndefined();
});

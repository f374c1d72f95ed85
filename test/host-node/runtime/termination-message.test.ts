/** What is read of the file in which a container leaves its termination message. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { withTerminationMessage } from "../../../host-node/runtime/termination-message.ts";

const folder = mkdtempSync(path.join(tmpdir(), "stint-message-"));
const file = path.join(folder, "message");
const EXIT = { exitCode: 1 };
afterAll(() => rmSync(folder, { recursive: true }));

test("a message goes with the exit, and without one the exit stays as it is", async () => {
  writeFileSync(file, "the disk is full");
  expect(await withTerminationMessage(EXIT, file)).toEqual({ exitCode: 1, message: "the disk is full" });
  writeFileSync(file, "");
  expect(await withTerminationMessage(EXIT, file)).toEqual(EXIT);
  expect(await withTerminationMessage(EXIT, undefined)).toEqual(EXIT);
  expect(await withTerminationMessage(EXIT, path.join(folder, "absent"))).toEqual(EXIT);
});

test("a termination message of a file that is too large is its beginning", async () => {
  writeFileSync(file, "x".repeat(5000));
  truncateSync(file, 2 ** 40);
  expect((await withTerminationMessage(EXIT, file)).message).toBe("x".repeat(4096));
});

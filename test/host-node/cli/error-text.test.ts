/** What is said of an error that ends a command: harmless for a terminal, with the lines that it is meant to have. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { errorText } from "../../../host-node/cli/exit-status.ts";
import { main } from "./checked-main.ts";
import { MachineError, UsageError } from "../../../host-node/usage-error.ts";
import { RecordingConsole } from "./recording-console.ts";

const EVIL = "e\u001b]52;c;aGk=\u0007\u009b2J\u202e\rx";
const HARMLESS = "e^[]52;c;aGk=^G\\u009b2J\\u202e^Mx";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "stint-error-text-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

it.each([
  ["a mistake of the user", new UsageError(`${EVIL} is wrong.\nAsk for help.`), 2, "Ask for help."],
  ["a refusal of the machine", new MachineError(`${EVIL} is wrong.\nAsk for help.`), 74, "Ask for help."],
])("the text of an error makes the message of %s harmless, and keeps its lines", (_what, error, exitStatus, advice) => {
  expect(errorText(error)).toEqual({ text: `stint: ${HARMLESS} is wrong.\n${advice}\n`, exitStatus });
});

it("the text of an error makes the path in an error of the machine harmless", () => {
  const error = Object.assign(new Error(`write ${EVIL}`), { code: "ENOSPC" });
  expect(errorText(error)).toEqual({
    text: `stint: no space is left on the device (write ${HARMLESS})\n`,
    exitStatus: 74,
  });
});

it("the text of an error makes the message and the stack of a bug harmless", () => {
  const { text, exitStatus } = errorText(new Error(EVIL));
  expect(text.startsWith(`stint: this is a bug: Error: ${HARMLESS}\n    at `)).toBe(true);
  expect(exitStatus).toBe(1);
});

it.each([
  ["a command", [EVIL]],
  ["an option", ["run", `--${EVIL}`]],
  ["a value", ["run", "--runtime", EVIL]],
  ["a file", ["run", EVIL]],
  ["a name", ["why", EVIL]],
])("stint writes no control character of %s to standard error", async (_what, args) => {
  const console = new RecordingConsole(directory);
  expect(await main(args, "0.0.0", console)).toBe(2);
  expect(console.err).not.toBe("");
  expect(console.err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
});

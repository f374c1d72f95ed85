/**
 * The examples of every --help, run in their order as a user types them: none is refused as bad usage, and none needs
 * what is not there. help-setting.ts says what a user has before, and which examples are not run.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasKubectl } from "../host-node/kubectl.ts";
import { hasBubblewrap } from "../host-node/runtime/bubblewrap-here.ts";
import { ConsoleSession } from "./console-session.ts";
import { BEFORE, FILES, NOT_RUN, SETTINGS } from "./help-setting.ts";

const folder = path.resolve(import.meta.dirname, "../host-node/cli/usage/help");
const TIMEOUT_MS = 120_000;
/** They go on until they are ended, as by Ctrl-C. */
const GOES_ON = /^stint (serve|controller|webhook)\b|--(watch|follow|serve)\b/;
const PATIENCE_SECONDS = 2;
/** Success; a finding, or a Job that failed; Ctrl-C. */
const GOOD = [0, 1, 130];

/** The lines under `Examples:` that are commands: remarks and output are indented further, or follow an empty line. */
function examplesOf(help: string): readonly string[] {
  const [, text = ""] = help.split("\nExamples:\n");
  const [block = ""] = text.split("\n\n");
  return block.split("\n").flatMap((line) => (/^ {2}\S/.test(line) ? [line.trim()] : []));
}

const commands = readdirSync(folder).map((file) => path.basename(file, ".txt"));

describe.skipIf(!hasBubblewrap || !hasKubectl).each(commands)("the examples of %s", (command) => {
  const examples = examplesOf(readFileSync(path.join(folder, `${command}.txt`), "utf8"));
  let session: ConsoleSession;
  beforeAll(async () => {
    session = new ConsoleSession();
    await session.prepare(`${FILES}\n${SETTINGS[command] ?? ""}`);
  }, TIMEOUT_MS);
  afterAll(() => session.stop());

  test("are two at least", () => {
    expect(examples.length).toBeGreaterThan(1);
  });

  for (const example of examples)
    test.skipIf(example in NOT_RUN)(example, { timeout: TIMEOUT_MS }, async () => {
      if (example in BEFORE) await session.prepare(BEFORE[example]!);
      // A sandbox cannot be made in the session's own.
      const line = example.replace(/stint run (?!--runtime|--no-isolation)/, "stint run --no-isolation ");
      const ended = `timeout --preserve-status --signal=INT ${PATIENCE_SECONDS} ${line}`;
      const { status, output } = await session.outcome(GOES_ON.test(example) ? ended : line);
      expect(GOOD, `status ${status}: ${output}`).toContain(status);
    });
});

test("each example that is not run is one", () => {
  const all = commands.flatMap((command) => examplesOf(readFileSync(path.join(folder, `${command}.txt`), "utf8")));
  expect(Object.keys(NOT_RUN).filter((example) => !all.includes(example))).toEqual([]);
});

/**
 * Every console block of README.md and of the documents, run as a reader would: its commands print what the document
 * says. pages.ts names the few that are not run, and why.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBubblewrap } from "../host-node/runtime/bubblewrap-here.ts";
import { hasKubectl } from "../host-node/kubectl.ts";
import { files, read } from "../tidy/sources.ts";
import { type Command, commandsIn } from "./console-blocks.ts";
import { ConsoleSession } from "./console-session.ts";
import { PAGES, type Special } from "./pages.ts";

const TIMEOUT_MS = 120_000;
const pages = files.filter((file) => file.endsWith(".md") && /^```console$/m.test(read(file)));

interface Step {
  readonly command: Command;
  readonly special: Special | undefined;
}

function stepsOf(page: string): Step[] {
  const left = [...(PAGES[page] ?? [])];
  return commandsIn(page, read(page)).map((command) => {
    const at = left.findIndex((special) => command.text.startsWith(special.command));
    return { command, special: at < 0 ? undefined : left.splice(at, 1)[0] };
  });
}

test("there are pages with console blocks", () => {
  expect(pages).toContain("README.md");
  expect(pages.length).toBeGreaterThan(10);
});

describe.skipIf(!hasBubblewrap || !hasKubectl).each(pages)("%s", (page) => {
  let session: ConsoleSession;

  beforeAll(() => {
    session = new ConsoleSession();
  });
  afterAll(() => session.stop());

  for (const { command, special } of stepsOf(page)) {
    const title = `${command.line}: ${command.text.split("\n", 1)[0]}`;
    test.skipIf(special?.notRun !== undefined)(title, { timeout: TIMEOUT_MS }, async () => {
      if (special?.before !== undefined) await session.prepare(special.before);
      const surprise = await session.surprise(command, special?.anyOrder === undefined);
      if (surprise !== undefined) expect(surprise, `${page}:${command.line}`).toBe(command.output.join("\n"));
    });
  }
});

/** A run that is exported in a real browser: the recording is replayed, and the vector is played by the runner. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { main } from "../../../host-node/cli/program.ts";
import { newEngine } from "../../bindings/js/vector-files.ts";
import { runVector } from "../../bindings/js/vector-runner.ts";
import type { VectorFile } from "../../bindings/js/vector-types.ts";
import { RecordingConsole } from "../../host-node/cli/recording-console.ts";
import { hasChromium } from "./chromium.ts";
import { Site } from "./site.ts";

const TIMEOUT_MS = 120_000;

describe.skipIf(!hasChromium("test/host-browser/browser/export.e2e.test.ts"))("a run", () => {
  const site = new Site();

  test("is exported as a recording and as a vector", { timeout: TIMEOUT_MS }, async () => {
    const opened = await site.open();
    await opened.finished();
    const { page } = opened;
    await page.getByRole("button", { name: "Export" }).press("Enter");
    const save = async (name: RegExp): Promise<string> => {
      const waiting = page.waitForEvent("download");
      await page.getByRole("dialog").getByRole("button", { name }).press("Enter");
      return (await waiting).path();
    };
    const console = new RecordingConsole(site.scratch);
    expect(await main(["replay", await save(/As a recording/)], "0", console), console.err).toBe(0);
    const vector = JSON.parse(readFileSync(await save(/As a vector/), "utf8")) as VectorFile;
    expect(vector.cases[0]!.name).toBe("One piece fails, and is tried again");
    await expect(runVector(vector.cases[0]!, {}, { newEngine })).resolves.toBeUndefined();
  });
});

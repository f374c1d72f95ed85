/** The in-memory API server tells of a history that is gone as a real one did: the answers that were recorded of it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Memory, send } from "../../../kubernetes/differential/ask.ts";
import { play } from "../../../kubernetes/differential/compaction/play.ts";
import { type RunningServer, startOwn } from "../../../kubernetes/differential/two-servers.ts";

const FILE = path.resolve(import.meta.dirname, "../../../kubernetes/differential/compaction/recorded-answers.jsonl");
const ELSEWHERE = "/api/v1/namespaces/default/configmaps";
/** Of each kind. Continuing the pages needs fewer. */
const KEPT_EVENTS = 8;

describe("a history that is gone", () => {
  let own: RunningServer;
  beforeAll(async () => {
    own = await startOwn({ maxHistoryEvents: KEPT_EVENTS });
  });
  afterAll(() => own.stop());

  /** Writes elsewhere push older events out. */
  async function forget(): Promise<void> {
    const memory = new Memory("default");
    for (let count = 0; count < KEPT_EVENTS; count++)
      await send(own, { method: "POST", path: ELSEWHERE, body: { metadata: { generateName: "x-" } } }, memory);
  }

  it("is refused as a real API server refuses it", async () => {
    const lines = readFileSync(FILE, "utf8").trimEnd().split("\n");
    const answers = await play(own, forget);
    expect(answers).toHaveLength(lines.length);
    for (const [index, answer] of answers.entries()) expect(answer).toEqual(JSON.parse(lines[index]!));
  });
});

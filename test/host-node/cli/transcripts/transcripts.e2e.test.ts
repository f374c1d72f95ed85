/**
 * Plays the transcripts of this folder: what `why`, `wait`, `doctor`, `run` and the webhook print, byte for byte. After
 * a change that is meant: `vitest run test/host-node/cli/transcripts --update`, and read the difference.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { Player } from "./play.ts";
import { parseTranscript, transcriptText } from "./transcript.ts";

const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".txt"));

beforeAll(async () => {
  await buildModule("engine");
});

it("the test finds the transcripts", () => {
  expect(names.length).toBeGreaterThan(0);
});

/** What several Jobs do at once comes in the order in which it is known. A title says so. */
function comparable(title: string, text: string): string {
  return title.endsWith("in any order") ? text.split("\n").toSorted().join("\n") : text;
}

describe.each(names)("%s", (name) => {
  const path = join(import.meta.dirname, name);
  const text = readFileSync(path, "utf8");
  const transcript = parseTranscript(name, text);
  const { preparation, sections } = transcript;
  let isUpdate = false;
  /** By title. */
  const played = new Map<string, string>();
  let player: Player;

  beforeAll(async () => {
    player = await Player.start(transcript);
    played.set("", await player.play(preparation));
  });

  afterAll(async () => {
    await player?.stop();
    if (played.size <= sections.length) return;
    if (isUpdate) writeFileSync(path, transcriptText(transcript, played.get("")!, [...played.values()].slice(1)));
    expect(player.unusedMasks, "masks that hide nothing").toEqual([]);
  });

  // Not it.each, which cuts long titles off.
  for (const section of sections) {
    it(section.title, async () => {
      const now = await player.play(section);
      played.set(section.title, now);
      // Only a test knows whether vitest was started with --update.
      isUpdate = expect.getState().snapshotState.snapshotUpdateState === "all";
      if (isUpdate) return;
      expect(played.get("")).toBe(preparation.text);
      expect(comparable(section.title, now)).toBe(comparable(section.title, section.text));
    });
  }

  it(`${name} is written as it was read`, () => {
    const texts = sections.map((section) => section.text);
    expect(transcriptText(transcript, preparation.text, texts)).toBe(text);
  });
});

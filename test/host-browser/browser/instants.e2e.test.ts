/** The past that the page shows is the past that was: fifty instants, each compared with a fresh run to there. */
import { describe, expect, test } from "vitest";
import type { View } from "../../../host-browser/history/view.ts";
import { LESSONS } from "../../../host-browser/catalogue/lessons.ts";
import { seededRandom } from "../../../cluster/values/random.ts";
import { writeAddress } from "../../../host-browser/share/address.ts";
import { hasChromium } from "./chromium.ts";
import { Site } from "./site.ts";

const INSTANTS = 10;
const TIMEOUT_MS = 120_000;

describe.skipIf(!hasChromium("test/host-browser/browser/instants.e2e.test.ts"))("a scrub", () => {
  const site = new Site();

  test.each(["one-fails", "never-or-on-failure", "policies", "restart", "accounting"])(
    `to ${INSTANTS} random instants of %s shows what a fresh run to there shows`,
    { timeout: TIMEOUT_MS },
    async (id) => {
      const lesson = LESSONS.find((other) => other.id === id)!;
      const state = { scenario: lesson.scenario, lesson: id, atMs: 0, panel: "status", engineVersion: "", digest: "" };
      const opened = await site.open(await writeAddress(state, () => Promise.resolve(lesson.scenario)));
      const { page } = opened;
      const { nowMs } = await opened.finished();
      const random = seededRandom(id.length);
      for (let i = 0; i < INSTANTS; i++) {
        const atMs = 1 + Math.floor(random() * (nowMs - 1));
        const view = await page.evaluate<View>(`probe.seek(${atMs})`);
        expect(view.atMs).toBe(atMs);
        expect(view, `${id} at ${atMs} ms`).toEqual(await page.evaluate<View>("probe.freshView()"));
        const sentence = await page.locator(".sentence .says").innerText();
        expect(sentence.toLowerCase()).toBe(view.sentence.toLowerCase());
        expect((await page.locator("#panel").innerText()).replace(/\s+/g, " ")).toContain(
          view.status
            .map(({ text }) => text)
            .join(" ")
            .replace(/\s+/g, " ")
            .trim(),
        );
      }
    },
  );
});

/**
 * Descriptions of Jobs and pods, compared with what kubectl 1.32 printed. Each file of kubectl/ has an object, its
 * Events, the time, and kubectl's text; all came from `stint serve`, one right after the other.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Event, Job, Pod } from "../../../cluster/values/kinds.ts";
import { describeJob } from "../../../host-browser/history/describe/job.ts";
import { describePod } from "../../../host-browser/history/describe/pod.ts";
import { DescribedText } from "../../../host-browser/history/describe/text.ts";

interface Sample {
  readonly nowMs: number;
  readonly text: readonly string[];
  readonly object: Job & Pod;
  readonly events: readonly Event[];
}

const folder = new URL("./kubectl/", import.meta.url);

describe("kubectl's words", () => {
  test.each(readdirSync(folder))("%s", (file) => {
    const { events, nowMs, object, text } = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Sample;
    const described = (file.startsWith("job") ? describeJob : describePod)(object, events.toReversed(), nowMs);
    expect(described.split("\n")).toEqual(text);
  });
});

test("a column is as wide as its widest cell, as long as no line is without it", () => {
  const text = new DescribedText();
  text.line(0, "A:\tb");
  text.line(0, "Longer:\tb\tc");
  text.line(0, "whole");
  text.line(1, "A:\tb");
  expect(text.toString()).toBe("A:       b\nLonger:  b  c\nwhole\n  A:  b\n");
});

/** Two runs side by side, in words; and which of them have a shadow. */
import { describe, expect, test } from "vitest";
import { comparedText } from "../../../host-browser/picture/compared.ts";
import type { Timeline } from "../../../host-browser/picture/timeline.ts";
import { JobPhase, NONE, PodState } from "../../../host-browser/records.ts";
import { viewOf } from "./canvas.ts";
import { Sample } from "./sample.ts";

interface Told {
  readonly endMs?: number;
  readonly phase?: JobPhase;
  readonly failures?: number;
  readonly pods?: number;
  readonly name?: string;
  readonly completions?: number;
}

/** One Job that ends so, after so many failures. */
function runOf({ endMs, phase = JobPhase.COMPLETE, failures = 0, pods = 4, name = "pi", completions }: Told): Timeline {
  const sample = new Sample();
  const job = sample.job(name);
  sample.version(job, 0, JobPhase.RUNNING, completions === undefined ? {} : { completions });
  for (let i = 0; i < pods; i++) {
    const pod = sample.pod(job, completions === undefined ? NONE : i, 0, i, `${name}-${i}`);
    sample.state(pod, 1_000 + i, i < failures ? PodState.FAILED : PodState.SUCCEEDED);
  }
  if (endMs !== undefined) sample.version(job, endMs, phase, completions === undefined ? {} : { completions });
  return sample.timeline(60_000);
}

const { FAILED } = JobPhase;

describe("a run and the one before", () => {
  test.each<[Told, Told, string]>([
    [
      { endMs: 30_000, failures: 1 },
      { endMs: 58_000, failures: 2 },
      "This run ends 28 s earlier, with one failure less.",
    ],
    [{ endMs: 58_000, failures: 3 }, { endMs: 30_000 }, "This run ends 28 s later, with 3 failures more."],
    [{ endMs: 30_000 }, { endMs: 30_000, failures: 2 }, "This run ends at the same time, with 2 failures fewer."],
    [{ endMs: 30_000, pods: 5 }, { endMs: 30_000 }, "This run ends at the same time, with one pod more."],
    [{ endMs: 30_000 }, { endMs: 30_010 }, "This run ends at the same time."],
    [{ endMs: 9_000, phase: FAILED }, { endMs: 30_000 }, "This run fails 21 s earlier; before it completed."],
    [{ endMs: 9_000 }, {}, "This run completes; before it did not end."],
    [{}, { endMs: 9_000, phase: FAILED }, "This run does not end; before it failed."],
    [{}, {}, "This run does not end, as before."],
    [{ name: "a" }, { name: "b" }, ""],
  ])("%j beside %j", (now, before, text) => expect(comparedText(runOf(now), runOf(before))).toBe(text));
});

describe("a shadow", () => {
  test.each<[string, Told, Told, boolean]>([
    ["of the same Job", { completions: 4 }, { completions: 6 }, true],
    ["of pods without indexes", { pods: 4 }, { pods: 90 }, true],
    ["of a Job of another name", { name: "a" }, { name: "b" }, false],
    ["of a Job of quite another size", { completions: 4 }, { completions: 2_500 }, false],
  ])("%s", (_, now, before, isDrawn) => {
    const { view } = viewOf(runOf(now));
    view.setTimeline(runOf(now), runOf(before));
    view.draw();
    expect(view.hasShadow).toBe(isDrawn);
    expect(view.legend().some(({ key }) => key === "ghost")).toBe(isDrawn);
  });
});

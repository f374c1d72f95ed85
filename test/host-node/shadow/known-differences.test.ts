/** The differences that a shadow excuses are those of docs/differences.md, and it excuses nothing else. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Pod } from "../../../cluster/values/kinds.ts";
import { type Finding, TRACKING_FINALIZER } from "../../../host-node/shadow/divergence.ts";
import { KNOWN_DIFFERENCES, knownDifference } from "../../../host-node/shadow/known-differences.ts";
import { Timeline } from "../../../host-node/shadow/timeline.ts";

const DIFFERENCES = readFileSync(resolve(import.meta.dirname, "../../../docs/differences.md"), "utf8");
const DELETION: Finding = { kind: "deletion", atMs: 0, sentence: "", builtIn: null, stint: null, decisions: [] };

describe("known differences", () => {
  it.each(KNOWN_DIFFERENCES)("$row is a row of docs/differences.md", ({ row }) => {
    expect(DIFFERENCES).toContain(`\n| ${row} |`);
  });

  it("name a Job that fails by a pod which had lost its finalizer before it ended", () => {
    const known = (finalizers: readonly string[]): string | undefined => {
      const timeline = new Timeline();
      const metadata = { name: "pi-x", uid: "x", deletionTimestamp: "2026-01-01T00:00:00Z", finalizers };
      timeline.begin("pod", [{ metadata, status: { phase: "Running" } } as unknown as Pod]);
      const message = "Container main for pod team/pi-x failed with exit code 143 matching FailJob rule at index 0";
      const field = "status.conditions[FailureTarget]";
      return knownDifference(
        {
          kind: "end",
          atMs: 0,
          sentence: "",
          decisions: [],
          builtIn: { [field]: { reason: "PodFailurePolicy", message } },
          stint: { [field]: null },
        },
        timeline,
      );
    };
    expect(known([])).toMatch(/^A pod that the controller deleted/);
    expect(known([TRACKING_FINALIZER])).toBeUndefined();
  });

  it("name a surplus pod of an Indexed Job only among more pods than upstream sorts stably", () => {
    const known = (completionMode: string, pods: number): string | undefined => {
      const timeline = new Timeline();
      timeline.begin("job", [{ metadata: {}, spec: { completionMode } } as unknown as Pod]);
      const active = Array.from({ length: pods }, (_, at) => ({ metadata: { uid: `${at}` } }) as Pod);
      timeline.begin("pod", active);
      return knownDifference(DELETION, timeline);
    };
    expect(known("Indexed", 12)).toMatch(/^Surplus pods of an Indexed Job/);
    expect(known("Indexed", 11)).toBeUndefined();
    expect(known("NonIndexed", 12)).toBeUndefined();
  });
});

/**
 * The door as the owner of a failed Job uses it, with some of the incidents of examples/incidents;
 * incidents.long.test.ts has them all.
 */
import { expect, test } from "vitest";
import { compareWithWhy } from "./compare-with-why.ts";
import { open, played, printed } from "./played.ts";

test.each([
  "command-not-found",
  "config-map-key",
  "cron-deadline",
  "deadline-too-short",
  "drain-uses-up-retries",
  "foreign-finalizer",
  "gpu-missing",
  "helper-restarts-always",
  "index-limit",
  "managed-by-typo",
  "memory-limit",
  "policy-refuses-pods",
  "replaced-each-minute",
])("%s: the page says what stint why says", async (name) => {
  expect(await compareWithWhy(name)).toBe(true);
});

test("a limit of memory: the rule, its lines, and the remedy as a change of the manifest", async () => {
  const seen = (await played("memory-limit"))!;
  const [said] = open(printed(seen, "yaml"), seen).jobs;
  expect(said!.why.sentence).toBe("backoffLimit is 2, and 3 pods have failed");
  expect(said!.why.evidence.map(({ field, value }) => `${field}: ${value}`)).toEqual([
    "spec.backoffLimit: 2",
    "spec.template.spec.containers[0].resources.limits.memory: 512Mi",
    "status.conditions[1]: Failed BackoffLimitExceeded",
  ]);
  const { change } = said!.toDo[0]!;
  expect(change!.isOfPods).toBe(true);
  const changed = change!.diff.filter(({ sign }) => sign !== " ").map(({ sign, text }) => sign + text.trim());
  expect(changed.filter((line) => line.includes("memory:"))).toEqual(['-memory: "512Mi"', '+memory: "1024Mi"']);
  // The pods that ran out of memory were simulated, by an annotation. Those of the remedy do not.
  expect(changed.filter((line) => line.startsWith("-"))[1]).toMatch(/^-stint\.dev\/simulate:/);
  expect(change!.yaml).not.toContain("stint.dev/simulate");
});

test("a deadline that is too short: the remedy is of the Job, and not of its pods", async () => {
  const seen = (await played("deadline-too-short"))!;
  const [said] = open(printed(seen, "json"), seen).jobs;
  expect(said!.why.sentence).toBe("activeDeadlineSeconds is 600, and it was ended 10 min after its start");
  expect(said!.toDo[0]!.change).toMatchObject({ isOfPods: false });
});

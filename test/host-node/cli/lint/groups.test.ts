/** Many findings of one rule are one for people, and stay each for programs. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grouped } from "../../../../host-node/cli/output/grouped.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { CommandFolder } from "../command-folder.ts";

const folder = new CommandFolder();
beforeAll(async () => {
  await buildModule("engine");
});
afterAll(() => folder.remove());

const job = (name: string): string =>
  `apiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\nspec:\n  ttlSecondsAfterFinished: 60\n  template:\n    spec: {restartPolicy: Never, hostnameOverride: h, containers: [{name: m, image: i}]}\n`;
const jobs = (count: number): string =>
  folder.file("jobs.yaml", Array.from({ length: count }, (_, i) => job(`j${i}`)).join("---\n"));

it("grouped keeps the order, and what has no kind", () => {
  const findings = ["a1", "x1", "a2", "b1", "a3", "x2", "a4", "x3", "x4"];
  const { single, groups } = grouped(findings, (finding) => (finding.startsWith("x") ? undefined : finding[0]));
  expect(single).toEqual(["x1", "b1", "x2", "x3", "x4"]);
  expect(groups).toEqual([["a1", "a2", "a3", "a4"]]);
});

describe("stint lint", () => {
  it("says once what is so for more than three Jobs", async () => {
    const { exit, out } = await folder.run("lint", jobs(4));
    expect({ exit, out }).toEqual({
      exit: 0,
      out: `warn NoDeadline: 4 Jobs (first: jobs.yaml:4:1); --verbose lists them
  without activeDeadlineSeconds nothing ends the Job when a pod hangs or cannot start
  fix: set activeDeadlineSeconds to the longest time that the Job may take, with its retries
4 warnings: 4 Jobs
`,
    });
  });

  it("lists three, and all with --verbose", async () => {
    expect((await folder.run("lint", jobs(3))).out.match(/^jobs\.yaml:\d+:1: warn NoDeadline: /gm)).toHaveLength(3);
    const { out } = await folder.run("lint", "--verbose", jobs(5));
    expect(out.match(/^jobs\.yaml:\d+:1: warn NoDeadline: /gm)).toHaveLength(5);
  });

  it("never groups what the API server refuses", async () => {
    const text = Array.from({ length: 5 }, (_, i) => job(`j${i}`).replace("ttlSeconds", "ttlSecond")).join("---\n");
    const { out } = await folder.run("lint", folder.file("refused.yaml", text));
    expect(out.match(/^refused\.yaml:\d+:\d+: error Refused: spec\.ttlSecondAfterFinished: /gm)).toHaveLength(5);
  });

  it.each([
    ["json", /"code":"NoDeadline"/g],
    ["github", /^::warning .*title=NoDeadline/gm],
    ["sarif", /"ruleId": "NoDeadline"/g],
    ["junit", /<system-out>.*warn NoDeadline/g],
  ])("keeps each finding as %s", async (format, finding) => {
    expect((await folder.run("lint", "-o", format, jobs(5))).out.match(finding)).toHaveLength(5);
  });
});

it("stint upgrade-check says once what is so for more than three Jobs", async () => {
  const { out } = await folder.run("upgrade-check", "--from", "1.34", jobs(4));
  expect(out).toContain("4 Jobs: hostname-override (first: jobs.yaml:7:34: Job default/j0); --verbose lists them\n");
  expect(out).not.toContain("Job default/j1");
  const verbose = await folder.run("upgrade-check", "--from", "1.34", "--verbose", jobs(4));
  expect(verbose.out.match(/^jobs\.yaml:\d+:34: Job default\/j\d: hostname-override$/gm)).toHaveLength(4);
});

/**
 * The workflows of GitHub have the least privileges: actions are pinned by their commits, which cannot be moved, and
 * each job has its own rights. actionlint checks the rest (test/workflows).
 */
import { expect, test } from "vitest";
import { parse } from "yaml";
import { files, read } from "./sources.ts";

const workflows = files.filter((file) => file.startsWith(".github/workflows/"));
const PINNED = /^\s*(?:- )?uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
const LOCAL = /^\s*uses: \.\//;

const unpinned = (text: string): string[] =>
  text.split("\n").filter((line) => /\buses:/.test(line) && !PINNED.test(line) && !LOCAL.test(line));

interface Job {
  readonly "permissions"?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly "uses"?: string;
}

/** What a workflow leaves open: rights beyond those of a job, and jobs without an end. */
function leftOpen(text: string): string[] {
  const { permissions, jobs } = parse(text) as { permissions?: object; jobs: Readonly<Record<string, Job>> };
  const top = permissions !== undefined && Object.keys(permissions).length === 0 ? [] : ["permissions: is not {}"];
  const ofJobs = Object.entries(jobs).flatMap(([name, job]) => [
    ...(job.permissions === undefined ? [`${name} names no permissions`] : []),
    ...(job["timeout-minutes"] === undefined && job.uses === undefined ? [`${name} has no timeout-minutes`] : []),
  ]);
  return [...top, ...ofJobs];
}

test("there are workflows of CI, of a release and of the site", () => {
  expect(workflows).toEqual(["ci", "release", "site"].map((name) => `.github/workflows/${name}.yml`));
});

test.each(workflows)("%s pins its actions, and gives each job its own rights and an end", (file) => {
  expect(unpinned(read(file))).toEqual([]);
  expect(leftOpen(read(file))).toEqual([]);
});

test("the rule catches an action by its tag, rights for all, and a job without an end", () => {
  expect(unpinned("  - uses: actions/checkout@v5\n")).toHaveLength(1);
  expect(unpinned(`  - uses: actions/checkout@${"a".repeat(40)}\n`)).toHaveLength(1);
  expect(unpinned(`  - uses: actions/checkout@${"a".repeat(40)} # v5.0.0\n`)).toEqual([]);
  expect(leftOpen("permissions: write-all\njobs: { a: {} }")).toEqual([
    "permissions: is not {}",
    "a names no permissions",
    "a has no timeout-minutes",
  ]);
});

test("workflows use no secrets: the registry knows the publisher by the workflow's identity", () => {
  expect(workflows.filter((file) => /\bsecrets\b/.test(read(file).replaceAll(/^\s*#.*$/gm, "")))).toEqual([]);
});

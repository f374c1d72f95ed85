/** The text of kubectl describe job is read as far as it goes: texts of kubectl, and how they end in their Events. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { describedJobs } from "../../../host-browser/door/described-job.ts";
import { openDoor } from "../../../host-browser/door/door.ts";
import { newEngine, toolsOf } from "./played.ts";

const FOLDER = path.resolve(import.meta.dirname, "../history/kubectl");
const read = (name: string) =>
  JSON.parse(readFileSync(path.join(FOLDER, name), "utf8")) as { text: string[]; object: any };
const itemOf = (text: string) => JSON.parse(describedJobs(text)).items[0];

describe("kubectl describe job", () => {
  test.each(["job-indexed.json", "job-pending.json"])("%s has the numbers of the Job", (name) => {
    const { text, object } = read(name);
    const { metadata, spec, status } = itemOf(text.join("\n"));
    expect(metadata).toEqual({ name: object.metadata.name, namespace: object.metadata.namespace });
    for (const field of ["parallelism", "completions", "backoffLimit", "completionMode"])
      expect(spec[field], field).toEqual(object.spec[field]);
    for (const field of ["succeeded", "failed", "active", "startTime", "completedIndexes"])
      expect(status[field] ?? undefined, field).toEqual(object.status[field] || undefined);
    const { containers } = object.spec.template.spec;
    expect(spec.template.spec.containers).toEqual(containers.map(({ name, image }: any) => ({ name, image })));
  });

  test("says by its Events how the Job ended", () => {
    const { text } = read("job-indexed.json");
    const event = "  Warning  BackoffLimitExceeded  1s  job-controller  Job has reached the specified backoff limit";
    const { jobs, notes, yaml } = openDoor([...text, event].join("\n"), toolsOf(newEngine(), Date.parse("2026-11-23")));
    expect(jobs[0]).toMatchObject({ verdict: "Failed" });
    expect(jobs[0]!.what).toContain("Job has reached the specified backoff limit (BackoffLimitExceeded)");
    expect(notes).toEqual([expect.stringContaining("leaves out conditions")]);
    expect(yaml).toContain("image: python");
  });
});

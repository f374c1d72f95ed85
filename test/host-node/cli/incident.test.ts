/** `stint incident`: the list, an incident that is played, its remedy, and its cluster for clients. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../../host-node/cli/program.ts";
import { incidentNames, readIncident } from "../../../host-node/incidents/incident.ts";
import { RecordingConsole } from "./recording-console.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "stint-incident-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

async function stint(...args: string[]): Promise<{ exit: number; out: string; err: string }> {
  const console = new RecordingConsole(directory);
  const exit = await main(["incident", ...args], "0.0.0", console);
  return { exit, out: console.out, err: console.err };
}

describe("stint incident", () => {
  it("lists all of them with what is wrong, in groups", async () => {
    const { exit, out, err } = await stint();
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    for (const name of incidentNames()) expect(out).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
    expect(out.split("\n").filter((line) => /^[A-Z]/.test(line))).toHaveLength(9);
    const { kind, incidents } = JSON.parse((await stint("--output", "json")).out);
    expect([kind, incidents.map(({ name }: { name: string }) => name)]).toEqual(["IncidentList", incidentNames()]);
  });

  it("plays one, and says what Stint makes of it, the cause and the remedy", async () => {
    const { exit, out } = await stint("memory-limit");
    expect(exit).toBe(0);
    expect(out).toMatch(/^job convert {2}Failed$/m);
    expect(out).toContain("was killed for want of memory");
    expect(out).toMatch(/^cause: {3}OutOfMemory\nobject: {2}container ffmpeg\nremedy: {2}Raise the limit/m);
    expect(out.endsWith("try it:  stint incident memory-limit --repaired\n")).toBe(true);
  });

  it("tells of a CronJob, of a Job that is gone, and of one that was refused", async () => {
    expect((await stint("cron-suspended")).out).toContain("cronjob digest  Suspended");
    expect((await stint("job-deleted")).out).toMatch(
      /^job restore is gone\n {2}pod restore-\S+ has failed: .*deleted$/m,
    );
    expect((await stint("quota-of-jobs")).out).toContain("exceeded quota: team-quota");
  });

  it("shows that the remedy helps", async () => {
    const { exit, out } = await stint("no-retry", "--repaired");
    expect(exit).toBe(0);
    expect(out).toContain(`with the remedy: ${readIncident("no-retry").remedy.says}`);
    const { isComplete, ...json } = JSON.parse((await stint("no-retry", "--repaired", "-o", "json")).out);
    expect({ isComplete, name: json.name }).toEqual({ isComplete: true, name: "no-retry" });
    expect(JSON.parse((await stint("no-retry", "-o", "json")).out)).toMatchObject({ isComplete: false });
  });

  it("names those that are near a wrong name", async () => {
    expect(await stint("memry-limit")).toEqual({
      exit: 2,
      out: "",
      err: 'stint: there is no incident "memry-limit"; did you mean memory-limit?\n',
    });
    expect((await stint("drain")).err).toContain("did you mean budget-blocks-drain, drain-uses-up-retries?");
    expect((await stint("../../package")).err).toContain("stint incident lists them");
    expect((await stint("--serve")).err).toContain("name it, as stint incident lists it");
  });

  it("serves the cluster as it is at the end, to stint why", async () => {
    const console = new RecordingConsole(directory);
    const ended = main(["incident", "drain-uses-up-retries", "--serve"], "0.0.0", console);
    await console.outHas("Serving its cluster at");
    const kubeconfig = join(directory, "stint.kubeconfig");
    const asking = new RecordingConsole(directory);
    expect(await main(["why", "train", "--kubeconfig", kubeconfig, "-o", "json"], "0.0.0", asking)).toBe(0);
    expect(JSON.parse(asking.out)).toMatchObject({
      state: "Failed",
      source: "controller",
      lastFailure: { endedBy: "ApiEviction" },
    });
    console.send("SIGINT");
    expect(await ended).toBe(0);
    expect(console.err).toBe("");
  });
});

/** Profiles as files of a folder: what is taken, what is refused where, and what happens when they change. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog, type Log } from "../../../host-node/log.ts";
import { MAX_PROFILES, Profiles } from "../../../host-node/webhook/profiles.ts";

let folder: string;
let lines: Record<string, unknown>[];
let log: Log;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-profiles-"));
  lines = [];
  log = createLog("info", (line) => lines.push(JSON.parse(line) as Record<string, unknown>));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const read = (): Profiles => new Profiles({ folder, log });
const names = (profiles: Profiles): string[] => [...profiles.current.keys()];

describe("a folder of profiles", () => {
  it("has one a file, by its name", () => {
    write("strict.yaml", "rule: [NoDeadline=deny, NoTimeToLive=off]\nmaxPods: 50\nmaxPodHours: 1.5\nmaxDuration: 2h\n");
    write("advise.yml", "forecast: [warning, annotation]\noverBudget: warn\ndisruptions: 3\n");
    write("empty.yaml", "{}");
    write(".hidden", "not: read");
    const { current } = read();
    expect(current.get("strict")).toMatchObject({
      rule: { NoDeadline: "deny", NoTimeToLive: "off" },
      maxPods: 50,
      maxPodHours: 1.5,
      maxDuration: 7_200_000,
      failOn: "deny",
      overBudget: "deny",
      forecast: [],
      disruptions: 0,
    });
    expect(current.get("advise")).toMatchObject({
      forecast: ["warning", "annotation"],
      overBudget: "warn",
      disruptions: 3,
      maxPods: undefined,
    });
    expect(current.get("empty")).toMatchObject({ rule: {}, failOn: "deny", gitOps: false, managers: undefined });
    expect(current.size).toBe(3);
  });

  it("may have the settings file of stint lint as one", () => {
    write("ci.yaml", "rule: [LegacySidecar=deny]\nfailOn: warn\nmanagers: [kueue.x-k8s.io/multikueue]\ngitOps: true\n");
    expect(read().current.get("ci")).toMatchObject({
      rule: { LegacySidecar: "deny" },
      failOn: "warn",
      managers: ["kueue.x-k8s.io/multikueue"],
      gitOps: true,
    });
  });

  it("is optional: without a folder there are no profiles", () => {
    const profiles = new Profiles({ folder: undefined, log });
    expect(profiles.reload()).toBe("same");
    expect(names(profiles)).toEqual([]);
  });

  it.each([
    ["strict.yaml", "maxPods: 5\nmaxpods: 6\n", /strict\.yaml:2:1: maxpods is no setting; allowed are rule, failOn, /],
    ["strict.yaml", "\nmaxPods: many\n", /strict\.yaml:2:1: maxPods is "many"; allowed is a whole number from 0 to /],
    ["strict.yaml", "maxDuration: 90\n", /:1:1: maxDuration is "90"; allowed is a duration such as 500ms, .*90s, 90m/],
    ["strict.yaml", "maxPodHours: -1\n", /maxPodHours is "-1"; allowed is a number from 0 to /],
    ["strict.yaml", "rule: [NoDeadlin=deny]", /rule is .*; no rule has the code NoDeadlin, but NoDeadline is one$/],
    ["strict.yaml", "forecast: stdout", /forecast is "stdout"; allowed is off, warning, annotation, or both/],
    ["strict.yaml", "overBudget: off", /overBudget is "off"; allowed is deny or warn$/],
    ["strict.yaml", "a: [", /strict\.yaml:1:5: this is not YAML: /],
    ["Strict.yaml", "", /Strict\.yaml is no profile; allowed is NAME\.yaml, the name of at most 63 lower-case letters/],
    ["strict.json", "", /strict\.json is no profile/],
    [`${"a".repeat(64)}.yaml`, "", /is no profile/],
  ])("refuses %s: %j", (name, text, message) => {
    write("good.yaml", "{}");
    write(name, text);
    expect(read).toThrow(expect.objectContaining({ name: "UsageError", message: expect.stringMatching(message) }));
  });

  it("refuses an empty file, which may be one that is being written", () => {
    write("a.yaml", "\n");
    expect(read).toThrow(/a\.yaml is empty, as a file is that is being written; write \{\} for one without settings$/);
  });

  it("refuses a name that comes twice, an empty folder, too many, and a file in its place", () => {
    expect(read).toThrow(`${folder} has no profile; allowed are files NAME.yaml`);
    write("a.yaml", "{}");
    write("a.yml", "{}");
    expect(read).toThrow(/a\.yml is a second profile a; allowed is one$/);
    unlinkSync(join(folder, "a.yml"));
    for (let i = 0; i < MAX_PROFILES; i++) write(`p${i}.yaml`, "{}");
    expect(read).toThrow(`${folder} has 65 profiles; allowed are at most 64`);
    folder = join(folder, "a.yaml");
    expect(read).toThrow(/cannot read the profiles in .*: it is a file; name the folder with profiles$/);
    folder = join(folder, "..");
    folder = (rmSync(folder, { recursive: true }), folder);
    expect(read).toThrow(/cannot read the profiles in .*: there is no such file$/);
    mkdirSync(folder);
  });
});

describe("profiles that change", () => {
  it("are taken as a whole and logged once; those that cannot be used are logged once and change nothing", () => {
    write("a.yaml", "maxPods: 1");
    const profiles = read();
    expect(profiles.reload()).toBe("same");
    write("b.yaml", "{}");
    expect(profiles.reload()).toBe("changed");
    expect(names(profiles)).toEqual(["a", "b"]);
    write("a.yaml", "maxPods: 2");
    write("b.yaml", "maxPods: no");
    expect([profiles.reload(), profiles.reload()]).toEqual(["refused", "refused"]);
    expect(profiles.current.get("a")).toMatchObject({ maxPods: 1 });
    unlinkSync(join(folder, "b.yaml"));
    expect(profiles.reload()).toBe("changed");
    expect(profiles.current.get("a")).toMatchObject({ maxPods: 2 });
    expect(names(profiles)).toEqual(["a"]);
    expect(lines.map(({ level, msg }) => `${String(level)}: ${String(msg)}`)).toEqual([
      "info: the profiles have changed",
      "warn: the profiles cannot be used: the old ones stay in use",
      "info: the profiles have changed",
    ]);
    expect(lines[1]).toMatchObject({ problem: expect.stringMatching(/b\.yaml:1:1: maxPods is "no"/) });
    expect(lines[2]).toMatchObject({ folder, profiles: ["a"] });
  });

  it("are found behind the links of a mounted ConfigMap", () => {
    const version = (name: string, text: string): void => {
      mkdirSync(join(folder, name));
      write(join(name, "strict.yaml"), text);
      symlinkSync(name, join(folder, "..next"));
      renameSync(join(folder, "..next"), join(folder, "..data"));
    };
    version("..2026_11_22", "maxPods: 1");
    symlinkSync("..data/strict.yaml", join(folder, "strict.yaml"));
    const profiles = read();
    version("..2026_11_23", "maxPods: 2");
    expect(profiles.reload()).toBe("changed");
    expect(profiles.current.get("strict")).toMatchObject({ maxPods: 2 });
  });
});

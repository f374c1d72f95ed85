/**
 * What commands find in a folder beside regular files: named pipes and devices, reading of which may never end. All of
 * them are refused by their path and kind, and a named pipe that the caller names is read.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inputFiles } from "../../host-node/cli/input/input-files.ts";
import { main } from "../../host-node/cli/program.ts";
import { segmentsAt } from "../../host-node/flight-recorder/read-segments.ts";
import { createLog } from "../../host-node/log.ts";
import { Profiles } from "../../host-node/webhook/profiles.ts";
import { RecordingConsole } from "./cli/recording-console.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-found-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const pipe = (path: string): string => {
  execFileSync("mkfifo", ["-m", "600", path]);
  return path;
};
const log = createLog("info", () => {});

const READERS: readonly (readonly [what: string, name: string, read: () => unknown])[] = [
  ["manifests", "x.yaml", () => inputFiles([folder], false)],
  ["profiles of the webhook", "x.yaml", () => new Profiles({ folder, log })],
  ["segments of a flight recorder", "flight-00000001.jsonl", () => segmentsAt(folder)],
];

describe.each(READERS)("a folder of %s", (_what, name, read) => {
  it.each([
    ["a named pipe", (path: string) => pipe(path)],
    ["a named pipe", (path: string) => symlinkSync(pipe(join(folder, ".pipe")), path)],
    ["a device", (path: string) => symlinkSync("/dev/zero", path)],
  ])("may not have %s", (kind, make) => {
    const path = join(folder, name);
    make(path);
    expect(read).toThrow(
      expect.objectContaining({
        name: "UsageError",
        message: `${path} is ${kind}; of a folder, only regular files are read: move it out of the folder`,
      }),
    );
  });

  it("may not have a socket", async () => {
    const path = join(folder, name);
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once("listening", resolve));
    expect(read).toThrow(`${path} is a socket; of a folder, only regular files are read`);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("manifests", () => {
  it("may be links to regular files, and a named pipe that is named", () => {
    writeFileSync(join(folder, "text"), "");
    symlinkSync("text", join(folder, "a.yaml"));
    pipe(join(folder, "pipe"));
    expect(inputFiles([folder, join(folder, "pipe")], false)).toEqual([join(folder, "a.yaml"), join(folder, "pipe")]);
  });

  it("are refused in the folders of a folder, too", () => {
    mkdirSync(join(folder, "deep"));
    pipe(join(folder, "deep", "x.yaml"));
    expect(() => inputFiles([folder], true)).toThrow(/deep\/x\.yaml is a named pipe; /);
  });

  it.each([["lint"], ["run"], ["upgrade-check", "--from", "1.30"]])("end %s with status 2", async (...words) => {
    pipe(join(folder, "x.yaml"));
    const console = new RecordingConsole(folder);
    expect(await main([...words, folder], "0.0.0", console)).toBe(2);
    expect(console.err).toContain("x.yaml is a named pipe; of a folder, only regular files are read");
    expect(console.out).toBe("");
  });
});

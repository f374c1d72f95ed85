/** `stint run --watch`: real files that change. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { main } from "./checked-main.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { RecordingConsole } from "./recording-console.ts";

let directory: string;
let folder: string;
let folders = 0;
beforeAll(async () => {
  await buildModule("engine");
  directory = mkdtempSync(join(tmpdir(), "stint-watch-"));
});
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => {
  folder = join(directory, `jobs-${++folders}`);
  mkdirSync(folder);
});

/** A Job that prints a word and does what `then` says. */
const job = (name: string, word: string, then = "true"): string =>
  [
    `apiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\nspec:\n  template:\n    spec:`,
    "      restartPolicy: Never\n      terminationGracePeriodSeconds: 1\n      containers:",
    `      - {name: c, image: i, command: [sh, -c, "echo ${word}; ${then}"]}\n`,
  ].join("\n");

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

function watch(...args: readonly string[]): { console: RecordingConsole; exit: Promise<number> } {
  const console = new RecordingConsole(directory);
  return { console, exit: main(["run", "--no-isolation", "--watch", ...args], "0.0.0", console) };
}

/** Resolves when the run with this number is over and the next change is waited for. */
async function waits(console: RecordingConsole, run: number): Promise<void> {
  const waiting = "waiting for a change of the files; Ctrl-C ends\n";
  if (run > 1) await console.outHas(`── run ${run}: `);
  const start = run === 1 ? 0 : console.out.indexOf(`── run ${run}: `);
  // The text comes once a run.
  while (!console.out.slice(start).includes(waiting)) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("stint run --watch", () => {
  it("runs again when a template, or which files there are, has changed, and ends with Ctrl-C", async () => {
    write("a.yaml", job("a", "first"));
    const { console, exit } = watch(folder);
    await waits(console, 1);
    expect(console.out).toContain("] first\n");
    // As editors save.
    write("a.yaml~", job("a", "second"));
    renameSync(join(folder, "a.yaml~"), join(folder, "a.yaml"));
    await waits(console, 2);
    expect(console.out).toContain(`── run 2: ${join(folder, "a.yaml")} has changed ──\n`);
    expect(console.out).toContain("] second\n");
    write("b.yaml", job("b", "third"));
    rmSync(join(folder, "a.yaml"));
    await waits(console, 3);
    expect(console.out).toContain("] third\n");
    expect(console.out.slice(console.out.indexOf("── run 3"))).not.toContain("] second");
    console.send("SIGINT");
    expect(await exit).toBe(130);
  });

  it("continues after a mistake, and says it", async () => {
    write("a.yaml", job("a", "first").replace("template:", "tmplate:"));
    const { console, exit } = watch(join(folder, "a.yaml"));
    await waits(console, 1);
    expect(console.err).toMatch(
      /a\.yaml:5:3: spec\.tmplate: unknown field of batch\/v1 Job.*\n(.*\n)*Nothing was run\.\n$/,
    );
    rmSync(join(folder, "a.yaml"));
    await waits(console, 2);
    expect(console.err).toContain("stint: cannot read ");
    write("a.yaml", job("a", "fixed"));
    await waits(console, 3);
    expect(console.out).toContain("] fixed\n");
    console.send("SIGTERM");
    expect(await exit).toBe(143);
  });

  it("stops a run that is under way", async () => {
    write("a.yaml", job("a", "slow", "exec sleep 1000"));
    const { console, exit } = watch(folder);
    await console.outHas("] slow\n");
    write("a.yaml", job("a", "quick"));
    await waits(console, 2);
    expect(console.out).toContain(`${join(folder, "a.yaml")} has changed; stopping the pods`);
    expect(console.out).toContain("] quick\n");
    console.send("SIGINT");
    expect(await exit).toBe(130);
  });

  it("does not run again for a file that was written with the text that it had, or is no manifest", async () => {
    write("a.yaml", job("a", "first"));
    const { console, exit } = watch(folder);
    await waits(console, 1);
    write("a.yaml", job("a", "first"));
    write("notes.txt", "x");
    write("b.yaml", job("b", "other"));
    await waits(console, 2);
    expect(console.out).toContain(`── run 2: ${join(folder, "b.yaml")} has changed ──\n`);
    console.send("SIGINT");
    expect(await exit).toBe(130);
  });

  it("is refused where it has no meaning", async () => {
    write("a.yaml", job("a", "first"));
    for (const [args, problem] of [
      [["-"], "--watch is given with -, but standard input cannot be read again"],
      [["-o", "junit", folder], "--watch is given with --output junit, which is for one run"],
      [["--record", "r", folder], "--watch is given with --record, which is for one run"],
      [[join(folder, "absent.yaml")], "cannot read "],
    ] as const) {
      const { console, exit } = watch(...args);
      expect(await exit).toBe(2);
      expect(console.err).toContain(problem);
    }
  });
});

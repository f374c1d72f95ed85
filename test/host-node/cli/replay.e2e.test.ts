/**
 * `--record` and `stint replay`: whole runs to a file and back, files that are damaged, and files that are in the way.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Sealer } from "../../../bindings/js/recording.ts";
import { main } from "./checked-main.ts";
import { readRecording, RecordingFile, sha256 } from "../../../host-node/recording-file.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { runStint, startServe } from "../serving.ts";
import { RecordingConsole } from "./recording-console.ts";

let directory: string;
let moduleSha256: string;
let job: string;
/** A simulated run of a Job that fails twice and then gives up. */
let recording: string;
let text: string;
beforeAll(async () => {
  moduleSha256 = (await buildModule("engine")).sha256;
  directory = mkdtempSync(join(tmpdir(), "stint-replay-"));
  job = join(directory, "job.json");
  const template = {
    metadata: { annotations: { "stint.dev/simulate": '{"runMs":1000,"exitCode":1}' } },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none", command: ["true"] }] },
  };
  writeFileSync(
    job,
    JSON.stringify({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "j", annotations: { note: "größe" } },
      spec: { backoffLimit: 1, template },
    }),
  );
  recording = join(directory, "recording.jsonl");
  expect((await stint(["run", "--runtime", "simulated", "--record", "recording.jsonl", job])).exit).toBe(1);
  text = readFileSync(recording, "utf8");
});
afterAll(() => rmSync(directory, { recursive: true }));

async function stint(
  args: readonly string[],
  console = new RecordingConsole(directory),
): Promise<{ exit: number; out: string; err: string }> {
  const exit = await main(args, "0.0.0", console);
  return { exit, out: console.out, err: console.err };
}

let files = 0;
function file(content: string | Uint8Array): string {
  const name = `damaged-${++files}.jsonl`;
  writeFileSync(join(directory, name), content);
  return name;
}

describe("a recording of stint run", () => {
  it("replays to the same", async () => {
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const requests = lines.reduce((sum, { requests = [] }) => sum + requests.length, 0);
    const { exit, out, err } = await stint(["replay", "recording.jsonl"]);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toMatch(
      new RegExp(
        `^recording\\.jsonl: the same, byte for byte: ${lines.length - 2} calls, ${requests} requests, \\d+ decisions\\n$`,
      ),
    );
    expect(requests).toBeGreaterThan(10);
  });

  it("can be read by its owner alone", () => {
    expect(statSync(recording).mode & 0o777).toBe(0o600);
  });

  it("explains what was decided, as the run did", async () => {
    const recorded = await stint(["run", "--runtime", "simulated", "--explain", "--record", "explained.jsonl", job]);
    const replayed = await stint(["replay", "--explain", "explained.jsonl"]);
    const decisions = (output: string): string[] => output.split("\n").filter((line) => line.includes("  job "));
    expect(decisions(replayed.out).length).toBeGreaterThan(5);
    expect(decisions(replayed.out)).toEqual(decisions(recorded.out).filter((line) => !line.startsWith("job ")));
  });

  it("records processes too", async () => {
    expect((await stint(["run", "--no-isolation", "--record", "processes.jsonl", job])).exit).toBe(0);
    expect((await stint(["replay", "processes.jsonl"])).exit).toBe(0);
  });
});

describe("stint replay --explain", () => {
  it("waits for a slow reader, and ends when the reader goes", async () => {
    class SlowConsole extends RecordingConsole {
      drain = (): void => {};
      override onDrain(callback: () => void): void {
        this.drain = callback;
      }
      override writeOut(written: string): boolean {
        super.writeOut(written);
        return false;
      }
    }
    const slow = new SlowConsole(directory);
    const replayed = stint(["replay", "--explain", "recording.jsonl"], slow);
    await slow.outHas("creating 1 pod");
    await new Promise((resolve) => setImmediate(resolve));
    const { out } = slow;
    slow.drain();
    await new Promise((resolve) => setImmediate(resolve));
    expect(slow.out.length).toBeGreaterThan(out.length);
    expect(slow.out).not.toContain("byte for byte");
    slow.closeOutput();
    expect((await replayed).exit).toBe(141);
  });
});

describe("a file in the way", () => {
  beforeEach(() => writeFileSync(join(directory, "there"), "mine"));

  it("is not overwritten", async () => {
    const { exit, err } = await stint(["run", "--runtime", "simulated", "--record", "there", job]);
    expect({ exit, err }).toEqual({
      exit: 2,
      err: `stint: ${join(directory, "there")} exists already and is not overwritten; remove it, name another file with --record, or add --force\n`,
    });
    expect(readFileSync(join(directory, "there"), "utf8")).toBe("mine");
  });

  it("is replaced with --force, not written through", async () => {
    symlinkSync("there", join(directory, "link"));
    const run = (path: string): Promise<{ exit: number; err: string }> =>
      stint(["run", "--runtime", "simulated", "--force", "--record", path, job]);
    const link = await run("link");
    expect({ exit: link.exit, err: link.err }).toEqual({
      exit: 2,
      err: `stint: ${join(directory, "link")} is there and is no regular file; --force replaces regular files only\n`,
    });
    expect(readFileSync(join(directory, "there"), "utf8")).toBe("mine");
    expect((await run("there")).exit).toBe(1);
    expect(statSync(join(directory, "there")).mode & 0o777).toBe(0o600);
    expect((await stint(["replay", "there"])).exit).toBe(0);
  });

  it("stays, with --force, where nothing is run", async () => {
    writeFileSync(join(directory, "bad.yaml"), "kind: Job\n");
    expect(
      (await stint(["run", "--runtime", "simulated", "--force", "--record", "there", join(directory, "bad.yaml")]))
        .exit,
    ).toBe(2);
    expect(readFileSync(join(directory, "there"), "utf8")).toBe("mine");
  });

  it("is named when it cannot be made, and --force alone means nothing", async () => {
    mkdirSync(join(directory, "folder"), { recursive: true });
    expect((await stint(["run", "--runtime", "simulated", "--record", "no/such/folder", job])).err).toMatch(
      /^stint: cannot write the recording .*no\/such\/folder: there is no such folder to write it to\n$/,
    );
    expect((await stint(["run", "--runtime", "simulated", "--record", "folder", "--force", job])).exit).toBe(2);
    expect((await stint(["run", "--runtime", "simulated", "--force", job])).err).toBe(
      "stint: --force is given without --record; it lets --record replace a file\n",
    );
  });

  it("is not left behind by a run that was refused", async () => {
    writeFileSync(
      join(directory, "refused.json"),
      '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"UPPER"},"spec":{"template":{"spec":{}}}}',
    );
    expect(
      (await stint(["run", "--runtime", "simulated", "--record", "nothing", join(directory, "refused.json")])).exit,
    ).toBe(2);
    expect(statSync(join(directory, "nothing"), { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe("a recording that was cut off", () => {
  it("is the same as far as it goes, wherever it was cut, and says so", async () => {
    // The header and the first call.
    const whole = text.indexOf("\n", text.indexOf("\n") + 1) + 1;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: whole, max: text.length - 1 }), async (length) => {
        const { exit, out, err } = await stint(["replay", file(Buffer.from(text).subarray(0, length))]);
        expect({ exit, err }).toEqual({ exit: 0, err: "" });
        expect(out).toMatch(
          /^damaged-\d+\.jsonl: the same as far as it goes: [1-9]\d* calls, \d+ requests, \d+ decisions; it was cut off( in the middle of line \d+)?\n$/,
        );
      }),
      { seed: 3, numRuns: 60 },
    );
  });

  it("says nothing when it holds no whole call", async () => {
    const header = text.slice(0, text.indexOf("\n") + 1);
    for (const content of [header, text.slice(0, header.length + 20)]) {
      const { exit, out, err } = await stint(["replay", file(content)]);
      expect({ exit, out }).toEqual({ exit: 2, out: "" });
      expect(err).toMatch(/^stint: damaged-\d+\.jsonl holds no call: it was cut off before the first\n$/);
    }
    const sealer = new Sealer(sha256);
    const { check: _, ...first } = JSON.parse(header);
    const { exit, err } = await stint(["replay", file(`${sealer.seal(first)}\n${sealer.seal({ call: "end" })}\n`)]);
    expect(exit).toBe(2);
    expect(err).toMatch(/holds no call: nothing was recorded\n$/);
  });

  it("is no recording when not even its first line is whole", async () => {
    for (const content of ["", text.slice(0, 20), text.slice(0, text.indexOf("\n"))]) {
      const { exit, err } = await stint(["replay", file(content)]);
      expect(exit).toBe(2);
      expect(err).toMatch(/^stint: damaged-\d+\.jsonl holds no whole line: it is not a recording\n$/);
    }
  });
});

describe("a recording that was changed", () => {
  it("is refused, whichever byte it was", async () => {
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length - 2 }), fc.integer({ min: 1, max: 255 }), async (place, flip) => {
        const changed = Buffer.from(bytes);
        changed[place]! ^= flip;
        const line = bytes.subarray(0, place).filter((byte) => byte === 10).length + 1;
        const { exit, out, err } = await stint(["replay", file(changed)]);
        expect({ exit, out }).toEqual({ exit: 2, out: "" });
        // A header can be refused for what it says.
        if (line > 1)
          expect(err).toMatch(
            new RegExp(
              `^stint: damaged-\\d+\\.jsonl:${line}: the line is not as it was written: the recording was changed or damaged\\n$`,
            ),
          );
        else expect(err).not.toBe("");
      }),
      { seed: 4, numRuns: 150 },
    );
  });

  it("names the first difference when it is one of the engine", async () => {
    const sealer = new Sealer(sha256);
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => {
        const { check: _, ...entry } = JSON.parse(line);
        return sealer.seal(
          entry.call === "ingest" ? { ...entry, text: entry.text.replace('"image":"none"', '"image":"other"') } : entry,
        );
      });
    const { exit, out } = await stint(["replay", file(`${lines.join("\n")}\n`)]);
    expect(exit).toBe(1);
    expect(out).toMatch(
      /^damaged-\d+\.jsonl:\d+: not the same: request 1 of the poll, POST \/api\/v1\/namespaces\/default\/pods, has another id, header or body than the recorded one\n$/,
    );
  });
});

describe("stint replay refuses", () => {
  it("a recording of another engine, naming both", async () => {
    const other = "0".repeat(64);
    const { exit, err } = await stint(["replay", file(text.replace(moduleSha256, other))]);
    expect(exit).toBe(2);
    expect(err).toMatch(
      new RegExp(
        `^stint: damaged-\\d+\\.jsonl:1: it is a recording of engine module ${other}, and this program has module ${moduleSha256}; only the same module must do the same\n$`,
      ),
    );
  });

  it("what is no recording", async () => {
    expect((await stint(["replay", "job.json"])).exit).toBe(2);
    expect((await stint(["replay", file("apiVersion: v1\n")])).err).toMatch(/:1: it is no header of a recording/);
    expect((await stint(["replay", file(Uint8Array.of(0xff, 10))])).err).toMatch(/:1: it is no header of a recording/);
    expect((await stint(["replay", "no-such-file"])).err).toMatch(
      /^stint: cannot read the recording .*no-such-file: there is no such file\n$/,
    );
    expect((await stint(["replay", "."])).err).toMatch(/ has no segment of a flight recorder, flight-….jsonl\n$/);
  });

  it("to hold a line of any length", () => {
    const path = join(directory, "long");
    writeFileSync(path, `${"x".repeat(1_000_000)}\n`);
    expect([...readRecording(path, 900_000)]).toEqual([{ text: undefined, isWhole: true }]);
  });
});

describe("a recording that grows too long", () => {
  it("ends with a sentence, and the run continues", () => {
    const problems: string[] = [];
    const path = join(directory, "short");
    const recordingFile = new RecordingFile({
      path,
      force: false,
      maxBytes: 300,
      onProblem: (problem) => problems.push(problem),
    });
    const engine = {
      moduleSha256: "m",
      abiVersion: "1.2",
      configure: () => {},
      setClockOffset: () => {},
    } as unknown as Parameters<typeof recordingFile.recorder.record>[0];
    const recorded = recordingFile.recorder.record(engine);
    recorded.configure({ instance: "test", sources: [] });
    for (let i = 0; i < 10; i++) recorded.setClockOffset(i);
    recordingFile.close();
    expect(problems).toEqual([`the recording ${path} ends here: it would grow beyond 300 bytes`]);
    const lines = [...readRecording(path)];
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.every(({ isWhole }) => isWhole)).toBe(true);
  });
});

describe("a recording of stint serve", () => {
  it.each([
    ["Ctrl-C", "SIGINT", /: the same, byte for byte: .* decisions\n$/],
    ["a kill", "SIGKILL", /: the same as far as it goes: .* decisions; it was cut off/],
  ] as const)("is whole up to %s", async (_, signal, said) => {
    const served = await startServe(["--record", "served.jsonl"]);
    const closed = new Promise((resolve) => served.process.once("close", resolve));
    const path = join(served.directory, "served.jsonl");
    while (!readFileSync(path, "utf8").includes('"call":"poll"'))
      await new Promise((resolve) => setTimeout(resolve, 10));
    served.process.kill(signal);
    await closed;
    const { exit, out, err } = await runStint(["replay", path], served.directory);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toMatch(said);
    rmSync(served.directory, { recursive: true });
  });
});

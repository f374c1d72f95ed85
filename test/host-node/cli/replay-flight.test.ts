/** `stint replay` of what a flight recorder has kept. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { replay } from "../../../host-node/cli/replay/replay.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { job, JOBS } from "../controlled-cluster.ts";
import { type RecordedController, startRecorded } from "../flight-recorder/recorded-controller.ts";
import { RecordingConsole } from "./recording-console.ts";

let folder: string;

beforeAll(() => buildModule("engine"));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-flight-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function record(run: (controller: RecordedController) => Promise<void>, options: object = {}): Promise<void> {
  const controller = await startRecorded({ folder: join(folder, "fl"), ...options });
  await run(controller);
  await controller.close();
}

async function runTwo(controller: RecordedController): Promise<void> {
  controller.create(JOBS, job("pi", {}, { runMs: 1000 }));
  controller.create(JOBS, job("fails", { backoffLimit: 0 }, { runMs: 1000, exitCode: 1 }));
  await controller.advance(60_000);
}

async function shown(options: { explain?: boolean; job?: string; file?: string } = {}): Promise<string> {
  const console = new RecordingConsole(folder);
  expect(await replay({ file: "fl", explain: false, ...options }, console)).toBe(0);
  return console.out;
}

test("replay prints how much a flight recording has", async () => {
  await record(runTwo);
  expect(await shown()).toMatch(
    /^fl: 1 segment, 2026-01-01T00:00:00.000Z to 2026-01-01T00:01:00.000Z: \d+ changes of objects, \d+ requests, \d+ decisions\n$/,
  );
});

test("--explain shows the decisions with their time, --job those about one Job", async () => {
  await record(runTwo);
  const all = await shown({ explain: true });
  expect(all).toContain("2026-01-01T00:00:00.000Z  job pi: creating 1 pod: 0 of 1 wanted");
  expect(all).toContain("job fails: ");
  const one = await shown({ job: "pi" });
  expect(one).toContain("job pi: creating 1 pod");
  expect(one).toContain("job pi: the Job has ended with Complete");
  expect(one).not.toContain("fails");
  expect(await shown({ job: "default/pi" })).toBe(one);
  expect(await shown({ job: "team/pi" })).not.toContain("job pi");
});

test("a refusal is shown with the Job that it concerns", async () => {
  await record(async (controller) => {
    controller.create("/api/v1/namespaces/default/resourcequotas", {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "q" },
      spec: { hard: { pods: "0" } },
    });
    controller.create(JOBS, job("pi", {}, { runMs: 1000 }));
    await controller.advance(500);
  });
  const out = await shown({ job: "pi" });
  expect(out).toMatch(
    /job pi: POST \/api\/v1\/namespaces\/default\/pods was refused with 403: pods "pi-.*exceeded quota/,
  );
  expect(out).toContain(" requests (2 refused), ");
});

test("several segments are one story, and a missing one is said", async () => {
  await record(
    async (controller) => {
      for (let i = 0; i < 40; i++) {
        controller.create(JOBS, job(`job-${i}`, {}, { runMs: 1000 }));
        await controller.advance(5_000);
      }
    },
    { maxBytes: 2 ** 20 },
  );
  const files = readdirSync(join(folder, "fl")).sort();
  expect(files.length).toBeGreaterThan(3);
  const out = await shown({ explain: true });
  expect(out.match(/an engine runs/g)?.length ?? 0).toBeLessThanOrEqual(1);
  expect(out).not.toContain("segments are missing");
  unlinkSync(join(folder, "fl", files[1]!));
  expect(await shown({ explain: true })).toContain(`segments are missing before ${files[2]}`);
  expect(await shown({ file: join("fl", files[2]!) })).toMatch(/: 1 segment, /);
});

test("a recording of a process that was killed is read as far as it goes", async () => {
  await record(runTwo);
  const [file = ""] = readdirSync(join(folder, "fl"));
  const path = join(folder, "fl", file);
  truncateSync(path, readFileSync(path).length - 100);
  expect(await shown()).toContain("; it ends in the middle: the process was killed, or it is being written\n");
});

/**
 * Every command, started from the bundle: the modules there are in another order than in the sources, so a module that
 * uses another one before that is ready fails there alone.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createProgram } from "../../../host-node/cli/program.ts";
import { spawnStint } from "../serving.ts";
import { RecordingConsole } from "./recording-console.ts";

const BUNDLE = resolve(import.meta.dirname, "../../../dist/stint.mjs");
const JOB = `apiVersion: batch/v1
kind: Job
metadata: { name: hello }
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: busybox, command: ["true"] }]
`;

let folder: string;
let server: ReturnType<typeof spawnStint>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stint-bundle-"));
  writeFileSync(join(folder, "job.yaml"), JOB);
  server = spawnStint(["serve", "--until-stdin-closes"], folder, process.env, BUNDLE);
  await untilSaid(server, /export KUBECONFIG/);
});
afterAll(async () => {
  server.kill("SIGINT");
  expect(await ended(server)).toBe(0);
  rmSync(folder, { recursive: true });
});

/** Resolves when the process has printed what matches, or has ended. */
async function untilSaid({ stdout, stderr }: typeof server, wanted: RegExp): Promise<void> {
  let said = "";
  await new Promise<void>((resolve) => {
    for (const stream of [stdout, stderr]) {
      stream.on("data", (chunk: Buffer) => wanted.test((said += chunk.toString())) && resolve());
      stream.once("end", resolve);
    }
  });
}

function ended(child: typeof server): Promise<number | null> {
  return new Promise((resolve) => child.once("close", resolve));
}

interface Start {
  readonly args: readonly string[];
  readonly status: number;
  /** In what it prints to both streams. */
  readonly says: RegExp;
  /** It runs until it is told to end, once it has said that. */
  readonly runs?: true;
}

const KUBECONFIG = ["--kubeconfig", "stint.kubeconfig"];
/** Of each command, in this order: one reads what another has written. */
const STARTS: Readonly<Record<string, Start>> = {
  run: {
    args: ["job.yaml", "--runtime", "simulated", "--record", "run.json"],
    status: 0,
    says: /hello: Complete, 1\/1 complete/,
  },
  replay: { args: ["run.json"], status: 0, says: /the same/ },
  import: { args: ["job.yaml"], status: 2, says: /job\.yaml/ },
  controller: {
    args: [...KUBECONFIG, "--default-controller", "--listen", "127.0.0.1:0", "--leader-elect=false"],
    status: 0,
    says: /acts without an election/,
    runs: true,
  },
  webhook: { args: ["--cert", "none.crt", "--key", "none.key"], status: 2, says: /none\.crt/ },
  why: { args: ["hello", ...KUBECONFIG], status: 2, says: /hello/ },
  explain: { args: ["CompletionsReached"], status: 0, says: /CompletionsReached/ },
  wait: { args: ["hello", ...KUBECONFIG], status: 2, says: /hello/ },
  lint: { args: ["job.yaml"], status: 0, says: /warn NoDeadline/ },
  doctor: { args: [...KUBECONFIG], status: 0, says: /nothing is wrong/ },
  "upgrade-check": { args: ["--from", "1.34", "job.yaml"], status: 0, says: /nothing changes from 1\.34/ },
  forecast: { args: ["job.yaml"], status: 0, says: /hello/ },
};

it.each(Object.entries(STARTS))("the bundle's %s starts", async (name, { args, status, says, runs }) => {
  const child = spawnStint([name, ...args], folder, process.env, BUNDLE);
  child.stdin.on("error", () => {}).end();
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  if (runs) {
    await untilSaid(child, says);
    child.kill("SIGTERM");
  }
  const exit = await ended(child);
  const said = (await output).join("");
  expect(said).toMatch(says);
  expect(said).not.toMatch(/\bat .*\.mjs:\d+/);
  expect(exit, said).toBe(status);
});

it("no command is left out", () => {
  const program = createProgram("0", new RecordingConsole(folder), () => {});
  const names = program.commands.map((command) => command.name());
  expect([...Object.keys(STARTS), "serve"].toSorted()).toEqual(names.toSorted());
});

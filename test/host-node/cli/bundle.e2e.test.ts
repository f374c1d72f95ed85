/**
 * Every command, started from the bundle: the modules there are in another order than in the sources, so a module that
 * uses another one before that is ready fails there alone.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createProgram } from "../../../host-node/cli/program.ts";
import { ReplicaProcess } from "../controller/replica-process.ts";
import { BUNDLE, runStint, type Served, spawnStint, startServe } from "../serving.ts";
import { RecordingConsole } from "./recording-console.ts";

const JOB = `apiVersion: batch/v1
kind: Job
metadata: { name: hello }
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: busybox, command: ["true"] }]
`;

let served: Served;
beforeAll(async () => {
  served = await startServe([], undefined, undefined, BUNDLE);
  writeFileSync(join(served.directory, "job.yaml"), JOB);
});
afterAll(async () => expect(await served.stop()).toBe(0));

interface Start {
  readonly args: readonly string[];
  readonly status: number;
  /** Standard input. */
  readonly input?: string;
  /** In what it prints to both streams. */
  readonly says: RegExp;
}

const KUBECONFIG = ["--kubeconfig", "stint.kubeconfig"];
/** Of each command that ends, in this order: one reads what another has written. */
const STARTS: Readonly<Record<string, Start>> = {
  run: {
    args: ["job.yaml", "--runtime", "simulated", "--record", "run.json"],
    status: 0,
    says: /hello: Complete, 1\/1 complete/,
  },
  replay: { args: ["run.json"], status: 0, says: /the same/ },
  import: { args: ["job.yaml"], status: 2, says: /job\.yaml/ },
  webhook: { args: ["--cert", "none.crt", "--key", "none.key"], status: 2, says: /none\.crt/ },
  why: { args: ["hello", ...KUBECONFIG], status: 2, says: /hello/ },
  explain: { args: ["CompletionsReached"], status: 0, says: /CompletionsReached/ },
  wait: { args: ["hello", ...KUBECONFIG], status: 2, says: /hello/ },
  lint: { args: ["job.yaml"], status: 0, says: /warn NoDeadline/ },
  doctor: { args: [...KUBECONFIG], status: 0, says: /nothing is wrong/ },
  "upgrade-check": { args: ["--from", "1.34", "job.yaml"], status: 0, says: /nothing changes from 1\.34/ },
  forecast: { args: ["job.yaml"], status: 0, says: /hello/ },
  mcp: { args: [], input: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', status: 0, says: /"name":"why"/ },
  incident: { args: ["no-retry"], status: 0, says: /cause:/ },
  schema: { args: ["Hold"], status: 0, says: /"title": "Hold"/ },
  completion: { args: ["bash"], status: 0, says: /^complete -F _stint stint$/m },
  version: { args: [], status: 0, says: /^engine ABI {2}\d/m },
};

it.each(Object.entries(STARTS))("the bundle's %s starts", async (name, { args, input = "", status, says }) => {
  const { exit, out, err } = await runStint([name, ...args], served.directory, { main: BUNDLE, input });
  expect(out + err).toMatch(says);
  expect(out + err).not.toMatch(/\bat .*\.mjs:\d+/);
  expect(exit).toBe(status);
});

it("the bundle's controller starts", async () => {
  const args = ["controller", ...KUBECONFIG, "--default-controller", "--listen", "127.0.0.1:0", "--leader-elect=false"];
  const replica = new ReplicaProcess(spawnStint(args, served.directory, process.env, BUNDLE));
  await replica.hasLogged(({ msg }) => msg === "acts without an election");
  replica.child.kill("SIGTERM");
  expect([await replica.ended, replica.errors]).toEqual([0, ""]);
});

it("no command is left out", () => {
  const program = createProgram("0", new RecordingConsole(served.directory), () => {});
  const names = program.commands.map((command) => command.name());
  expect([...Object.keys(STARTS), "serve", "controller"].toSorted()).toEqual(names.toSorted());
});

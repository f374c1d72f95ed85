/** `stint run` from its arguments to its exit status, over the real engine, cluster and processes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "./checked-main.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { gone, isRunning } from "../runtime/running.ts";
import { RecordingConsole } from "./recording-console.ts";

const examples = resolve(import.meta.dirname, "../../../examples");
let directory: string;
beforeAll(async () => {
  await buildModule("engine");
  directory = mkdtempSync(join(tmpdir(), "stint-cli-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
function file(text: string, name = `job-${++files}.yaml`): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

interface Pieces {
  readonly name?: string;
  readonly spec?: string;
  readonly command?: readonly string[];
  readonly container?: string;
  readonly annotation?: object;
}

/**
 * A Job as YAML, in which `$$` of a command stands for a dollar sign; `spec` are lines of the Job's spec, `container`
 * lines of its container.
 */
function jobYaml({ name = "j", spec = "", command = ["true"], container = "", annotation }: Pieces = {}): string {
  const indent = (lines: string, by: number): string => lines.replace(/^(?=.)/gm, " ".repeat(by));
  return [
    `apiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\nspec:`,
    ...(spec === "" ? [] : [indent(spec, 2)]),
    "  template:",
    ...(annotation === undefined
      ? []
      : [`    metadata: {annotations: {stint.dev/simulate: '${JSON.stringify(annotation)}'}}`]),
    "    spec:\n      restartPolicy: Never\n      containers:\n      - name: main\n        image: none",
    `        command: ${JSON.stringify(command)}`,
    ...(container === "" ? [] : [indent(container, 8)]),
    "",
  ].join("\n");
}

async function stint(
  args: readonly string[],
  console = new RecordingConsole(directory),
): Promise<{ exit: number; console: RecordingConsole }> {
  return { exit: await main(args, "0.0.0", console), console };
}

const bare = ["run", "--no-isolation"];
/** Without process views, whose process IDs differ from those of this machine. */
const sharing = [...bare, "--share-processes"];
const simulated = ["run", "--runtime", "simulated"];

describe("a run that goes well", () => {
  it("keeps within the quota of its namespace, and tells of what was refused", async () => {
    const quota = 'apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: one}\nspec: {hard: {pods: "1"}}\n';
    const job = jobYaml({ spec: "completions: 2\nparallelism: 2", annotation: { runMs: 5_000 } });
    const { exit, console } = await stint([...simulated, file(`${job}---\n${quota}`)]);
    expect(exit).toBe(0);
    expect(console.out).toMatch(
      /job\/j: FailedCreate: Error creating: pods "j-\w{5}" is forbidden: exceeded quota: one, requested: pods=1, used: pods=1, limited: pods=1\n/,
    );
    expect(console.out).toContain("job j  Complete in 10.0s");
  });

  it("ends with 0, shows logs with their completion index, conditions and counters", async () => {
    const { exit, console } = await stint([...bare, join(examples, "pi.yaml")]);
    expect(console.err).toBe("");
    expect(exit).toBe(0);
    expect(console.out).toMatch(/\nnote: commands run on this machine, not in the images .*\nexit status 0 /);
    expect(console.out).toContain("[0] 31415926535897932384626433832795028841971693993751\n");
    expect(console.out).toContain("[3] 67892590360011330530548820466521384146951941511609\n");
    expect(console.out).toMatch(
      /job pi {2}Complete in \d+\.\ds\n {2}succeeded 4\/4 {3}failed 0 {3}completed indexes 0-3\n/,
    );
    expect(console.out).toContain("\n  CompletionsReached: Reached expected number of succeeded pods\n");
    expect(console.out).toMatch(/\nexit status 0 after \d+\.\ds\n$/);
  });

  it("names each field without effect once, with its place", async () => {
    const path = file(
      jobYaml({
        spec: "completions: 2",
        container: "ports: [{containerPort: 80}]\nlifecycle: {preStop: {exec: {command: ['true']}}}",
      }),
    );
    const { exit, console } = await stint([...bare, path]);
    expect(exit).toBe(0);
    expect(console.out).not.toContain("Warning");
    expect(console.err).toBe(
      `Warning: ${path}:14:9: spec.template.spec.containers[0].lifecycle has no effect: hooks are not run\n`,
    );
  });

  it("says in a note at the end, and once, what is so for every pod and no fault of the manifest", async () => {
    const ports = "ports: [{containerPort: 80}]";
    const path = file(`${jobYaml({ container: ports })}---\n${jobYaml({ name: "k", container: ports })}`);
    const notes = [
      "commands run on this machine, not in the images of their containers; --runtime docker or podman runs images",
      "the ports that containers declare are not mapped",
    ];
    const text = await stint([...bare, path]);
    expect(text.console.err).toBe("");
    expect(text.console.out.match(/^note: .*$/gm)).toEqual(notes.map((note) => `note: ${note}`));
    const json = await stint([...bare, "-o", "json", path]);
    expect(json.console.lines.filter(({ type }) => type === "warning")).toEqual([]);
    expect(json.console.lines.slice(-3).map(({ type, message }) => [type, message])).toEqual([
      ...notes.map((note) => ["note", note]),
      ["result", undefined],
    ]);
    expect((await stint([...simulated, path])).console.out).not.toContain("note: ");
  });

  it("says once of all containers and Jobs what has no effect, and how many they are", async () => {
    const hook = "lifecycle: {preStop: {exec: {command: ['true']}}}";
    const second = `      - {name: second, image: none, command: ['true'], tty: true, ${hook}}\n`;
    const container = hook;
    const path = file(`${jobYaml({ container })}${second}---\n${jobYaml({ name: "k", container })}`);
    const { exit, console } = await stint([...bare, path]);
    expect(exit).toBe(0);
    expect(console.err).toBe(
      `Warning: ${path}:12:9: spec.template.spec.containers[0].lifecycle has no effect: hooks are not run (here and in 2 more places)\n` +
        `Warning: ${path}:13:56: spec.template.spec.containers[1].tty has no effect: there is no terminal\n`,
    );
  });

  it("names what the scheduler does not consider: a simulated run has nothing else to warn of", async () => {
    const spread =
      "      topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]\n";
    const path = file(jobYaml().replace("      restartPolicy: Never\n", `      restartPolicy: Never\n${spread}`));
    expect((await stint([...simulated, path])).console.err).toBe(
      `Warning: ${path}:8:35: spec.template.spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod\n` +
        `Warning: ${path}:8:7: spec.template.spec.topologySpreadConstraints has no effect: the scheduler does not consider it\n`,
    );
  });
});

describe("the files and the output of a run", () => {
  it("takes a folder as kubectl does: its manifests by name, and with --recursive those of the folders in it", async () => {
    const folder = mkdtempSync(join(directory, "folder-"));
    const names = (console: RecordingConsole): string[] =>
      console.lines.at(-1)!["jobs"].map(({ name }: { name: string }) => name);
    for (const [name, text] of [
      ["b.yml", jobYaml({ name: "b" })],
      ["a.yaml", jobYaml({ name: "a" })],
      ["c.json", "{}"],
      ["README.md", "# no manifest"],
    ])
      writeFileSync(join(folder, name!), text!);
    expect((await stint([...simulated, folder])).console.err).toContain(
      `${join(folder, "c.json")}:1:1: apiVersion is missing`,
    );
    rmSync(join(folder, "c.json"));
    mkdirSync(join(folder, "aa"));
    writeFileSync(join(folder, "aa", "z.yaml"), jobYaml({ name: "z" }));
    symlinkSync(folder, join(folder, "back"));
    const flat = await stint([...simulated, "--output", "json", folder]);
    expect({ err: flat.console.err, names: names(flat.console) }).toEqual({ err: "", names: ["a", "b"] });
    expect(names((await stint([...simulated, "--output", "json", "-R", folder])).console)).toEqual(["a", "z", "b"]);
    expect(
      names(
        (await stint([...simulated, "--output", "json", "-f", join(folder, "b.yml"), "-f", join(folder, "a.yaml")]))
          .console,
      ),
    ).toEqual(["b", "a"]);
  });

  it("takes several files with several documents, a generated name, namespaces and ConfigMaps", async () => {
    const config =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words, namespace: team}\ndata: {greeting: good day}\n";
    const env = "env:\n- name: WORD\n  valueFrom: {configMapKeyRef: {name: words, key: greeting}}";
    const first = file(
      `${jobYaml({ name: "reader, namespace: team", command: ["sh", "-c", "echo $WORD"], container: env })}---\n${config}`,
    );
    const second = file(
      JSON.stringify({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { generateName: "made-" },
        spec: {
          template: {
            spec: { restartPolicy: "Never", containers: [{ name: "c", image: "none", command: ["echo", "hi"] }] },
          },
        },
      }),
    );
    const { exit, console } = await stint([...bare, "--output", "json", first, second]);
    expect(exit).toBe(0);
    const logs = console.lines.filter(({ type }) => type === "log");
    expect(logs.map(({ namespace, line }) => `${namespace} ${line}`).sort()).toEqual(["default hi", "team good day"]);
    const result = console.lines.at(-1)!;
    expect(result).toMatchObject({ type: "result", exitStatus: 0, simulated: false });
    expect(
      result["jobs"]
        .map(({ name, state }: { name: string; state: string }) => `${name.replace(/-.*/, "-…")} ${state}`)
        .sort(),
    ).toEqual(["made-… Complete", "reader Complete"]);
  });

  it("makes output of containers harmless and keeps lines together", async () => {
    const { console } = await stint([
      ...bare,
      file(
        jobYaml({
          command: ["printf", "\\033]0;title\\007\\033[2Jred\\nprogress 1\\rprogress 2\\nlast without newline"],
        }),
      ),
    ]);
    const logs = console.out.split("\n").filter((line) => line.startsWith("["));
    expect(logs.map((line) => line.replace(/^\[\w+\] /, ""))).toEqual([
      "^[]0;title^G^[[2Jred",
      "progress 2",
      "last without newline",
    ]);
    expect(console.out).not.toContain("\u001b");
  });
});

describe("a slow reader", () => {
  /** Takes nothing until it is asked to, as a pager does. */
  class SlowConsole extends RecordingConsole {
    #drain = (): void => {};
    isSlow = true;
    override writeOut(text: string): boolean {
      super.writeOut(text);
      return !this.isSlow;
    }
    override onDrain(callback: () => void): void {
      this.#drain = callback;
    }
    read(): void {
      this.isSlow = false;
      this.#drain();
    }
  }

  it("makes containers wait instead of filling memory", async () => {
    const console = new SlowConsole(directory);
    const path = file(jobYaml({ command: ["sh", "-c", "seq 200000; echo done"] }));
    const ended = stint([...bare, path], console);
    await console.outHas("1 active");
    await new Promise((resolve) => setTimeout(resolve, 200));
    // 1.3 MB are printed; a pipe and a chunk that was being read hold at most 128 KiB each.
    expect(console.out.length).toBeLessThan(1_000_000);
    expect(console.out).not.toMatch(/\] done\n/);
    console.read();
    expect((await ended).exit).toBe(0);
    expect(console.out).toMatch(/\] 200000\n\[\w+\] done\n/);
  });

  it("makes simulated time wait", async () => {
    const console = new SlowConsole(directory);
    const ended = stint([...simulated, file(jobYaml({ annotation: { logs: ["one"] } }))], console);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(console.out).not.toContain("exit status");
    console.read();
    expect((await ended).exit).toBe(0);
  });
});

describe("a Job that has succeeded early", () => {
  it("ends its other pods, which is no failure", async () => {
    const spec =
      "completionMode: Indexed\ncompletions: 3\nparallelism: 3\nsuccessPolicy: {rules: [{succeededIndexes: '1'}]}";
    const { exit, console } = await stint([
      ...bare,
      file(jobYaml({ spec, command: ["sh", "-c", "test $JOB_COMPLETION_INDEX = 1 || sleep 60"] })),
    ]);
    expect(exit).toBe(0);
    expect(
      console.out.match(
        /pod\/j-[02]-\w+ ended: the Job controller deleted it at the end of the Job \(SuccessPolicy\)/g,
      ),
    ).toHaveLength(2);
    expect(console.out).not.toMatch(/pod\/.* failed/);
  });
});

describe("a run with backoffLimitPerIndex", () => {
  it("prints the failed indexes, as text and as JSON", async () => {
    const spec = "completionMode: Indexed\ncompletions: 3\nbackoffLimitPerIndex: 0";
    const path = file(jobYaml({ spec, annotation: { byIndex: { "0": { exitCode: 1 }, "2": { exitCode: 1 } } } }));
    const text = await stint([...simulated, path]);
    expect(text.exit).toBe(1);
    expect(text.console.out).toContain("\n  succeeded 1/3   failed 2   completed indexes 1   failed indexes 0,2\n");
    const { console } = await stint([...simulated, "--output", "json", path]);
    expect(console.lines.at(-1)!["jobs"]).toMatchObject([{ completedIndexes: "1", failedIndexes: "0,2" }]);
  });
});

describe("a run that does not", () => {
  it("ends with 1 when a Job has failed, and says why", async () => {
    const { exit, console } = await stint([
      ...bare,
      file(jobYaml({ spec: "backoffLimit: 0", command: ["sh", "-c", "echo no; exit 3"] })),
    ]);
    expect(exit).toBe(1);
    expect(console.out).toMatch(/pod\/j-\w+ failed: container main exited \(exit code 3, Error\)\n/);
    expect(console.out).toMatch(
      /\n {2}BackoffLimitExceeded: Job has reached the specified backoff limit\n {2}last failure: pod j-\w+: container main exited \(exit code 3, Error\)\n {2}│ no\n\nnote: .*\nexit status 1 after /,
    );
  });

  it("prints the last failure and its last ten lines, also of a pod that restarts its containers and is gone by then", async () => {
    const command = ["sh", "-c", "seq 12; echo $$$$ >&2; exit 4"];
    const path = file(
      jobYaml({ spec: "backoffLimit: 0", command }).replace("restartPolicy: Never", "restartPolicy: OnFailure"),
    );
    const { console } = await stint([...sharing, "--output", "json", path]);
    const { lastFailure } = console.lines.at(-1)!["jobs"][0];
    expect(lastFailure).toMatchObject({
      pod: expect.stringMatching(/^j-\w{5}$/),
      failure: "container main exited (exit code 4, Error)",
    });
    expect(lastFailure.log).toHaveLength(10);
    expect(lastFailure.log.filter((line: string) => Number(line) <= 12)).toEqual([
      "4",
      "5",
      "6",
      "7",
      "8",
      "9",
      "10",
      "11",
      "12",
    ]);
  });

  it("prints which of several Jobs failed", async () => {
    const bad = jobYaml({ name: "bad", spec: "backoffLimit: 0", annotation: { exitCode: 2, logs: ["oh"] } });
    const path = file(`${bad}---\n${jobYaml({ name: "good" })}`);
    const { exit, console } = await stint([...simulated, path]);
    expect(exit).toBe(1);
    expect(console.out).toMatch(
      /\n {2}│ oh\n\nJOB .*\ngood .*\nbad {3}Failed .* BackoffLimitExceeded\n\n2 Jobs: 1 complete, 1 failed: bad\n\nexit status 1 after /,
    );
  });

  it("prints on a terminal when the next pod comes", async () => {
    const console = new RecordingConsole(directory);
    console.terminal = () => ({ columns: 100, rows: 24 });
    const ended = stint([...bare, file(jobYaml({ spec: "backoffLimit: 1", command: ["false"] }))], console);
    await console.outHas(" s (back-off 10 s)");
    console.send("SIGINT");
    expect((await ended).exit).toBe(130);
  });

  it("ends with 124 at the time-out, and leaves no process", async () => {
    const { exit, console } = await stint([
      ...sharing,
      "--timeout",
      "2s",
      file(jobYaml({ command: ["sh", "-c", "echo pid $$$$; exec sleep 3600"] })),
    ]);
    expect(exit).toBe(124);
    expect(console.out).toContain("the time-out has come; exit status 124");
    // Not that it is being deleted.
    expect(console.out).toMatch(/\n {2}waiting for pods: 1 active, /);
    expect(isRunning(pidIn(console))).toBe(false);
  });

  it("ends with 130 on Ctrl-C after the pods have ended in their own time", async () => {
    const console = new RecordingConsole(directory);
    const ended = stint(
      [
        ...sharing,
        file(
          jobYaml({
            command: ["sh", "-c", "trap 'echo cleaned up; exit 0' TERM; echo pid $$$$; while :; do sleep 0.05; done"],
          }),
        ),
      ],
      console,
    );
    await console.outHas("pid ");
    console.send("SIGINT");
    expect((await ended).exit).toBe(130);
    expect(console.out).toContain("interrupted; stopping the pods (Ctrl-C kills them at once)");
    expect(console.out).toMatch(/\] cleaned up\n/);
    expect(isRunning(pidIn(console))).toBe(false);
  });

  it("kills the pods on a second Ctrl-C", async () => {
    const console = new RecordingConsole(directory);
    const ended = stint(
      [
        ...sharing,
        file(jobYaml({ command: ["sh", "-c", "trap '' TERM; echo pid $$$$; while :; do sleep 0.05; done"] })),
      ],
      console,
    );
    await console.outHas("pid ");
    console.send("SIGINT");
    console.send("SIGINT");
    expect((await ended).exit).toBe(130);
    await gone(pidIn(console));
  });

  it("ends with 143 on SIGTERM, and when its output is closed", async () => {
    for (const end of [
      (console: RecordingConsole) => console.send("SIGTERM"),
      (console: RecordingConsole) => console.closeOutput(),
    ]) {
      const console = new RecordingConsole(directory);
      const ended = stint(
        [...sharing, file(jobYaml({ command: ["sh", "-c", "echo pid $$$$; exec sleep 3600"] }))],
        console,
      );
      await console.outHas("pid ");
      end(console);
      expect([143, 141]).toContain((await ended).exit);
      await gone(pidIn(console));
    }
  });
});

describe("a simulated run", () => {
  it("takes no time, back-off or not, and says how long it would have been", async () => {
    const { exit, console } = await stint([...simulated, join(examples, "simulated-failure.yaml")]);
    expect(exit).toBe(1);
    expect(console.out).toContain("(exit code 137, signal 9, OOMKilled): it wanted more memory than there was");
    expect(console.out).toMatch(/exit status 1 after 1m\d\ds of simulated time\n$/);
  });

  it("warns of nothing, and runs nothing", async () => {
    const { exit, console } = await stint([
      ...simulated,
      file(jobYaml({ command: ["/no/such/command"], annotation: { runMs: 5, logs: ["pretended"] } })),
    ]);
    expect(exit).toBe(0);
    expect(console.err).toBe("");
    expect(console.out).toMatch(/^\[\w+\] pretended$/m);
  });

  it("says at its end what each Job waits for that has not ended", async () => {
    const runs = jobYaml({ name: "runs", annotation: { runMs: "forever" } });
    const path = file(
      [runs, jobYaml({ name: "retries", annotation: { runMs: 1, exitCode: 1 } }), jobYaml({ name: "done" })].join(
        "---\n",
      ),
    );
    const sentences = {
      runs: expect.stringMatching(/^waiting for pods: 1 active, /),
      retries: expect.stringMatching(/^waiting \d+ s before the next pod is created: 2 failures in a row, /),
      done: undefined,
    };
    const { exit, console } = await stint([...simulated, "--timeout", "25s", path]);
    expect(exit).toBe(124);
    expect(console.out).toMatch(
      /\njob runs {2}not finished\n {2}succeeded 0\/1 {3}failed 0 {3}active 1\n {2}waiting for pods: 1 active, .*\n/,
    );
    expect(console.out).toMatch(
      /\njob retries {2}not finished\n {2}succeeded 0\/1 {3}failed 2\n {2}waiting \d+ s before the next pod is created: /,
    );
    const asJson = await stint([...simulated, "--timeout", "25s", "--output", "json", path]);
    expect(
      Object.fromEntries(asJson.console.lines.at(-1)!["jobs"].map((job: any) => [job.name, job.sentence])),
    ).toEqual(sentences);
    const alone = await stint([...simulated, "--timeout", "25s", file(runs)]);
    expect(alone.console.out).toMatch(
      /\njob runs {2}not finished\n {2}succeeded 0\/1 {3}failed 0 {3}active 1\n {2}waiting for pods: 1 active, .*\n/,
    );
  });

  it("measures Jobs and the run by one clock", async () => {
    const [slow, quick] = [{ runMs: 1450 }, { runMs: 350 }].map((annotation, i) =>
      jobYaml({ name: `j${i}`, annotation }),
    );
    const { console } = await stint([...simulated, file(slow!)]);
    const [, job, run] =
      /^job j0 {2}Complete in (\d\.\d)s\n[^]*^exit status 0 after (\d\.\d)s of simulated time$/m.exec(console.out)!;
    expect([Number(job) >= 1.4, Number(run) >= Number(job), Number(run) <= Number(job) + 0.2]).toEqual([
      true,
      true,
      true,
    ]);
    expect((await stint([...simulated, file(`${slow}---\n${quick}`)])).console.out).toMatch(
      /^JOB .*\nj0 +Complete +1\/1 +0 +1\.[45]s\nj1 +Complete +1\/1 +0 +0\.[34]s\n/m,
    );
  });

  it("counts its time-out in simulated time", async () => {
    const { exit, console } = await stint([
      ...simulated,
      "--timeout",
      "2h",
      file(jobYaml({ annotation: { runMs: "forever" } })),
    ]);
    expect(exit).toBe(124);
    expect(console.out).toContain("exit status 124 after 2h00m of simulated time");
  });

  it("gives up a Job that waits for ever", async () => {
    const { exit, console } = await stint([
      ...simulated,
      file(
        jobYaml({
          spec: "completions: 2\nparallelism: 2",
          container: "resources: {requests: {cpu: 6k}}",
          annotation: { runMs: "forever" },
        }),
      ),
    ]);
    expect(exit).toBe(124);
    expect(console.out).toContain("FailedScheduling");
  });

  it("says of many pods how far they are, now and then", async () => {
    const { exit, console } = await stint([
      ...simulated,
      file(jobYaml({ spec: "completions: 1500\nparallelism: 1500\nbackoffLimit: 3" })),
    ]);
    expect(exit).toBe(0);
    const lines = console.out.split("\n").filter((line) => /^ *\d+\.\ds {2}j: /.test(line));
    expect(lines[0]).toContain("j: 0/1500 complete");
    expect(lines.at(-1)).toContain("j: Complete, 1500/1500 complete");
    const finished = lines.slice(0, -1).map((line) => Number(/(\d+)\/1500/.exec(line)![1]));
    for (const [i, count] of finished.entries())
      if (i > 0 && count > 0) expect(count - finished[i - 1]!).toBeGreaterThanOrEqual(15);
  });

  it("shows on a terminal how many pods run when all start at one instant", async () => {
    const console = new RecordingConsole(directory);
    console.terminal = () => ({ columns: 80, rows: 24 });
    const ended = stint(
      [
        ...simulated,
        file(jobYaml({ name: "wide", spec: "completions: 3000\nparallelism: 3000", annotation: { runMs: "forever" } })),
      ],
      console,
    );
    await console.outHas("3000 active");
    console.send("SIGINT");
    expect(await ended).toMatchObject({ exit: 130 });
  });

  it("ends at once when interrupted", async () => {
    const console = new RecordingConsole(directory);
    // One pod after another for hours of virtual time, which take minutes.
    const spec = "completions: 100000";
    const ended = stint([...simulated, file(jobYaml({ spec, annotation: { runMs: 1000, logs: ["begun"] } }))], console);
    await console.outHas("begun");
    console.send("SIGINT");
    expect((await ended).exit).toBe(130);
  });
});

/** transcripts/run-refusals.txt has what is refused of manifests that have one mistake. */
describe("a run of bad input ends with 2, and runs nothing:", () => {
  const marker = (): string => join(directory, `ran-${++files}`);

  async function refused(args: readonly string[]): Promise<string> {
    const { exit, console } = await stint(args);
    expect(console.out).toBe("");
    expect(exit).toBe(2);
    return console.err;
  }

  it("a file of 50 MB", async () => {
    const path = file(`# ${"x".repeat(50_000_000)}\n`);
    expect(await refused([...bare, path])).toBe(
      `stint: ${path} is 50000003 bytes long; allowed are at most 4194304 bytes (4 MiB) a file\n`,
    );
    rmSync(path);
  });

  it("a file that is not there, a folder without manifests, and bytes that are no text", async () => {
    expect(await refused([...bare, "/no/such.yaml"])).toBe("stint: cannot read /no/such.yaml: there is no such file\n");
    const empty = mkdtempSync(join(directory, "empty-"));
    expect(await refused([...bare, empty])).toBe(
      `stint: ${empty} has no file that ends in .yaml, .yml or .json; --recursive looks into the folders in it, too\n`,
    );
    expect(await refused([...bare, "-R", empty])).toBe(
      `stint: ${empty} has no file that ends in .yaml, .yml or .json\n`,
    );
    for (let i = 0; i <= 1000; i++) writeFileSync(join(empty, `${i}.yaml`), "");
    expect(await refused([...bare, empty])).toBe(`stint: ${empty} has 1001 manifests; allowed are 1000 a folder\n`);
    const path = join(directory, "binary");
    writeFileSync(path, Uint8Array.of(0xff, 0xfe, 0));
    expect(await refused([...bare, path])).toBe(
      `stint: ${path} is not UTF-8 text; allowed are YAML and JSON in UTF-8\n`,
    );
  });

  it("a command that only the $PATH of the user has", async () => {
    const path = file(jobYaml({ command: ["no-such-command", "x"] }));
    const problem = (at: string, hint: string): string =>
      `${at}: spec.template.spec.containers[0].command[0]: exec: "no-such-command": executable file not found in $PATH (${hint})\nNothing was run.\n`;
    const folder = join(directory, "own tools");
    mkdirSync(folder);
    writeFileSync(join(folder, "no-such-command"), "#!/bin/sh\n", { mode: 0o755 });
    const console = new RecordingConsole(directory);
    Object.assign(console.environment, { PATH: `/bin:${folder}` });
    await stint([...bare, path], console);
    expect(console.err).toBe(
      problem(`${path}:11:19`, `your $PATH has it, that of containers has not: name it ${folder}/no-such-command`),
    );
  });

  it("says nothing else of a field that the API server refuses, and takes any values", async () => {
    const values = [null, "", "a b", -1, [], {}, [null], [{}]];
    const parts = (value: unknown): object[] => [
      { volumes: [{ name: "v", configMap: value }] },
      { volumes: [{ name: "v", projected: { sources: value } }] },
      { volumes: [{ name: "v", hostPath: { path: value } }] },
      { volumes: value },
      { nodeSelector: value },
      { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: value } } } },
      {
        containers: [
          { name: "c", image: "i", command: ["true"], env: [{ name: "A", valueFrom: value }], volumeMounts: value },
        ],
      },
      { containers: [{ name: "c", image: "i", command: value, resources: { requests: { cpu: value } } }] },
      { initContainers: value },
    ];
    const specs = values.flatMap(parts);
    const jobs = specs.map((spec, i) => ({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: `j${i}` },
      spec: {
        backoffLimit: -1,
        template: {
          spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i", command: ["true"] }], ...spec },
        },
      },
    }));
    const path = file(jobs.map((job) => JSON.stringify(job)).join("\n---\n"));
    for (const how of [simulated, bare]) {
      const lines = (await refused([...how, path])).trimEnd().split("\n");
      expect(lines.pop()).toBe("Nothing was run.");
      expect(new Set(lines.map((line) => line.split(":")[1])).size).toBe(jobs.length);
      const ofFields = lines.map((line) => /:(\d+):\d+: ([^\s:]*)/.exec(line)!.slice(1).join(" "));
      expect(new Set(ofFields).size).toBe(ofFields.length);
    }
  });

  it("the second of two Jobs: the first is not run either", async () => {
    const ran = marker();
    const path = file(
      `${jobYaml({ name: "good", command: ["touch", ran] })}---\n${jobYaml({ name: "bad", spec: "backoffLimit: -1" })}`,
    );
    expect(await refused([...bare, path])).toContain("spec.backoffLimit: Invalid value: -1");
    expect(() => readFileSync(ran)).toThrow(/ENOENT/);
  });
});

function pidIn(console: RecordingConsole): number {
  return Number(/\] pid (\d+)\n/.exec(console.out)![1]);
}

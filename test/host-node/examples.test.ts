/**
 * Every manifest of examples/ is accepted and runs to the end that its comment names (`# Ends: …`), simulated and on
 * the virtual clock. What kubectl shows of them is in examples-kubectl.e2e.test.ts.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { main } from "../../host-node/cli/program.ts";
import { buildModule } from "../../scripts/build-engine.ts";
import { RecordingConsole } from "./cli/recording-console.ts";
import { VirtualCluster } from "./virtual-cluster.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "examples");
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  // The projects of testing/, the incidents, and the files of the documents have separate tests.
  .filter(
    (entry) => entry.name.endsWith(".yaml") && !/testing|incidents|readme/.test(relative(folder, entry.parentPath)),
  )
  .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  .sort();
const read = (file: string): string => readFileSync(join(folder, file), "utf8");
/** Longer than any example takes, its time to live included. */
const LIMIT_MS = 3_600_000;

/** What the comment says: the end, or that there is none. */
interface End {
  readonly type: string;
  readonly reason: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly isDeleted: boolean;
}

function endOf(file: string): End | undefined {
  const said = /^# Ends: (.*)$/m.exec(read(file))?.[1];
  if (said === undefined) throw new Error(`examples/${file} has no line "# Ends: …"`);
  if (said.startsWith("not ")) return undefined;
  const [, type = "", reason = "", succeeded, failed, deleted] =
    /^(Complete|Failed) \((\w+)\), succeeded (\d+), failed (\d+)(, deleted)?$/.exec(said) ?? [];
  if (type === "") throw new Error(`examples/${file}: "# Ends: ${said}" is not understood`);
  return { type, reason, succeeded: Number(succeeded), failed: Number(failed), isDeleted: deleted !== undefined };
}

const isFinished = (job: any): boolean =>
  (job.status.conditions ?? []).some(
    ({ type, status }: any) => (type === "Complete" || type === "Failed") && status === "True",
  );

beforeAll(async () => {
  await buildModule("engine");
});

describe("examples", () => {
  it.each(files.filter((file) => endOf(file) !== undefined))("%s ends as it says", async (file) => {
    const end = endOf(file)!;
    const cluster = await VirtualCluster.start();
    const created = cluster.create(read(file));
    expect(created.length).toBeGreaterThan(0);
    const last = new Map<string, any>();
    const look = (): boolean => {
      const jobs = cluster.list("/apis/batch/v1/jobs");
      for (const job of jobs) last.set(job.metadata.name, job);
      return end.isDeleted ? jobs.length === 0 : jobs.every(isFinished);
    };
    expect(cluster.runUntil(look, LIMIT_MS)).toBe(true);
    for (const { metadata } of created) {
      const { status } = last.get(metadata.name);
      expect({ job: metadata.name, succeeded: status.succeeded ?? 0, failed: status.failed ?? 0 }).toEqual({
        job: metadata.name,
        succeeded: end.succeeded,
        failed: end.failed,
      });
      expect(status.conditions.at(-1)).toMatchObject({ type: end.type, status: "True", reason: end.reason });
    }
    cluster.stop();
  });

  it.each(files.filter((file) => endOf(file) === undefined))(
    "%s does not end without another client, and creates no pod",
    async (file) => {
      const cluster = await VirtualCluster.start();
      cluster.create(read(file));
      expect(cluster.runUntil(() => cluster.list("/apis/batch/v1/jobs").some(isFinished), LIMIT_MS)).toBe(false);
      expect(cluster.pods()).toEqual([]);
      cluster.stop();
    },
  );

  const commands = files.flatMap((file) =>
    [...read(file).matchAll(/^#.* stint (run --runtime simulated .*?\.yaml)/gm)].map((match) => ({
      file,
      command: match[1]!,
    })),
  );
  it.each(commands)("$file: stint $command", async ({ file, command }) => {
    const console = new RecordingConsole(root);
    const exit = await main(command.split(" "), "0.0.0", console);
    expect(console.err).toBe("");
    expect(exit).toBe(endOf(file)?.type === "Complete" ? 0 : 1);
  });

  it("limit-per-index.yaml leaves the status that the Job page shows", async () => {
    const cluster = await VirtualCluster.start();
    cluster.create(read("limit-per-index.yaml"));
    const status = (): any => cluster.list("/apis/batch/v1/jobs")[0].status;
    expect(cluster.runUntil(() => isFinished({ status: status() }), LIMIT_MS)).toBe(true);
    expect(status()).toMatchObject({
      completedIndexes: "1,3,5,7,9",
      failedIndexes: "0,2,4,6,8",
      succeeded: 5,
      failed: 10,
    });
    const failure = { status: "True", reason: "FailedIndexes", message: "Job has failed indexes" };
    expect(status().conditions).toMatchObject([
      { type: "FailureTarget", ...failure },
      { type: "Failed", ...failure },
    ]);
    cluster.stop();
  });

  it("kubectl/adopted.yaml takes the running pods of kubectl/orphaned.yaml over, and counts them", async () => {
    const cluster = await VirtualCluster.start();
    const job = "/apis/batch/v1/namespaces/default/jobs";
    const [
      {
        metadata: { uid },
      },
    ] = cluster.create(read("kubectl/orphaned.yaml"));
    const isReady = (): boolean => cluster.list(job).some(({ status }) => status.ready === 2);
    expect(cluster.runUntil(isReady, LIMIT_MS)).toBe(true);
    const names = cluster.pods().map(({ metadata }) => metadata.name);
    cluster.api("DELETE", `${job}/old`, { propagationPolicy: "Orphan" });
    expect(cluster.runUntil(() => cluster.list(job).length === 0, LIMIT_MS)).toBe(true);
    expect(cluster.pods().map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined, undefined]);
    cluster.create(read("kubectl/adopted.yaml").replaceAll("a8f3d00d-c6d2-11e5-9f87-42010af00002", uid));
    expect(cluster.runUntil(() => cluster.list(job).every(isFinished), LIMIT_MS)).toBe(true);
    expect(cluster.list(job)[0].status).toMatchObject({
      succeeded: 2,
      conditions: [{ type: "SuccessCriteriaMet" }, { type: "Complete" }],
    });
    expect(cluster.pods().map(({ metadata }) => metadata.name)).toEqual(names);
    cluster.stop();
  });

  it("have unique names, so that all can be run at once", () => {
    const names = files.flatMap((file) =>
      parseAllDocuments(read(file)).map(
        (document) => `${document.get("kind")} ${document.getIn(["metadata", "name"])}`,
      ),
    );
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it("are listed in the guide, each once, beside the programs", () => {
    const guide = readFileSync(join(folder, "README.md"), "utf8");
    expect([...guide.matchAll(/^\| \[([^\]]+\.yaml)\]/gm)].map((match) => match[1]!).sort()).toEqual(files);
  });

  it("say with a command how to try them", () => {
    expect(
      files.filter(
        (file) =>
          !new RegExp(
            `^#.* (stint run|kubectl apply -f|sed|npm start).*${file === "pi.yaml" ? "" : file.replace(".", "\\.")}`,
            "m",
          ).test(read(file)),
      ),
    ).toEqual([]);
  });
});

/** The volumes of `stint run`, by commands that read and write them inside bubblewrap. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "./checked-main.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { hasBubblewrap } from "../runtime/bubblewrap-here.ts";
import { RecordingConsole } from "./recording-console.ts";

let directory: string;
beforeAll(async () => {
  await buildModule("engine");
  directory = mkdtempSync(join(tmpdir(), "stint-volumes-"));
  // Containers of root run as another user.
  chmodSync(directory, 0o755);
});
afterAll(() => rmSync(directory, { recursive: true }));

async function run(
  objects: readonly object[],
  ...flags: readonly string[]
): Promise<{ exit: number; logs: readonly string[]; err: string; file: string }> {
  const file = join(directory, "all.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const console = new RecordingConsole(directory);
  const exit = await main(["run", "--output", "json", ...flags, file], "0.0.0", console);
  const lines = console.out === "" ? [] : console.lines;
  const logs = lines.filter(({ type }) => type === "log").map(({ line }) => line as string);
  return { exit, logs, err: console.err, file };
}

interface Shape {
  readonly name?: string;
  readonly volume: object;
  readonly script: string;
  readonly mount?: object;
  readonly spec?: object;
}

/** A Job whose container has one volume, at /data. */
function job({ name = "j", volume, script, mount = {}, spec = {} }: Shape): object {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: {
      backoffLimit: 0,
      ...spec,
      template: {
        metadata: { labels: { tier: "batch" }, annotations: { note: "two\nlines" } },
        spec: {
          restartPolicy: "Never",
          containers: [
            {
              name: "c",
              image: "none",
              command: ["sh", "-c", script],
              volumeMounts: [{ name: "v", mountPath: "/data", ...mount }],
            },
          ],
          volumes: [{ name: "v", ...volume }],
        },
      },
    },
  };
}

const CLAIM = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "shared" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "gp3",
    resources: { requests: { storage: "1Gi" } },
  },
};
const CLAIMED = { persistentVolumeClaim: { claimName: "shared" } };

describe.skipIf(!hasBubblewrap)("a claim of the same files", () => {
  it("is a folder that pods share, and that goes with the run", async () => {
    const counts = job({
      volume: CLAIMED,
      script: "echo x >> /data/lines; wc -l < /data/lines",
      spec: { completions: 2, parallelism: 1 },
    });
    const first = await run([counts, CLAIM]);
    expect({ exit: first.exit, logs: first.logs, err: first.err }).toEqual({ exit: 0, logs: ["1", "2"], err: "" });
    expect((await run([counts, CLAIM])).logs).toEqual(["1", "2"]);
  });

  it("stays in --volume-folder, by its namespace and name", async () => {
    const folder = join(directory, "kept");
    const writes = job({ volume: CLAIMED, script: "echo kept > /data/a" });
    expect((await run([writes, CLAIM], "--volume-folder", folder)).exit).toBe(0);
    expect(readFileSync(join(folder, "default.shared", "a"), "utf8")).toBe("kept\n");
    const reads = job({ volume: CLAIMED, script: "cat /data/a" });
    expect((await run([reads, CLAIM], "--volume-folder", folder)).logs).toEqual(["kept"]);
    expect(existsSync(join(folder, "default.shared", "a"))).toBe(true);
  });

  it("is missing, or faulty, before anything runs", async () => {
    const reads = job({ volume: CLAIMED, script: "true" });
    const missing = await run([reads, { ...CLAIM, metadata: { name: "shared", namespace: "other" } }]);
    expect(missing.exit).toBe(2);
    expect(missing.err).toMatch(
      /: spec\.template\.spec\.volumes\[0\]\.persistentVolumeClaim\.claimName: persistentvolumeclaim "shared" not found; add it to the files of this run\nNothing was run\.\n$/,
    );
    const faulty = await run([reads, { ...CLAIM, spec: { ...CLAIM.spec, acessModes: [] } }]);
    expect(faulty.err).toMatch(
      /: spec\.acessModes: unknown field of v1 PersistentVolumeClaim; did you mean accessModes, which has [^\n]+\nNothing was run\.\n$/,
    );
  });
});

it("--volume-folder is refused where no volume is mounted", async () => {
  for (const flag of ["--no-isolation", "--runtime=simulated"]) {
    const { exit, err } = await run([], flag, "--volume-folder", "x");
    expect(exit).toBe(2);
    expect(err).toContain("--volume-folder is given, but volumes are mounted in containers and inside bubblewrap only");
  }
});

describe.skipIf(!hasBubblewrap)("ConfigMaps, Secrets and fields of the pod", () => {
  const config = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "config" },
    data: { mode: "fast", "app.ini": "[main]" },
    binaryData: { raw: "AAEC" },
  };
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "secret" },
    data: { user: "YWRh" },
    stringData: { password: "p w" },
  };

  it("are files: all keys, chosen keys with their modes, bytes, and nothing for what is optional", async () => {
    const projected = {
      projected: {
        sources: [
          { configMap: { name: "config", items: [{ key: "app.ini", path: "etc/app.ini", mode: 0o400 }] } },
          { configMap: { name: "config", items: [{ key: "raw", path: "raw" }] } },
          { secret: { name: "secret" } },
          { configMap: { name: "absent", optional: true } },
        ],
      },
    };
    const script =
      "cd /data; cat etc/app.ini; echo; stat -c %a etc/app.ini; od -An -tx1 raw; cat user password; echo; ls";
    const { exit, logs } = await run([job({ volume: projected, script }), config, secret]);
    expect({ exit, logs }).toEqual({
      exit: 0,
      logs: ["[main]", "400", " 00 01 02", "adap w", "etc", "password", "raw", "user"],
    });
  });

  it("are mounted one file at a time, too", async () => {
    const volume = { configMap: { name: "config" } };
    const mount = { mountPath: "/settings/app.ini", subPath: "app.ini" };
    const script = "cat /settings/app.ini; echo; ls /settings; echo x > /settings/app.ini || echo read-only";
    const { exit, logs } = await run([job({ volume, script, mount }), config]);
    expect(exit).toBe(0);
    expect(logs.filter((line) => !line.includes("cannot create"))).toEqual(["[main]", "app.ini", "read-only"]);
    const absent = await run([job({ volume, script: "true", mount: { ...mount, subPath: "absent" } }), config]);
    expect(absent.exit).toBe(1);
  });

  it("of the downward API are files, alone and among others", async () => {
    const items = [
      { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
      { path: "tier", fieldRef: { fieldPath: "metadata.labels['tier']" }, mode: 0o400 },
    ];
    const script = "cd /data; grep tier labels; cat tier; echo; stat -c %a tier; cat mode 2> /dev/null; true";
    const alone = await run([job({ volume: { downwardAPI: { items } }, script })]);
    expect({ exit: alone.exit, logs: alone.logs }).toEqual({ exit: 0, logs: ['tier="batch"', "batch", "400"] });
    const sources = [{ downwardAPI: { items } }, { configMap: { name: "config" } }];
    const among = await run([job({ volume: { projected: { sources } }, script }), config]);
    expect(among.logs).toEqual(['tier="batch"', "batch", "400", "fast"]);
  });
});

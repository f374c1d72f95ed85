/**
 * `stint run` inside bubblewrap: the examples, what is shown to containers, and what is refused before anything runs.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "./checked-main.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { hasBubblewrap } from "../runtime/bubblewrap-here.ts";
import { RecordingConsole } from "./recording-console.ts";

const examples = resolve(import.meta.dirname, "../../../examples");

let directory: string;
beforeAll(async () => {
  await buildModule("engine");
  directory = mkdtempSync(join(tmpdir(), "stint-sandbox-"));
  // Containers of root run as another user.
  chmodSync(directory, 0o755);
  mkdirSync(join(directory, "tools"), { mode: 0o755 });
  writeFileSync(join(directory, "tools/hello.sh"), "#!/bin/sh\necho hello from $0\n", { mode: 0o755 });
});
afterAll(() => rmSync(directory, { recursive: true }));

async function run(args: readonly string[], cwd = directory): Promise<{ exit: number; out: string; err: string }> {
  const console = new RecordingConsole(cwd);
  const exit = await main(["run", ...args], "0.0.0", console);
  return { exit, out: console.out, err: console.err };
}

function job(container: object, spec: object = {}, ...others: object[]): string {
  const path = join(directory, "job.json");
  const containers = [{ name: "main", image: "none", command: ["true"], ...container }];
  const documents = [
    ...others,
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "j" },
      spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never", containers, ...spec } } },
    },
  ];
  writeFileSync(path, documents.map((document) => JSON.stringify(document)).join("\n---\n"));
  return path;
}

describe.skipIf(!hasBubblewrap)("stint run inside bubblewrap", () => {
  it.each(["pi.yaml", "hello.yaml", "work-queue.yaml", "static-work.yaml", "template-expansion.yaml"])(
    "runs examples/%s",
    async (name) => {
      const { exit, err } = await run([join(examples, name)], examples);
      expect({ exit, err }).toEqual({ exit: 0, err: "" });
    },
  );

  it("says how to show a command that containers do not see", async () => {
    const { exit, err } = await run([job({ command: ["tools/hello.sh"], workingDir: directory })]);
    expect(exit).toBe(2);
    const tools = join(directory, "tools");
    expect(err).toContain(
      `command[0]: exec: "tools/hello.sh": stat tools/hello.sh: no such file or directory (containers do not see ${tools}/hello.sh; --visible ${tools} shows its folder to them)\n`,
    );
  });

  it("lets a command come out of a volume that lies in the PATH", async () => {
    const configMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "c" },
      data: { "from-volume": "#!/bin/sh\necho ran\n" },
    };
    const container = { command: ["from-volume"], volumeMounts: [{ name: "v", mountPath: "/usr/local/sbin" }] };
    const { exit, out } = await run([
      job(container, { volumes: [{ name: "v", configMap: { name: "c", defaultMode: 0o555 } }] }, configMap),
    ]);
    expect({ exit, line: /\] (.*)\n/.exec(out)?.[1] }).toEqual({ exit: 0, line: "ran" });
  });

  it("says so of a command that only the user's own $PATH has", async () => {
    const tools = join(directory, "tools");
    const console = new RecordingConsole(directory);
    Object.assign(console.environment, { PATH: tools });
    expect(await main(["run", job({ command: ["hello.sh"] })], "0.0.0", console)).toBe(2);
    expect(console.err).toContain(
      `exec: "hello.sh": executable file not found in $PATH (your $PATH has it, that of containers has not: name it ${tools}/hello.sh, with --visible ${tools})\n`,
    );
  });

  it("shows a folder, and starts containers in it if it is the one that Stint was started in", async () => {
    const tools = join(directory, "tools");
    const { exit, out } = await run(["--visible", ".", job({ command: ["./hello.sh"] })], tools);
    expect({ exit, said: /\] (hello .*)\n/.exec(out)?.[1] }).toEqual({ exit: 0, said: "hello from ./hello.sh" });
  });

  it("refuses a folder that cannot be shown", async () => {
    expect(await run(["--visible", "none", job({})])).toEqual({
      exit: 2,
      out: "",
      err: `stint: ${directory}/none cannot be shown to containers: there is no such file or folder\n`,
    });
    expect((await run(["--visible", ".", "--no-isolation", job({})])).err).toBe(
      "stint: --visible is given with --no-isolation; it is for commands inside bubblewrap\n",
    );
    expect((await run(["--allow-host-path", "--runtime", "simulated", job({})])).err).toMatch(
      /^stint: --allow-host-path is given with --runtime simulated, /,
    );
  });
});

const withHostPaths = (...hostPaths: object[]): object => ({
  volumes: hostPaths.map((hostPath, i) => ({ name: `v${i}`, hostPath })),
});
const missing = (): string => join(directory, "missing");
const made = (): string => join(directory, "made");

describe.skipIf(!hasBubblewrap)("hostPath volumes of stint run inside bubblewrap", () => {
  it("refuses hostPath volumes before anything runs, unless they are allowed", async () => {
    const tools = join(directory, "tools");
    const file = (): string =>
      job(
        { command: ["cat", "/data/hello.sh"], volumeMounts: [{ name: "v", mountPath: "/data" }] },
        { volumes: [{ name: "v", hostPath: { path: tools } }] },
      );
    const refused = await run([file()]);
    expect(refused.exit).toBe(2);
    expect(refused.err).toMatch(
      /: spec\.template\.spec\.volumes\[0\]\.hostPath is refused: it would give containers a place of this machine; --allow-host-path allows that\nNothing was run\.\n$/,
    );
    const allowed = await run(["--allow-host-path", file()]);
    expect({ exit: allowed.exit, printed: allowed.out.includes("echo hello from") }).toEqual({
      exit: 0,
      printed: true,
    });
  });

  it.each([
    [
      () => ({ path: missing() }),
      "path",
      () => `${missing()}: there is no such file or directory; make it, or set type: DirectoryOrCreate or FileOrCreate`,
    ],
    [
      () => ({ path: missing(), type: "Directory" }),
      "path",
      () => `${missing()}: there is no such file or directory; make it, or set type: DirectoryOrCreate`,
    ],
    [
      () => ({ path: missing(), type: "File" }),
      "path",
      () => `${missing()}: there is no such file or directory; make it, or set type: FileOrCreate`,
    ],
    [
      () => ({ path: missing(), type: "Socket" }),
      "path",
      () => `${missing()}: there is no such file or directory; start what listens there first`,
    ],
    [() => ({ path: directory, type: "File" }), "path", () => `${directory}: it is no file`],
    [() => ({ path: directory, type: "FileOrCreate" }), "path", () => `${directory}: it is no file`],
    [
      () => ({ path: join(directory, "tools/hello.sh"), type: "Directory" }),
      "path",
      () => `${directory}/tools/hello.sh: it is no directory`,
    ],
    [
      () => ({ path: join(directory, "tools/hello.sh"), type: "DirectoryOrCreate" }),
      "path",
      () => `${directory}/tools/hello.sh: it is no directory`,
    ],
    [
      () => ({ path: join(directory, "tools/hello.sh"), type: "Socket" }),
      "path",
      () => `${directory}/tools/hello.sh: it is no socket`,
    ],
    [
      () => ({ path: join(missing(), "file"), type: "FileOrCreate" }),
      "path",
      () => `${missing()}: there is no such file or directory; make the folder above it, which this type does not`,
    ],
    [
      () => ({ path: join(directory, "tools/hello.sh/below"), type: "DirectoryOrCreate" }),
      "path",
      () => `${directory}/tools/hello.sh/below: `,
    ],
    [() => ({ path: "./tools" }), "path", () => '"./tools": allowed is an absolute path'],
    [
      () => ({ path: "/dev/null", type: "CharDevice" }),
      "type",
      () => '"CharDevice": allowed are Directory, DirectoryOrCreate, File, FileOrCreate, Socket',
    ],
  ])("refuses a hostPath volume that cannot be mounted, before anything runs: %#", async (hostPath, field, why) => {
    const { exit, out, err } = await run(["--allow-host-path", job({}, withHostPaths(hostPath()))]);
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toContain(`: spec.template.spec.volumes[0].hostPath.${field} is refused: ${why()}`);
    expect(err).toMatch(/\nNothing was run\.\n$/);
  });

  it.skipIf(process.getuid!() !== 0)(
    "warns of a hostPath volume into which root's containers cannot write",
    async () => {
      const path = join(directory, "closed");
      const volume = { path, type: "DirectoryOrCreate" };
      const container = {
        command: ["sh", "-c", "touch /mnt/x || echo closed"],
        volumeMounts: [{ name: "v0", mountPath: "/mnt" }],
      };
      const before = await run(["--allow-host-path", job(container, withHostPaths(volume))]);
      const warning = (advice: string): RegExp =>
        new RegExp(
          `^Warning: \\S+:1:\\d+: spec\\.template\\.spec\\.volumes\\[0\\]\\.hostPath: containers of root run as another user, who may not write to ${path}; ${advice}\n$`,
        );
      expect(before.err).toMatch(warning("make it before the run, and open it to them with `chmod o\\+w`"));
      expect(before.out).toContain("] closed\n");
      expect(statSync(path)).toMatchObject({ uid: 0, mode: 0o40755 });
      expect((await run(["--allow-host-path", job(container, withHostPaths(volume))])).err).toMatch(
        warning("`chmod o\\+w` opens it to them"),
      );
      const readOnly = { ...container, volumeMounts: [{ name: "v0", mountPath: "/mnt", readOnly: true }] };
      expect((await run(["--allow-host-path", job(readOnly, withHostPaths(volume))])).err).toBe("");
      chmodSync(path, 0o777);
      const { out, err } = await run(["--allow-host-path", job(container, withHostPaths(volume))]);
      expect({ err, isClosed: out.includes("closed\n"), written: existsSync(join(path, "x")) }).toEqual({
        err: "",
        isClosed: false,
        written: true,
      });
    },
  );
});

describe.skipIf(!hasBubblewrap)("volumes of stint run inside bubblewrap", () => {
  it("mounts what a hostPath volume makes, and what its type says", async () => {
    const types = [
      { path: made(), type: "DirectoryOrCreate" },
      { path: `${made()}.txt`, type: "FileOrCreate" },
      { path: directory, type: "Directory" },
      { path: join(directory, "tools/hello.sh"), type: "File" },
      { path: directory },
    ];
    const volumeMounts = types.map((_, i) => ({ name: `v${i}`, mountPath: `/mnt${i}` }));
    const { exit, out } = await run([
      "--allow-host-path",
      job({ command: ["sh", "-c", "stat -c %F /mnt*"], volumeMounts }, withHostPaths(...types)),
    ]);
    expect(exit).toBe(0);
    expect([...out.matchAll(/\] (.*)\n/g)].map(([, line]) => line)).toEqual([
      "directory",
      "regular empty file",
      "directory",
      "regular file",
      "directory",
    ]);
  });

  it("waits for a place that another volume of the run may bring about", async () => {
    const first = withHostPaths({ path: join(made(), "by-first"), type: "DirectoryOrCreate" });
    const container = { name: "main", image: "none", command: ["true"] };
    const other = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "first" },
      spec: { template: { spec: { restartPolicy: "Never", containers: [container], ...first } } },
    };
    const { exit, err } = await run([
      "--allow-host-path",
      job({}, withHostPaths({ path: join(made(), "by-first"), type: "Directory" }), other),
    ]);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
  });

  it("refuses volumes that cannot be mounted where they should be, before anything runs", async () => {
    const volumeMounts = [
      { name: "v", mountPath: "/a" },
      { name: "w", mountPath: "/a/b" },
    ];
    const { exit, err } = await run([
      job(
        { volumeMounts },
        {
          volumes: [
            { name: "v", emptyDir: {} },
            { name: "w", emptyDir: {} },
          ],
        },
      ),
    ]);
    expect(exit).toBe(2);
    expect(err).toMatch(
      /spec\.template\.spec\.containers\[0\]\.volumeMounts\[1\]\.mountPath is refused: mountPath \/a\/b: it lies in the volume at \/a, /,
    );
  });
});

describe.skipIf(!hasBubblewrap)("files of volumes of stint run inside bubblewrap", () => {
  it("mounts a Secret, which only its pod can read", async () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { token: "hidden" } };
    const container = {
      command: ["sh", "-c", "cat /etc/secret/token; stat -c ' %a' /etc/secret/token"],
      volumeMounts: [{ name: "v", mountPath: "/etc/secret" }],
    };
    const { exit, out } = await run([
      job(container, { volumes: [{ name: "v", secret: { secretName: "s", defaultMode: 0o400 } }] }, secret),
    ]);
    expect({ exit, line: /\] (.*)\n/.exec(out)?.[1] }).toEqual({ exit: 0, line: "hidden 400" });
  });

  it("mounts a projected volume of a ConfigMap and a Secret, read-only", async () => {
    const objects = [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "1" } },
      { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { b: "2" } },
    ];
    const container = {
      command: ["sh", "-c", "cd /all; grep . *; touch x || echo read-only"],
      volumeMounts: [{ name: "v", mountPath: "/all" }],
    };
    const { exit, out, err } = await run([
      job(
        container,
        { volumes: [{ name: "v", projected: { sources: [{ configMap: { name: "c" } }, { secret: { name: "s" } }] } }] },
        ...objects,
      ),
    ]);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(
      [...out.matchAll(/\] (.*)\n/g)].map(([, line]) => line).filter((line) => !line!.startsWith("touch")),
    ).toEqual(["a:1", "b:2", "read-only"]);
  });

  it("mounts a ConfigMap with its items and modes", async () => {
    const configMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "c" },
      data: { script: "#!/bin/sh\necho ran\n", other: "x" },
      binaryData: { bytes: "AAH/" },
    };
    const items = [
      { key: "script", path: "bin/run", mode: 0o555 },
      { key: "bytes", path: "bytes" },
    ];
    const command = [
      "sh",
      "-c",
      "/etc/config/bin/run; od -An -tx1 /etc/config/bytes; cd /etc/config; find . -type f | sort | xargs stat -c '%n %a'",
    ];
    const { exit, out, err } = await run([
      job(
        { command, volumeMounts: [{ name: "v", mountPath: "/etc/config" }] },
        { volumes: [{ name: "v", configMap: { name: "c", items, defaultMode: 0o440 } }] },
        configMap,
      ),
    ]);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect([...out.matchAll(/\] (.*)\n/g)].map(([, line]) => line!.trim())).toEqual([
      "ran",
      "00 01 ff",
      "./bin/run 555",
      "./bytes 440",
    ]);
  });
});

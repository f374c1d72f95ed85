/** `stint run --runtime docker`, from the command line to its output, on a fake engine. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "./checked-main.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { FakeEngine } from "../runtime/container-engine/fake-engine.ts";
import { RecordingConsole } from "./recording-console.ts";

const IMAGE = "registry.test/tools:1";
const CLOSED = "registry.test/closed:1";

let directory: string;
let engine: FakeEngine;
beforeAll(async () => {
  await buildModule("engine");
  directory = mkdtempSync(join(tmpdir(), "stint-engine-"));
  engine = new FakeEngine({
    images: { [IMAGE]: { config: {} }, [CLOSED]: { config: {}, password: "s3cret" } },
  });
  await engine.listen();
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
  expect(engine.faults).toEqual([]);
});

async function run(
  objects: readonly object[],
  ...flags: readonly string[]
): Promise<{ exit: number; out: string; err: string }> {
  const file = join(directory, "all.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const console = new RecordingConsole(directory);
  const socket = ["--runtime", "docker", "--engine-socket", engine.socketPath];
  const exit = await main(["run", ...socket, ...flags, file], "0.0.0", console);
  return { exit, out: console.out, err: console.err };
}

function job(script: string, container: object = {}, pod: object = {}, spec: object = {}): object {
  const containers = [{ name: "main", image: IMAGE, command: ["/bin/sh", "-c", script], ...container }];
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j" },
    spec: { backoffLimit: 0, ...spec, template: { spec: { restartPolicy: "Never", containers, ...pod } } },
  };
}

describe("stint run --runtime docker", () => {
  it("says which image it pulls, runs the Job, and leaves nothing behind", async () => {
    const { exit, out, err } = await run([job('echo "hello $NAME"', { env: [{ name: "NAME", value: "image" }] })]);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toMatch(/pulling image registry\.test\/tools:1\n/);
    expect(out).toMatch(/pulled image registry\.test\/tools:1, 1\.0 MB, in \d/);
    expect(out).toMatch(/\] hello image\n/);
    expect(engine.requests.filter((request) => request.startsWith("DELETE")).length).toBeGreaterThan(1);
  });

  it("runs init containers before the others, and sidecars beside them", async () => {
    const initContainers = [
      { name: "first", image: IMAGE, command: ["/bin/sh", "-c", "echo first"] },
      {
        name: "side",
        image: IMAGE,
        restartPolicy: "Always",
        command: ["/bin/sh", "-c", "trap 'exit 0' TERM; while :; do sleep 0.05; done"],
      },
    ];
    const { exit, out } = await run([job("echo second", {}, { initContainers })]);
    expect(exit).toBe(0);
    expect(out.indexOf("first")).toBeLessThan(out.indexOf("second"));
  });

  it("finds the pod's pull secrets among the files of the run, and prints none", async () => {
    const config = JSON.stringify({ auths: { "registry.test": { username: "puller", password: "s3cret" } } });
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "pull" },
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": config },
    };
    const closed = job("exit 0", { image: CLOSED }, { imagePullSecrets: [{ name: "pull" }] });
    const { exit, out, err } = await run([secret, closed]);
    expect(exit).toBe(0);
    expect(out + err).not.toContain("s3cret");
  });

  it("says why an image cannot be pulled", async () => {
    const { exit, out } = await run([
      job("exit 0", { image: "registry.test/none:1" }, {}, { activeDeadlineSeconds: 2 }),
    ]);
    expect(exit).toBe(1);
    expect(out).toContain("ErrImagePull");
    expect(out).toContain("manifest for registry.test/none:1 not found");
  });

  it("refuses what is not allowed before anything runs, with its place", async () => {
    const before = engine.requests.length;
    const { exit, err } = await run([job("exit 0", { securityContext: { privileged: true } })]);
    expect(exit).toBe(2);
    expect(err).toContain("spec.template.spec.containers[0].securityContext.privileged is refused");
    expect(err).toContain("--allow-privileged allows that");
    expect(engine.requests.slice(before)).not.toContain("POST /containers/create");
  });

  it("warns of fields without effect", async () => {
    const { out, err } = await run([job("exit 0", { ports: [{ containerPort: 80 }], stdin: true })]);
    expect(err).toContain("spec.template.spec.containers[0].stdin has no effect: standard input is empty");
    expect(err).not.toContain("ports");
    expect(out).toContain("\nnote: the ports that containers declare are not published\n");
  });

  it("refuses flags that have no meaning with images, and its own with other runtimes", async () => {
    const { exit, err } = await run([job("exit 0")], "--visible", ".");
    expect({ exit, err }).toEqual({
      exit: 2,
      err: "stint: --visible is given with --runtime docker, whose containers have the files of their images; it is for --runtime process\n",
    });
    const console = new RecordingConsole(directory);
    expect(await main(["run", "--runtime", "simulated", "--allow-privileged", "x.yaml"], "0.0.0", console)).toBe(2);
    expect(console.err).toBe(
      "stint: --allow-privileged is given with --runtime simulated; it is for --runtime docker and podman\n",
    );
  });
});
